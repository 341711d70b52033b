package retention

// chunks appends Retention!Chunks: segments from an offset to another, all but the last of
// them full.
func (m *machine) chunks(s *State, from, to uint8) {
	for ; from < to; from += uint8(m.Segment) {
		s.Files[s.FileCount] = File{First: from, Next: min(from+uint8(m.Segment), to)}
		s.FileCount++
	}
}

// write is Retention!Materialised: the files get all messages of replica 0.
func (m *machine) write(s *State) {
	p := &s.Machine[0]
	if s.FileCount == 0 || p.Start >= s.Filed && !m.bugs.has(StartInsideSegment) {
		m.chunks(s, max(p.Start, s.Filed), p.Next)
	} else {
		s.FileCount--
		last := s.Files[s.FileCount]
		s.Files[s.FileCount] = File{}
		m.chunks(s, last.First, p.Next)
	}
	s.Filed = p.Next
}

// trim is Retention!Above: the files below an offset go.
func (s *State) trim(offset uint8) {
	n := uint8(0)
	for _, f := range s.Files[:s.FileCount] {
		if f.Next > offset {
			s.Files[n] = f
			n++
		}
	}
	clear(s.Files[n:])
	s.FileCount = n
}

// materialise is Retention!Materialise: what is in memory goes into files.
func (m *machine) materialise(s *State, yield func(Action, State)) {
	if s.Filed >= s.Machine[0].Next {
		return
	}
	t := *s
	m.write(&t)
	yield(Action{Kind: Materialise}, t)
}

// takeSnapshot is Retention!TakeSnapshot: replica 0 takes a snapshot that names its files.
func (m *machine) takeSnapshot(s *State, yield func(Action, State)) {
	if int(s.Restarts) >= m.MaxRestart || s.Pending != (Checkpoint{}) ||
		s.CommitMin[0] <= s.Checkpoint.Op {
		return
	}
	t := *s
	p := &t.Machine[0]
	if t.Filed < p.Next {
		m.write(&t)
	}
	t.Filed = p.Next
	t.Pending = Checkpoint{Op: t.CommitMin[0], Machine: *p, Filed: p.Next}
	if m.bugs.has(TrimBeforePairing) {
		t.trim(p.Start)
	}
	yield(Action{Kind: TakeSnapshot}, t)
}

// pairCheckpoint is Retention!PairCheckpoint: the snapshot is the checkpoint, and the files
// below its start go.
func (m *machine) pairCheckpoint(s *State, yield func(Action, State)) {
	if s.Pending == (Checkpoint{}) {
		return
	}
	t := *s
	t.Checkpoint, t.Pending = s.Pending, Checkpoint{}
	t.trim(t.Checkpoint.Machine.Start)
	yield(Action{Kind: PairCheckpoint}, t)
}

// restartReplica is Retention!RestartReplica: replica 0 comes back from its checkpoint.
func (m *machine) restartReplica(s *State, yield func(Action, State)) {
	if int(s.Restarts) >= m.MaxRestart || s.CommitMin[0] == 0 {
		return
	}
	t := *s
	t.Restarts++
	c := &t.Checkpoint
	t.CommitMin[0], t.Machine[0], t.Filed, t.Pending = c.Op, c.Machine, c.Filed, Checkpoint{}
	if m.bugs.has(GenerationNotInCheckpoint) {
		t.Machine[0].Generation = 0
	}
	if m.bugs.has(StoredNotInCheckpoint) {
		clear(t.Machine[0].Stored[:])
	}
	n := uint8(0)
	for _, f := range t.Files[:t.FileCount] {
		if f.First < c.Filed {
			t.Files[n] = File{First: f.First, Next: min(f.Next, c.Filed)}
			n++
		}
	}
	clear(t.Files[n:])
	t.FileCount = n
	yield(Action{Kind: RestartReplica}, t)
}
