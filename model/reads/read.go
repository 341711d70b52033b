package reads

// shown is Reads!Shown: what a read from r shows.
func (m *machine) shown(s *State, r int) Log {
	if m.bugs.has(ReadPrepared) {
		return s.Log[r]
	}
	return s.Log[r].prefix(s.CommitMin[r])
}

// newRead is Reads!NewRead: a read that arrives at p, with its index.
func (m *machine) newRead(s *State, p int) Read {
	index := s.CommitMax[p]
	if !m.bugs.has(InheritedNotCommitted) {
		index = max(index, s.Inherited[s.View[p]])
	}
	return Read{
		Label: Waiting, At: uint8(p), View: s.View[p], Index: index, Asker: uint8(p),
		Floor: s.Acknowledged, Seen: s.seen(),
	}
}

// add appends a read, for which there must be room.
func (s *State) add(x Read) {
	s.Reads[s.ReadCount] = x
	s.ReadCount++
}

// receiveRead is Reads!ReceiveRead: a read arrives at a replica that believes that it is
// primary.
func (m *machine) receiveRead(s *State, p int, yield func(Action, State)) {
	if !m.isPrimary(s, p) || int(s.ReadCount) >= m.MaxRead {
		return
	}
	t := *s
	t.add(m.newRead(s, p))
	yield(Action{Kind: ReceiveRead, Replica: uint8(p)}, t)
}

// indexed is Reads!Indexed: a read that waits at r for its own walk to reach the index.
func (s *State) indexed(r int, view, index uint8) Read {
	return Read{
		Label: Indexed, At: uint8(r), View: view, Index: index,
		Floor: s.Acknowledged, Seen: s.seen(),
	}
}

// askIndex is Reads!AskIndex: a backup asks who believes to be primary for the index of a
// read.
func (m *machine) askIndex(s *State, r int, yield func(Action, State)) {
	if !m.Asking || int(s.ReadCount) >= m.MaxRead {
		return
	}
	for p := range m.N {
		if p == r || !m.isPrimary(s, p) {
			continue
		}
		x := m.newRead(s, p)
		switch {
		case m.bugs.has(OwnCommitIsIndex):
			x = s.indexed(r, s.View[p], s.CommitMax[r])
		case m.bugs.has(IndexWithoutRound):
			x = s.indexed(r, s.View[p], x.Index)
		default:
			x.Asker = uint8(r)
		}
		t := *s
		t.add(x)
		yield(Action{Kind: AskIndex, Replica: uint8(r), Number: uint8(p)}, t)
	}
}

// canConfirm is Reads!CanConfirm; i is the read's place in the state, from 0.
func (m *machine) canConfirm(s *State, r, i int) bool {
	x := &s.Reads[i]
	if x.Label != Waiting || int(x.At) == r || x.Confirmed&(1<<r) != 0 {
		return false
	}
	if m.bugs.has(NewestRoundOnly) && i+1 != int(s.ReadCount) {
		return false
	}
	return s.View[r] == x.View || m.bugs.has(ConfirmAnyView) ||
		m.bugs.has(ConfirmByLogView) && s.LogView[r] == x.View
}

// confirmView is Reads!ConfirmView: r is asked for a read whether it is in the view, and
// it is.
func (m *machine) confirmView(s *State, r int, yield func(Action, State)) {
	for i := range int(s.ReadCount) {
		if !m.canConfirm(s, r, i) {
			continue
		}
		t := *s
		t.Reads[i].Confirmed |= 1 << r
		yield(Action{Kind: ConfirmView, Replica: uint8(r), Number: uint8(i + 1)}, t)
	}
}

// confirmers is Reads!Confirmers: who counts as having confirmed the view to a read.
func (m *machine) confirmers(s *State, i int) uint8 {
	x := &s.Reads[i]
	set := x.Confirmed | 1<<x.At
	if m.bugs.has(RoundBeforeArrival) {
		for _, earlier := range s.Reads[:i] {
			if earlier.Label == Waiting && earlier.At == x.At {
				set |= earlier.Confirmed
			}
		}
	}
	if m.bugs.has(PrepareOKConfirms) {
		for r, op := range s.PrepareOKs[x.View] {
			if op > 0 {
				set |= 1 << r
			}
		}
	}
	return set
}

// confirmed is Reads!Confirmed: the round of a read is complete.
func (m *machine) confirmed(s *State, i int) bool {
	n := count(m.confirmers(s, i))
	if m.bugs.has(PrimaryCountsTwice) {
		n++
	}
	return n >= m.replication() || m.bugs.has(ReadWithoutRound) ||
		m.leased(s, int(s.Reads[i].At))
}

// canAnswer is Reads!CanAnswer.
func (m *machine) canAnswer(s *State, i int) bool {
	x := &s.Reads[i]
	if x.Label == Indexed {
		return s.CommitMin[x.At] >= x.Index || m.bugs.has(AnswerBeforeReached)
	}
	return x.Label == Waiting && m.confirmed(s, i) && x.Asker == x.At &&
		(s.CommitMin[x.At] >= x.Index || m.bugs.has(AnswerBeforeExecute))
}

// canAnswerIndex is Reads!CanAnswerIndex.
func (m *machine) canAnswerIndex(s *State, i int) bool {
	x := &s.Reads[i]
	return x.Label == Waiting && m.confirmed(s, i) && x.Asker != x.At &&
		s.CommitMin[x.At] >= x.Index
}

// answerIndex is Reads!AnswerIndex: the round is complete, and the primary tells the asker
// how far it has executed.
func (m *machine) answerIndex(s *State, yield func(Action, State)) {
	for i := range int(s.ReadCount) {
		if !m.canAnswerIndex(s, i) {
			continue
		}
		t := *s
		x := s.Reads[i]
		t.Reads[i] = Read{
			Label: Indexed, At: x.Asker, View: x.View, Index: s.CommitMin[x.At],
			Floor: x.Floor, Seen: x.Seen,
		}
		yield(Action{Kind: AnswerIndex, Number: uint8(i + 1)}, t)
	}
}

// answerRead is Reads!AnswerRead: the round is complete and the index executed.
func (m *machine) answerRead(s *State, yield func(Action, State)) {
	for i := range int(s.ReadCount) {
		if !m.canAnswer(s, i) {
			continue
		}
		t := *s
		x := s.Reads[i]
		t.Reads[i] = Read{
			Label: Linearizable, Floor: x.Floor, Seen: x.Seen, Shown: m.shown(s, int(x.At)),
		}
		yield(Action{Kind: AnswerRead, Number: uint8(i + 1)}, t)
	}
}

// readLocally is Reads!ReadLocally: any replica answers from what it has executed.
func (m *machine) readLocally(s *State, r int, yield func(Action, State)) {
	if !m.Local || int(s.ReadCount) >= m.MaxRead {
		return
	}
	x := Read{Label: Serializable, Shown: m.shown(s, r)}
	if m.bugs.has(LocalReadLabelledLinearizable) {
		x.Label, x.Floor, x.Seen = Linearizable, s.Acknowledged, s.seen()
	}
	t := *s
	t.add(x)
	yield(Action{Kind: ReadLocally, Replica: uint8(r)}, t)
}

// tick is Reads!Tick: r's clock goes on.
func (m *machine) tick(s *State, r int, yield func(Action, State)) {
	if int(s.Clock[r]) >= m.MaxTick {
		return
	}
	t := *s
	t.Clock[r]++
	yield(Action{Kind: Tick, Replica: uint8(r)}, t)
}
