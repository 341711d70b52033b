package merge

// spared reports whether r must not lose the body of an entry, as it has the last copy of
// a committed op: Merge!Spared.
func (m *machine) spared(s *State, r, op, view uint8) bool {
	return m.SpareCopy && s.Committed[op-1]&rowBits(view) != 0 && !m.canFetch(s, r, op, view)
}

// rot is Merge!Rot, for each op: a stored body becomes unreadable, and r knows.
func (m *machine) rot(s *State, r uint8, yield yielder) {
	if int(s.Count.Rot) >= m.MaxRot {
		return
	}
	x := &s.Replicas[r]
	for op := uint8(1); int(op) <= m.MaxOp; op++ {
		action := Action{Kind: Rot, Replica: r, Number: op}
		next := *s
		next.Count.Rot++
		y := &next.Replicas[r]
		if op <= x.Log.Length && x.Log.Bodies[op-1] == Stored &&
			!m.spared(s, r, op, x.Log.Headers[op-1]) {
			y.Log.Bodies[op-1] = Faulty
			yield(action, next)
			y.Log.Bodies[op-1] = Stored
		}
		merged := &x.Merged.Log
		if x.Parked && op <= merged.Length && !x.Log.has(op, merged.Headers[op-1]) &&
			merged.Bodies[op-1] == Stored && !m.spared(s, r, op, merged.Headers[op-1]) {
			y.Merged.Log.Bodies[op-1] = Hollow
			yield(action, next)
		}
	}
}

// boot is Merge!Boot: what each restart does.
func (m *machine) boot(s *State, r uint8) {
	x := &s.Replicas[r]
	x.Status = Recovering
	x.Parked, x.Merged = false, Merged{}
	if !m.CommitKept {
		x.Commit = x.Log.base() // what lies below a base is committed
	}
	m.forget(s)
}

// restart is Merge!Restart: the process is killed and finds all that it had written.
func (m *machine) restart(s *State, r uint8, yield yielder) {
	if int(s.Count.Restart) >= m.MaxRestart || s.Replicas[r].Status == Wiped {
		return
	}
	next := *s
	next.Count.Restart++
	x := &next.Replicas[r]
	if n := x.Log.Length; m.bug.cutRottenTail && n > x.Adopted && x.Log.Bodies[n-1] == Faulty {
		x.Log.cut(n - 1)
	}
	x.Trusted = x.Trusted || m.bug.restartClearsDoubt
	m.boot(&next, r)
	yield(Action{Kind: Restart, Replica: r}, next)
}

// powerLoss is Merge!PowerLoss, for each op c: the log comes back untrusted, without the
// bodies above c and without the headers above the adopted head.
func (m *machine) powerLoss(s *State, r uint8, yield yielder) {
	x := &s.Replicas[r]
	if int(s.Count.Power) >= m.MaxPower || x.Status == Wiped {
		return
	}
	missing := Doubtful
	if m.bug.lostIsHollow {
		missing = Hollow
	}
	for c := range x.Log.Length + 1 {
		loses, spared := false, false
		for i := c; i < x.Log.Length; i++ {
			if x.Log.Bodies[i] == Stored {
				loses = true
				spared = spared || m.spared(s, r, i+1, x.Log.Headers[i])
			}
		}
		if spared || loses && int(s.Count.Loss) >= m.MaxLoss || !loses && c < x.Log.Length {
			continue
		}
		next := *s
		next.Count.Power++
		if loses {
			next.Count.Loss++
		}
		y := &next.Replicas[r]
		y.Log.cut(max(c, x.Adopted))
		for i := range y.Log.Length {
			body := &y.Log.Bodies[i]
			lost := i >= c || *body == Hollow && !m.bug.hollowOutlivesRestart
			if lost && *body != Below {
				*body = missing
			}
		}
		y.Trusted = false
		m.boot(&next, r)
		yield(Action{Kind: PowerLoss, Replica: r, Number: c}, next)
	}
}

// wipe is Merge!Wipe: the disk is lost, and with it all that r ever promised.
func (m *machine) wipe(s *State, r uint8, yield yielder) {
	if int(s.Count.Wipe) >= m.MaxWipe {
		return
	}
	x := &s.Replicas[r]
	for i := range x.Log.Length {
		if x.Log.Bodies[i] == Stored && m.spared(s, r, i+1, x.Log.Headers[i]) {
			return
		}
	}
	next := *s
	next.Count.Wipe++
	next.Replicas[r] = Replica{Status: Wiped, Trusted: m.bug.wipedVotes || m.bug.wipedIsTrusted}
	yield(Action{Kind: Wipe, Replica: r}, next)
}
