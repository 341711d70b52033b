package transfer

// repairs is Transfer!Repairs: a backup repairs, and an elect that has merged.
func (m *machine) repairs(s *State, r int) bool { return m.isBackup(s, r) || m.isMerged(s, r) }

// repairHeader is Transfer!RepairHeader: the header above names its parent.
func (m *machine) repairHeader(s *State, yield func(Action, State)) {
	for r := range m.N {
		if !m.repairs(s, r) {
			continue
		}
		x := &s.Replicas[r]
		for op := m.commitMin(x) + 1; op < int(x.Headers.Length); op++ {
			above := x.Headers.at(op + 1)
			if x.Headers.at(op) != 0 || above == 0 {
				continue
			}
			e := m.cut[above][op]
			if !x.Bodies.has(e) && !m.headerServed(s, r, op, e) {
				continue
			}
			t := *s
			t.Replicas[r].Headers.Entries[op-1] = e
			m.sendPrepareOKs(&t, r)
			yield(Action{Kind: RepairHeader, Replica: uint8(r), Argument: uint8(op)}, t)
		}
	}
}

// headerServed reports whether a peer of r has that very header at op, in its log or
// with a body: it may have a hole there and still the body.
func (m *machine) headerServed(s *State, r, op int, e Entry) bool {
	for from := range m.N {
		y := &s.Replicas[from]
		if from != r && y.live() &&
			(y.Bodies.has(e) || op > int(y.Base) && y.Headers.at(op) == e) {
			return true
		}
	}
	return false
}

// asks is Transfer!Asks: the ops whose bodies r asks for, the lowest missing ones.
func (m *machine) asks(x *Replica) (ops []int) {
	low := m.commitMin(x)
	for op := low + 1; op <= int(x.Headers.Length); op++ {
		e := x.Headers.at(op)
		if e == 0 || x.Bodies.has(e) {
			continue
		}
		if m.bug.windowStandsStill && op > low+m.MaxWindow ||
			!m.bug.windowStandsStill && len(ops) == m.MaxWindow {
			break
		}
		if m.bug.repairStopsAtCommit && op > int(x.CommitMax) {
			break
		}
		ops = append(ops, op)
	}
	return ops
}

// serves is Transfer!Serves: whether a replica hands out a body, up to its head.
func (m *machine) serves(y *Replica, e Entry) bool {
	ceiling := y.Headers.Length
	if m.bug.serveStopsAtCommit {
		ceiling = y.CommitMax
	}
	return y.live() && y.Bodies.has(e) && m.length[e] <= ceiling
}

// repairPrepare is Transfer!RepairPrepare: a missing body comes, from any peer.
func (m *machine) repairPrepare(s *State, yield func(Action, State)) {
	for r := range m.N {
		if !m.repairs(s, r) {
			continue
		}
		x := &s.Replicas[r]
		for _, op := range m.asks(x) {
			e := x.Headers.at(op)
			served := false
			for from := range m.N {
				served = served || from != r && m.serves(&s.Replicas[from], e)
			}
			if !served {
				continue
			}
			t := *s
			t.Replicas[r].Bodies.add(e)
			m.sendPrepareOKs(&t, r)
			yield(Action{Kind: RepairPrepare, Replica: uint8(r), Argument: uint8(op)}, t)
		}
	}
}
