package reads

import "github.com/viewstamp/viewstamp/model/explore"

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

// Model returns the model of Reads.tla under c: reads that do not go through the log.
// With c.Bugs empty all invariants hold; each mutant breaks the one that its comment
// names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "Reads",
		Init:      m.initial,
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// next yields the steps out of s: Reads!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	for r := range m.N {
		m.clientRequest(&s, r, yield)
		m.receivePrepare(&s, r, yield)
		m.primaryCommit(&s, r, yield)
		m.receiveCommit(&s, r, yield)
		m.walkExecute(&s, r, yield)
		m.sendDoViewChange(&s, r, yield)
		m.becomePrimary(&s, r, yield)
		m.receiveStartView(&s, r, yield)
		m.receiveRead(&s, r, yield)
		m.askIndex(&s, r, yield)
		m.confirmView(&s, r, yield)
		m.readLocally(&s, r, yield)
		m.tick(&s, r, yield)
	}
	m.answerIndex(&s, yield)
	m.answerRead(&s, yield)
}
