package transfer

// startViewChange is Transfer!StartViewChange: r leaves its view. A transfer ends with
// it, unless it is installing.
func (m *machine) startViewChange(s *State, yield func(Action, State)) {
	for r := range m.N {
		for v := int(s.Replicas[r].View) + 1; v <= m.MaxView; v++ {
			t := *s
			y := &t.Replicas[r]
			y.View, y.Status = uint8(v), ViewChange
			stays := m.bug.viewChangeKeepsTransfer
			if y.installing() {
				stays = !m.bug.viewChangeDropsInstall
			}
			if !stays {
				y.Transfer = Transfer{}
			}
			y.PrepareOKs = [ReplicasMax]EntrySet{}
			yield(Action{Kind: StartViewChange, Replica: uint8(r), Argument: uint8(v)}, t)
		}
	}
}

// mergeVotes is Transfer!MergeVotes: the elect decides the log of its view and takes
// it over, headers and log view in one record.
func (m *machine) mergeVotes(s *State, yield func(Action, State)) {
	for p := range m.N {
		x := &s.Replicas[p]
		if x.Status != ViewChange || m.primary(x.View) != p || x.LogView >= x.View {
			continue
		}
		for _, quorum := range m.quorums {
			if !quorum.has(p) || !m.allVote(s, quorum, x.View) {
				continue
			}
			v := m.merge(s, quorum)
			if v.keep < v.length && !v.disowned {
				continue
			}
			t := *s
			m.takeMerged(&t, p, v)
			yield(Action{Kind: MergeVotes, Replica: uint8(p), Argument: uint8(quorum)}, t)
		}
	}
}

func (m *machine) allVote(s *State, quorum ReplicaSet, view uint8) bool {
	for r := range m.N {
		x := &s.Replicas[r]
		if quorum.has(r) && (x.Status != ViewChange || x.View != view) {
			return false
		}
	}
	return true
}

// merged is what the votes of a quorum make up.
type merged struct {
	// log has the canonical identity of each op of length ops, known those with a header
	// in some vote.
	log    [OpMax]Entry
	known  [OpMax]bool
	length int
	// keep is how many ops are kept; disowned is true if all votes disown the next.
	keep     int
	disowned bool
	commit   int
}

// merge is the body of Transfer!MergeVotes.
func (m *machine) merge(s *State, quorum ReplicaSet) merged {
	best := m.bestLog(s, quorum)
	v := merged{length: int(best.Length)}
	v.commit = max(0, v.length-m.MaxPipeline)
	for r := range m.N {
		if quorum.has(r) {
			v.commit = max(v.commit, int(s.Replicas[r].CommitMax))
		}
	}
	dropped := false
	for op := 1; op <= v.length; op++ {
		e := best.at(op)
		if e == 0 {
			e = m.cut[best.tip()][op]
		}
		v.log[op-1] = e
		proved := false
		for r := range m.N {
			x := &s.Replicas[r]
			if quorum.has(r) && x.Headers.at(op) == e {
				v.known[op-1] = true
				proved = proved || x.Bodies.has(e)
			}
		}
		dropped = dropped || op > v.commit && !proved
		if !dropped {
			v.keep = op
		}
	}
	v.disowned = m.allDisown(s, quorum, v.keep+1)
	return v
}

// bestLog is the longest log of the highest log view.
func (m *machine) bestLog(s *State, quorum ReplicaSet) *Log {
	var best *Replica
	for r := range m.N {
		x := &s.Replicas[r]
		if quorum.has(r) && (best == nil || x.LogView > best.LogView ||
			x.LogView == best.LogView && x.Headers.Length > best.Headers.Length) {
			best = x
		}
	}
	return &best.Headers
}

// allDisown reports whether all of the quorum disown an op; a hole disowns nothing.
func (m *machine) allDisown(s *State, quorum ReplicaSet, op int) bool {
	for r := range m.N {
		x := &s.Replicas[r]
		hole := op <= int(x.Headers.Length) && x.Headers.at(op) == 0
		if quorum.has(r) && hole && !m.bug.holeDisowns {
			return false
		}
	}
	return true
}

// takeMerged makes the kept ops the log of p.
func (m *machine) takeMerged(s *State, p int, v merged) {
	y := &s.Replicas[p]
	y.Headers = Log{Length: uint8(v.keep)}
	for op := max(1, int(y.Base)); op <= v.keep; op++ {
		if op == v.keep || v.known[op-1] {
			y.Headers.Entries[op-1] = v.log[op-1]
		}
	}
	y.CommitMax = max(y.CommitMax, uint8(v.commit))
	s.ViewLogs[y.View] = 0
	if v.keep > 0 {
		s.ViewLogs[y.View] = v.log[v.keep-1]
	}
	if !m.bug.barrierNeverLowered {
		y.Barrier = min(y.Barrier, uint8(v.keep))
	}
	y.LogView = y.View
}

// startViewOf is Transfer!StartViewOf: the suffix of headers and the commit point.
func (m *machine) startViewOf(x *Replica) StartView {
	w := StartView{CommitMax: x.CommitMax, Sent: true}
	w.Headers.Length = x.Headers.Length
	for op := 1; op <= int(x.Headers.Length); op++ {
		if m.inSuffix(x, op) {
			w.Headers.Entries[op-1] = x.Headers.at(op)
		}
	}
	return w
}

// inSuffix is Transfer!InSuffix.
func (m *machine) inSuffix(x *Replica, op int) bool {
	return op+m.MaxSuffix > int(x.Headers.Length)
}

// becomePrimary is Transfer!BecomePrimary: p has every body of its log, or the
// checkpoint that covers it, and starts its view (R13).
func (m *machine) becomePrimary(s *State, yield func(Action, State)) {
	for p := range m.N {
		x := &s.Replicas[p]
		if !m.isMerged(s, p) || x.Transfer.Stage != stageNone || !m.whole(x) {
			continue
		}
		t := *s
		t.Replicas[p].Status = Normal
		if m.LateStartViews {
			t.StartViews[x.View] = m.startViewOf(x)
		}
		yield(Action{Kind: BecomePrimary, Replica: uint8(p)}, t)
	}
}

// whole reports whether a replica has all headers and bodies above its commit min.
func (m *machine) whole(x *Replica) bool {
	for op := m.commitMin(x) + 1; op <= int(x.Headers.Length); op++ {
		if e := x.Headers.at(op); e == 0 || !x.Bodies.has(e) {
			return false
		}
	}
	return true
}
