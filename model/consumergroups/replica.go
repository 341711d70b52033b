package consumergroups

import "slices"

// registered is ConsumerGroups!Registered: the op is a Register of the client.
func (s *State) registered(client, op uint8) bool {
	return 1 <= op && op <= s.LogLength &&
		s.Log[op-1].Kind == RegisterKind && s.Log[op-1].Client == client
}

// commitMessage is ConsumerGroups!CommitMessage: a message gets the next op.
func (m *machine) commitMessage(s *State, yield func(Action, State)) {
	if int(s.LogLength) >= m.MaxOp {
		return
	}
	for _, x := range m.messages {
		named := x.Kind == JoinKind || x.Kind == LeaveKind || x.Kind == LogoutKind
		if named && !s.registered(x.Client, x.Number) {
			continue
		}
		t := *s
		t.Log[t.LogLength] = x
		t.LogLength++
		yield(Action{Kind: CommitMessage, Message: x}, t)
	}
}

// execute is ConsumerGroups!Execute: r executes its next op.
func (m *machine) execute(s *State, r int, yield func(Action, State)) {
	if s.CommitMin[r] >= s.LogLength {
		return
	}
	op := s.CommitMin[r] + 1
	t := *s
	t.CommitMin[r] = op
	before, g := &s.Group[r], &t.Group[r]
	m.after(&t.Table[r], g, op, s.Log[op-1])
	for c := range uint8(m.Clients) {
		if before.place(c+1) >= 0 && g.place(c+1) < 0 {
			t.Ended |= 1 << (4*(op-1) + c + 1)
		}
	}
	if g.Count > before.Count {
		t.IDs |= 1 << (8*(op-1) + g.Last)
	}
	t.deal(m.shares(g, op))
	yield(Action{Kind: Execute, Replica: uint8(r)}, t)
}

// checkpointGroup is ConsumerGroups!CheckpointGroup: replica 0 makes table and group durable.
func (m *machine) checkpointGroup(s *State, yield func(Action, State)) {
	if int(s.Restarts) >= m.MaxRestart || s.CommitMin[0] <= s.Checkpoint.Op {
		return
	}
	t := *s
	t.Checkpoint = Checkpoint{Op: s.CommitMin[0], Table: s.Table[0], Group: s.Group[0]}
	yield(Action{Kind: CheckpointGroup}, t)
}

// restartReplica is ConsumerGroups!RestartReplica: replica 0 comes back from its checkpoint.
func (m *machine) restartReplica(s *State, yield func(Action, State)) {
	if int(s.Restarts) >= m.MaxRestart || s.CommitMin[0] == 0 {
		return
	}
	t := *s
	t.Restarts++
	t.CommitMin[0], t.Table[0], t.Group[0] = s.Checkpoint.Op, s.Checkpoint.Table, s.Checkpoint.Group
	g := &t.Group[0]
	g.Known = 0
	for _, x := range g.Members[:g.Count] {
		if !m.bugs.has(MembersUnknownAtBoot) {
			g.Known |= 1 << (x.Client - 1)
		}
	}
	if m.bugs.has(GenerationNotInCheckpoint) {
		g.Generation = 0
	}
	if m.bugs.has(OrderNotInCheckpoint) {
		slices.SortFunc(g.Members[:g.Count], func(a, b Member) int {
			return int(a.Client) - int(b.Client)
		})
	}
	yield(Action{Kind: RestartReplica}, t)
}
