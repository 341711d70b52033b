package logspace

import "github.com/viewstamp/viewstamp/model/explore"

// keeper is the group whose checkpoint must cover the removal of another.
const keeper = 1

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	bugs bugSet
}

// newMachine panics on a configuration that Validate refuses: that is the caller's bug.
func newMachine(c Config) *machine {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	m := &machine{Config: c}
	for _, b := range c.Bugs {
		m.bugs |= 1 << b
	}
	return m
}

// offered is how many requests group g is offered.
func (m *machine) offered(g uint8) int {
	if g == keeper {
		return m.MaxOp
	}
	return m.OtherOp
}

// Model returns the model of LogSpace.tla under c: who sees to it that the log has room again.
// With c.Bugs empty all invariants hold; each mutant breaks those that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "LogSpace",
		Init:      func() []State { return []State{{Files: Files{Count: 1}}} },
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// next yields the steps out of s: LogSpace!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	each := func(step func(s *State, g uint8, yield func(Action, State))) {
		for g := 1; g <= m.Groups; g++ {
			step(&s, uint8(g), yield)
		}
	}
	each(m.prepare)
	each(m.storeHeld)
	m.refuse(&s, yield)
	each(m.execute)
	each(m.tick)
	each(m.endCheckpoint)
	each(m.failCheckpoint)
	each(m.endWait)
	each(m.writeState)
}
