package retention

// executeOn is Retention!ExecuteOn: what replica r makes of an op.
func (m *machine) executeOn(s *State, r int, op uint8) Machine {
	p := s.Machine[r]
	switch x := s.Log[op-1]; x.Kind {
	case Send:
		m.executeSend(&p, op)
	case Retain:
		m.executeRetain(s, &p, r, op)
	case Truncate:
		m.executeTruncate(&p, x.Number)
	case Purge:
		m.executePurge(&p, x.Number)
	case Store, Advance:
		m.executeStore(&p, x)
	}
	return p
}

// executeSend is Retention!ExecuteSend: a message goes into the last segment if that is not
// full.
func (m *machine) executeSend(p *Machine, op uint8) {
	if p.Count == 0 || int(p.Segments[p.Count-1].Next-p.Segments[p.Count-1].First) >= m.Segment {
		p.Segments[p.Count].First = p.Next
		p.Count++
	}
	p.Next++
	last := &p.Segments[p.Count-1]
	last.Next, last.Stamp = p.Next, op
}

// oldest is Retention!Oldest: how many of the oldest segments go, of those of which goes is
// true, with so many kept at the end.
func (p *Machine) oldest(last uint8, goes func(x Segment) bool) uint8 {
	k := uint8(0)
	for k+last < p.Count && goes(p.Segments[k]) {
		k++
	}
	return k
}

// executeRetain is Retention!ExecuteRetain: retention drops by age, at the time of the op, and
// by size.
func (m *machine) executeRetain(s *State, p *Machine, r int, op uint8) {
	now, last := int(op), uint8(1)
	if m.bugs.has(AgeByOwnClock) {
		now += r
	}
	if m.bugs.has(RetainDropsLast) {
		last = 0
	}
	p.drop(p.oldest(last, func(x Segment) bool {
		old := m.Age > 0 && now-int(x.Stamp) >= m.Age
		much := m.Size > 0 && int(p.Next-x.First) > m.Size
		read := !m.Hold || m.bugs.has(HoldIgnored) || x.Next <= p.unread()
		filed := !m.bugs.has(RetainsByFiles) || r > 0 || x.Next <= s.Filed
		return (old || much) && read && filed
	}))
}

// unread is Retention!Unread: the first offset that some consumer has not read.
func (p *Machine) unread() uint8 {
	least := p.Next
	for _, next := range p.Stored {
		if next > 0 {
			least = min(least, next)
		}
	}
	return least
}

// executeTruncate is Retention!ExecuteTruncate: the segments that end at or below an offset
// go.
func (m *machine) executeTruncate(p *Machine, offset uint8) {
	if m.bugs.has(TruncateDropsOldest) {
		if p.Count > 1 && offset > 0 {
			p.drop(1)
		}
		return
	}
	p.drop(p.oldest(1, func(x Segment) bool { return x.Next <= offset }))
}

// executePurge is Retention!ExecutePurge: all goes, once in a generation.
func (m *machine) executePurge(p *Machine, generation uint8) {
	if generation <= p.Generation && !m.bugs.has(PurgeEachTime) {
		return
	}
	if m.bugs.has(PurgeRestartsOffsets) {
		p.Next = 0
	}
	if m.bugs.has(PurgeForgetsStored) {
		clear(p.Stored[:])
	}
	p.Start, p.Generation, p.Count = p.Next, generation, 0
	clear(p.Segments[:])
}

// executeStore is Retention!ExecuteStore: a consumer stores the offset of a message that was
// there.
func (m *machine) executeStore(p *Machine, x Op) {
	if x.Number >= p.Next && !m.bugs.has(StoreUnchecked) {
		return
	}
	next := x.Number + 1
	if x.Kind == Advance && !m.bugs.has(AdvanceLowers) {
		next = max(next, p.Stored[x.Consumer-1])
	}
	p.Stored[x.Consumer-1] = next
}

// poll is Retention!Poll: what a poll of replica r from an offset returns, as bits.
func (m *machine) poll(s *State, r int, from uint8) (offsets uint16) {
	p := &s.Machine[r]
	at := max(from, p.Start)
	if m.bugs.has(PollBelowStart) && r == 0 && s.inFiles(from) {
		at = from
	}
	if m.bugs.has(PollWaitsBelowStart) && from < p.Start {
		return 0
	}
	for o := at; o < p.Next; o++ {
		if s.inMemory(r, o) || r == 0 && s.inFiles(o) {
			offsets |= 1 << o
		}
	}
	return offsets
}

// commitOp is Retention!CommitOp: an op commits.
func (m *machine) commitOp(s *State, yield func(Action, State)) {
	if int(s.LogLength) >= m.MaxOp {
		return
	}
	sent := s.sends(s.LogLength)
	for _, x := range m.ops {
		named := x.Kind == Truncate || x.Kind == Store || x.Kind == Advance
		if named && x.Number > sent {
			continue
		}
		t := *s
		t.Log[t.LogLength] = x
		t.LogLength++
		yield(Action{Kind: CommitOp, Op: x}, t)
	}
}

// execute is Retention!Execute: r executes its next op.
func (m *machine) execute(s *State, r int, yield func(Action, State)) {
	if s.CommitMin[r] >= s.LogLength {
		return
	}
	op := s.CommitMin[r] + 1
	before := &s.Machine[r]
	t := *s
	t.CommitMin[r] = op
	t.Machine[r] = m.executeOn(s, r, op)
	if s.Log[op-1].Kind == Send {
		t.Given |= bit(op, before.Next)
	}
	for o := before.Start; o < t.Machine[r].Start; o++ {
		unread := 0
		for _, next := range before.Stored {
			if 1 <= next && next <= o {
				unread = 1
			}
		}
		t.Dropped[unread] |= bit(op, o)
	}
	yield(Action{Kind: Execute, Replica: uint8(r)}, t)
}

// answerPoll is Retention!AnswerPoll: r answers a poll, of what it has executed.
func (m *machine) answerPoll(s *State, r int, yield func(Action, State)) {
	if !m.Polls || s.Polled.Op > 0 || s.CommitMin[r] == 0 {
		return
	}
	for from := range uint8(m.MaxOp + 1) {
		t := *s
		t.Polled = Polled{Op: s.CommitMin[r], From: from, Got: m.poll(s, r, from)}
		yield(Action{Kind: AnswerPoll, Replica: uint8(r), From: from}, t)
	}
}
