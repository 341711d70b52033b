package transfer

// adopt is Transfer!Adopt: r takes over the log of view v (R7, R11). Of its old log it
// keeps what it has executed and what chains up to the suffix.
func (m *machine) adopt(s *State, r int, v uint8, w *StartView) {
	y := &s.Replicas[r]
	primary := &s.Replicas[m.primary(v)]
	keepsDead := m.bug.transferKeepsDeadSuffix && int(primary.Base) > m.commitMin(y)
	y.Headers = m.adopted(y, w, keepsDead)
	y.View, y.LogView, y.Status = v, v, Normal
	y.CommitMax = max(y.CommitMax, w.CommitMax)
	if !m.bug.barrierNeverLowered {
		y.Barrier = min(y.Barrier, w.Headers.Length)
	}
	switch {
	case keepsDead:
		y.Transfer = Transfer{
			Stage: stageFetch, Sender: uint8(m.primary(v)), Target: primary.Pairing,
		}
	case !y.installing():
		y.Transfer = Transfer{}
	}
	m.sendPrepareOKs(s, r)
}

// adopted is the log that an adoption leaves.
func (m *machine) adopted(x *Replica, w *StartView, keepsDead bool) Log {
	length := int(w.Headers.Length)
	low := 1
	for low <= length && w.Headers.at(low) == 0 {
		low++
	}
	if low > m.commitMin(x)+1 {
		switch {
		case m.bug.transferJumpsViewBeforeLog:
			log := x.Headers
			log.resize(uint8(m.commitMin(x)))
			return log
		case m.bug.voteWhileTransferringWithOldLog:
			return x.Headers
		}
	}
	all := m.bug.suffixlessAdoptionTrustsOldEntries || keepsDead
	log := Log{Length: w.Headers.Length}
	chained := true // All from here up to the suffix chain to it.
	for op := length; op >= 1; op-- {
		old := x.Headers.at(op)
		if op < low {
			chained = chained && old == m.cut[w.Headers.at(low)][op]
		}
		switch {
		case all:
			log.Entries[op-1] = old
		case w.Headers.at(op) != 0:
			log.Entries[op-1] = w.Headers.at(op)
		case op <= m.commitMin(x) || chained || m.bug.noChainCheckBelowSuffix:
			log.Entries[op-1] = old
		}
	}
	return log
}

// joins is Transfer!Joins: whether r, which is not recovering, adopts the log of view v.
func (x *Replica) joins(v uint8) bool {
	return x.live() && (v > x.View || v == x.View && x.Status == ViewChange)
}

// receiveStartView is Transfer!ReceiveStartView: r adopts the log of p's view.
func (m *machine) receiveStartView(s *State, yield func(Action, State)) {
	m.eachPrimary(s, func(r, p int) {
		if s.Replicas[r].joins(s.Replicas[p].View) {
			m.adoptFrom(s, ReceiveStartView, r, p, yield)
		}
	})
}

// recover is Transfer!Recover: p answers the probe of this boot of r (R4).
func (m *machine) recover(s *State, yield func(Action, State)) {
	m.eachPrimary(s, func(r, p int) {
		x := &s.Replicas[r]
		if x.Status == Recovering && s.Replicas[p].View >= x.View {
			m.adoptFrom(s, Recover, r, p, yield)
		}
	})
}

// eachPrimary visits each replica r with each primary p other than it.
func (m *machine) eachPrimary(s *State, visit func(r, p int)) {
	for r := range m.N {
		for p := range m.N {
			if r != p && m.isPrimary(s, p) {
				visit(r, p)
			}
		}
	}
}

func (m *machine) adoptFrom(
	s *State, kind ActionKind, r, p int, yield func(Action, State),
) {
	t := *s
	w := m.startViewOf(&s.Replicas[p])
	m.adopt(&t, r, s.Replicas[p].View, &w)
	yield(Action{Kind: kind, Replica: uint8(r), Argument: uint8(p)}, t)
}

// lateStartView is Transfer!LateStartView: r adopts what the primary of view v sent
// when it started.
func (m *machine) lateStartView(s *State, yield func(Action, State)) {
	for r := range m.N {
		for v := range uint8(m.MaxView + 1) {
			x := &s.Replicas[r]
			wrong := m.bug.lateAnswerToProbe && x.Status == Recovering && v >= x.View ||
				m.bug.startviewLowersHead && x.Status == Normal && v == x.View
			if !s.StartViews[v].Sent || r == m.primary(v) || !x.joins(v) && !wrong {
				continue
			}
			t := *s
			m.adopt(&t, r, v, &s.StartViews[v])
			yield(Action{Kind: LateStartView, Replica: uint8(r), Argument: v}, t)
		}
	}
}

// raiseHead is Transfer!RaiseHead: a StartView of r's own view only raises its head.
func (m *machine) raiseHead(s *State, yield func(Action, State)) {
	for r := range m.N {
		x := &s.Replicas[r]
		primary, ok := m.primaryOf(s, r)
		if !m.isBackup(s, r) || !ok || m.bug.startviewNeverRaisesHead ||
			primary.Headers.Length <= x.Headers.Length ||
			primary.Bodies.has(primary.Headers.at(int(x.Headers.Length)+1)) {
			continue
		}
		t := *s
		y := &t.Replicas[r]
		for op := int(x.Headers.Length) + 1; op <= int(primary.Headers.Length); op++ {
			e := Entry(0)
			if m.inSuffix(primary, op) {
				e = primary.Headers.at(op)
			}
			y.Headers.push(e)
		}
		m.sendPrepareOKs(&t, r)
		yield(Action{Kind: RaiseHead, Replica: uint8(r)}, t)
	}
}
