package logspace

// fits is LogSpace!Fits: a record finds room, if so many files may be taken.
func (m *machine) fits(f *Files, limit int) bool {
	return f.last().count() < m.Room || int(f.Count) < limit
}

// put is LogSpace!Put: a record goes to the end of the log.
func (m *machine) put(f *Files, x Record) {
	if f.last().count() >= m.Room {
		f.Count++
	}
	last := f.last()
	last[last.count()] = x
}

// opFits is LogSpace!OpFits: there is room for an op, outside of what is kept back for state
// records.
func (m *machine) opFits(s *State) bool {
	return m.fits(&s.Files, m.Files) &&
		(int(s.Files.Count) <= m.Files || m.bugs.has(OpsInReserve))
}

// stateFits is LogSpace!StateFits: there is room for a state record.
func (m *machine) stateFits(s *State) bool {
	limit := m.Files + 1
	switch {
	case m.bugs.has(NoReserveForState):
		limit = m.Files
	case s.Moved:
		limit++
	}
	return m.fits(&s.Files, limit)
}

// covered says that a checkpoint of the keeper covers the removal.
func (m *machine) covered(s *State) bool { return int(s.Group[keeper].Released) >= m.Removal }

// departed is LogSpace!Departed: no boot asks for the group.
func (m *machine) departed(s *State, g uint8) bool {
	return s.Group[g].Gone && (m.covered(s) || m.bugs.has(GoneTooEarly)) &&
		!m.bugs.has(GoneGroupKept)
}

// uncovered is LogSpace!Uncovered: record x of the oldest file is an op that neither a
// checkpoint covers nor a copy behind.
func (m *machine) uncovered(s *State, x Record) bool {
	g := &s.Group[x.Group]
	return !x.IsState && !m.departed(s, x.Group) && !s.Files.has(1, x) &&
		(g.Gone || x.Op > g.Released)
}

// needs is LogSpace!Needs: what group g must do for the oldest file to go.
func (m *machine) needs(s *State, g uint8) (needs Asks) {
	for _, x := range s.Files.Each[0] {
		if x.Group == g {
			needs.Checkpoint = needs.Checkpoint || m.uncovered(s, x)
			needs.State = !m.departed(s, g) && !s.Files.has(1, stateOf(g))
		}
	}
	return needs
}

// goes is LogSpace!Goes: nothing keeps the oldest file.
func (m *machine) goes(s *State) bool {
	for g := uint8(1); int(g) <= m.Groups; g++ {
		needs := m.needs(s, g)
		if needs.Checkpoint || needs.State && !m.bugs.has(ReleasedBeforeStateRecord) {
			return false
		}
	}
	return s.Files.Count > 1
}

// drop lets the oldest file go.
func (f *Files) drop() {
	copy(f.Each[:], f.Each[1:f.Count])
	f.Count--
	f.Each[f.Count] = File{}
}

// tight is LogSpace!Tight: soon not even a state record will find room.
func (m *machine) tight(f *Files) bool {
	return int(f.Count) > m.Files && 2*f.last().count() > m.Room
}

// move is LogSpace!Move: what keeps the oldest file is written again at the head.
func (m *machine) move(s *State) {
	for _, x := range s.Files.Each[0] {
		if x.Group > 0 && m.uncovered(s, x) && m.fits(&s.Files, m.Files+moveFiles) {
			m.put(&s.Files, x)
		}
	}
}

// look is LogSpace!Looked: the oldest files go, or what keeps the oldest is moved, and the
// groups that keep it then are asked.
func (m *machine) look(s *State) {
	for {
		switch {
		case m.goes(s):
			s.Files.drop()
			s.Moved = false
			continue
		case m.tight(&s.Files) && !s.Moved && !m.bugs.has(NothingMoved):
			m.move(s)
			s.Moved = true
			continue
		}
		break
	}
	m.ask(s)
}

// ask is LogSpace!AsksOf, of all groups.
func (m *machine) ask(s *State) {
	for g := range s.Group {
		s.Group[g].Asked = Asks{}
	}
	if s.Files.Count < 2 || 2*int(s.Files.Count) <= m.Files {
		return
	}
	for g := uint8(1); int(g) <= m.Groups; g++ {
		needs, asked := m.needs(s, g), &s.Group[g].Asked
		switch {
		case !s.Group[g].Gone:
			*asked = needs
		case needs != Asks{} && !m.bugs.has(GoneAsksNobody):
			s.Group[keeper].Asked.Checkpoint = true
		}
	}
}
