package logspace

// held is LogSpace!Held: records wait for room.
func (m *machine) held(s *State) bool {
	for _, x := range s.Group {
		if x.Stored < x.Head || x.Owes && !m.stateFits(s) {
			return true
		}
	}
	return false
}

// full is LogSpace!Full: group g takes no request.
func (m *machine) full(s *State, g uint8) bool {
	return m.held(s) || int(s.Group[g].Head) > int(s.Group[g].Base)+m.Half
}

// append is LogSpace!Appends: a record is appended, and the log looked at if that took another
// file, or at a state record.
func (m *machine) append(s *State, x Record) {
	files := s.Files.Count
	m.put(&s.Files, x)
	if x.IsState || s.Files.Count > files && !m.bugs.has(AsksAtFlushesOnly) {
		m.look(s)
	}
}

// refuses is LogSpace!Refuses: nothing could be appended, so the log is looked at, too.
func (m *machine) refuses(s *State) {
	if !m.bugs.has(AsksAtFlushesOnly) && !m.bugs.has(AsksAtFilesOnly) {
		m.look(s)
	}
}

// waited is LogSpace!Waited: a request of group g may have waited until now.
func (m *machine) waited(s *State, g uint8) bool {
	x := &s.Group[g]
	return int(x.Head) < int(x.Base)+m.Half+m.Queue &&
		(!m.held(s) || int(x.Head) < int(x.Stored)+m.Queue)
}

// prepare is LogSpace!Prepare: a request becomes the next op of its group.
func (m *machine) prepare(s *State, g uint8, yield func(Action, State)) {
	if s.Group[g].Gone || int(s.Group[g].Head) >= m.offered(g) ||
		m.full(s, g) && !m.waited(s, g) {
		return
	}
	next := *s
	x := &next.Group[g]
	x.Head++
	if !m.held(s) && m.opFits(s) {
		x.Stored++
		m.append(&next, Record{Group: g, Op: x.Head})
	} else {
		m.refuses(&next)
	}
	yield(Action{Prepare, g}, next)
}

// storeHeld is LogSpace!StoreHeld: an op that is held has found room.
func (m *machine) storeHeld(s *State, g uint8, yield func(Action, State)) {
	if s.Group[g].Stored >= s.Group[g].Head || !m.opFits(s) {
		return
	}
	next := *s
	next.Group[g].Stored++
	m.append(&next, Record{Group: g, Op: next.Group[g].Stored})
	yield(Action{StoreHeld, g}, next)
}

// refuse is LogSpace!Refuse: what is held is tried again, and refused.
func (m *machine) refuse(s *State, yield func(Action, State)) {
	refused := false
	for _, x := range s.Group {
		refused = refused || x.Stored < x.Head && !m.opFits(s) || x.Owes && !m.stateFits(s)
	}
	next := *s
	if refused {
		m.refuses(&next)
	}
	if next != *s {
		yield(Action{Kind: Refuse}, next)
	}
}

// due says whether a checkpoint of group g is due once op is executed.
func (m *machine) due(x *Standing, op uint8) bool {
	return x.Running == 0 && !x.Waits && int(op) >= int(x.Base)+m.Every
}

// execute is LogSpace!Execute: a group executes its next op, and begins a checkpoint if one is
// due.
func (m *machine) execute(s *State, g uint8, yield func(Action, State)) {
	if s.Group[g].Gone || s.Group[g].Commit >= s.Group[g].Stored {
		return
	}
	next := *s
	x := &next.Group[g]
	x.Commit++
	if m.due(x, x.Commit) {
		x.Running = x.Commit
	}
	x.Waits = x.Waits && !m.bugs.has(WaitCountsOps)
	if g == keeper && int(x.Commit) == m.Removal {
		removed := &next.Group[2]
		removed.Gone, removed.Running, removed.Waits, removed.Asked = true, 0, false, Asks{}
		m.look(&next)
	}
	yield(Action{Execute, g}, next)
}

// dueAtTick is LogSpace!DueAtTick.
func (m *machine) dueAtTick(x *Standing) bool {
	return m.due(x, x.Commit) && !m.bugs.has(DueOnlyWhenExecuted)
}

// repeats is LogSpace!Repeats: the state record is all that the log can have of the group.
func (m *machine) repeats(x *Standing) bool {
	return x.Asked.State && x.Commit == x.Base && !m.bugs.has(StateNotRepeated)
}

// tick is LogSpace!Tick: a host begins a checkpoint that is due, or does what the log asks for.
func (m *machine) tick(s *State, g uint8, yield func(Action, State)) {
	x := s.Group[g]
	if x.Gone || x.Running > 0 || !m.dueAtTick(&x) && x.Asked == (Asks{}) {
		return
	}
	if x.Commit > x.Base {
		x.Running = x.Commit
	}
	if !m.dueAtTick(&s.Group[g]) {
		x.Owes = x.Owes || m.repeats(&x)
		x.Asked = Asks{}
	}
	next := *s
	next.Group[g] = x
	yield(Action{Tick, g}, next)
}

// endCheckpoint is LogSpace!EndCheckpoint: the superblock names the checkpoint.
func (m *machine) endCheckpoint(s *State, g uint8, yield func(Action, State)) {
	if s.Group[g].Running == 0 {
		return
	}
	next := *s
	x := &next.Group[g]
	x.Base, x.Running, x.Owes = x.Running, 0, true
	if m.bugs.has(ReleasedBeforeStateRecord) {
		x.Released = x.Base
		m.look(&next)
	}
	yield(Action{EndCheckpoint, g}, next)
}

// failCheckpoint is LogSpace!FailCheckpoint: the disk had no room.
func (m *machine) failCheckpoint(s *State, g uint8, yield func(Action, State)) {
	if s.Group[g].Running == 0 || int(s.Fails) >= m.MaxFail {
		return
	}
	next := *s
	next.Fails++
	next.Group[g].Running, next.Group[g].Waits = 0, true
	yield(Action{FailCheckpoint, g}, next)
}

// endWait is LogSpace!EndWait: a checkpoint may be tried again.
func (m *machine) endWait(s *State, g uint8, yield func(Action, State)) {
	if !s.Group[g].Waits || m.bugs.has(WaitCountsOps) {
		return
	}
	next := *s
	next.Group[g].Waits = false
	yield(Action{EndWait, g}, next)
}

// writeState is LogSpace!WriteState: a state record is appended, where no op may go, too.
func (m *machine) writeState(s *State, g uint8, yield func(Action, State)) {
	if !s.Group[g].Owes || !m.stateFits(s) {
		return
	}
	next := *s
	x := &next.Group[g]
	x.Owes, x.Released = false, x.Base
	m.append(&next, stateOf(g))
	yield(Action{WriteState, g}, next)
}
