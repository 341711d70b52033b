package sessions

import "github.com/viewstamp/viewstamp/model/explore"

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	bug bugSwitches
	catalogue
}

// newMachine panics on a configuration that Validate refuses: that is the caller's bug.
func newMachine(c Config) *machine {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &machine{Config: c, bug: switches(c.Bugs), catalogue: newCatalogue(c.messages())}
}

// Model returns the model of Sessions.tla under c: the client table as a function of
// the committed log, and what clients may conclude from its answers. With c.Bugs empty
// all invariants hold; each mutant breaks the one that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "Sessions",
		Init:      m.initial,
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// next yields the steps out of s: Sessions!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	m.commitMessage(&s, yield)
	m.execute(&s, yield)
	m.checkpointTable(&s, yield)
	m.restartReplica(&s, yield)
	m.installTable(&s, yield)
	m.proposeCapacity(&s, yield)
	for c := range uint8(m.Clients) {
		m.register(&s, c, yield)
		m.takeSession(&s, c, yield)
		m.learnTaken(&s, c, yield)
		m.intruderRegister(&s, c, yield)
		m.sendRequest(&s, c, yield)
		m.foreignRequest(&s, c, yield)
		m.takeAnswer(&s, c, yield)
		m.learnOver(&s, c, yield)
		m.logout(&s, c, yield)
	}
}
