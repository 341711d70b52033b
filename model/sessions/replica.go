package sessions

// commitMessage is Sessions!CommitMessage: any message that was ever sent gets the
// next op.
func (m *machine) commitMessage(s *State, yield func(Action, State)) {
	if int(s.LogLength) == m.MaxOp {
		return
	}
	sent := s.Sent
	for id, ok := sent.pop(); ok; id, ok = sent.pop() {
		t := *s
		t.Log[t.LogLength] = id
		t.LogLength++
		yield(Action{Kind: CommitMessage, Message: m.all[id]}, t)
	}
}

// execute is Sessions!Execute: a replica executes its next op (R5, R18).
func (m *machine) execute(s *State, yield func(Action, State)) {
	for r := range m.N {
		if s.CommitMin[r] == s.LogLength {
			continue
		}
		op := s.CommitMin[r] + 1
		msg := &m.all[s.Log[op-1]]
		victims := m.victimsFor(&s.Table[r], msg)
		for victims != 0 {
			victim := victims.pop()
			t := *s
			t.CommitMin[r] = op
			done := m.executeOn(&t.Table[r], op, msg, victim)
			if done.executed {
				t.Executed |= 1 << op
			}
			t.Ended[op-1] |= done.ended
			yield(Action{Kind: Execute, Replica: uint8(r), Number: uint8(victim)}, t)
		}
	}
}

// checkpointTable is Sessions!CheckpointTable: replica 0 makes its table durable (R17).
func (m *machine) checkpointTable(s *State, yield func(Action, State)) {
	if int(s.Restarts) == m.MaxRestart || s.CommitMin[0] <= s.CheckpointOp {
		return
	}
	t := *s
	t.CheckpointOp, t.CheckpointTable = s.CommitMin[0], s.Table[0]
	yield(Action{Kind: CheckpointTable}, t)
}

// restartReplica is Sessions!RestartReplica: replica 0 comes back from its checkpoint.
func (m *machine) restartReplica(s *State, yield func(Action, State)) {
	if int(s.Restarts) == m.MaxRestart || s.CommitMin[0] == 0 {
		return
	}
	t := *s
	t.Restarts++
	t.CommitMin[0] = s.CheckpointOp
	t.Table[0] = m.restored(s.CheckpointTable)
	yield(Action{Kind: RestartReplica}, t)
}

// restored is Sessions!Restored: the table as a restart finds it, all of it.
func (m *machine) restored(t Table) Table {
	switch {
	case m.bug.tableNotInCheckpoint:
		return Table{Slots: m.slots(0)}
	case m.bug.dedupOnlyInMemory:
		for i := range t.Rows {
			t.Rows[i].Watermark, t.Rows[i].BoundWatermark = 0, 0
			t.Rows[i].keepLast(0)
		}
	case m.bug.snapshotLosesRing:
		for i := range t.Rows {
			t.Rows[i].keepLast(1)
		}
	case m.bug.snapshotLosesSlots:
		return t.packed()
	case m.bug.capacityNotInCheckpoint:
		t.Slots = m.slots(0)
		clear(t.Rows[t.Slots:])
	}
	return t
}

// installTable is Sessions!InstallTable: a replica that lags installs the checkpoint of
// replica 0, whole (R21).
func (m *machine) installTable(s *State, yield func(Action, State)) {
	for r := 1; r < m.N && m.Transfers; r++ {
		if s.CommitMin[r] >= s.CheckpointOp {
			continue
		}
		t := *s
		t.CommitMin[r], t.Table[r] = s.CheckpointOp, s.CheckpointTable
		if m.bug.transferPacksSlots {
			t.Table[r] = s.CheckpointTable.packed()
		}
		yield(Action{Kind: InstallTable, Replica: uint8(r)}, t)
	}
}

// proposeCapacity is Sessions!ProposeCapacity: an operator asks for so many slots.
func (m *machine) proposeCapacity(s *State, yield func(Action, State)) {
	for n := 1; n <= m.MaxCapacity; n++ {
		id := m.id(Message{Kind: ResizeKind, Capacity: uint8(n)})
		if s.Sent.has(id) {
			continue
		}
		t := *s
		t.Sent.add(id)
		yield(Action{Kind: ProposeCapacity, Number: uint8(n)}, t)
	}
}
