package transfer

import "github.com/viewstamp/viewstamp/model/explore"

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	bug     bugSwitches
	quorums []ReplicaSet
	catalogue
}

// newMachine panics on a configuration that Validate refuses: that is the caller's bug.
func newMachine(c Config) *machine {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &machine{
		Config: c, bug: switches(c.Bugs), quorums: quorumsOf(c.N, c.viewChangeQuorum()),
		catalogue: newCatalogue(c.MaxRequest, c.MaxView),
	}
}

// Model returns the model of Transfer.tla under c: rejoin, repair, release below
// checkpoints and state transfer. With c.Bugs empty all invariants hold; each mutant
// breaks the one that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "Transfer",
		Init:      m.initial,
		Next:      func(s State, yield func(Action, State)) { m.steps(&s, yield) },
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// steps yields the steps out of s: Transfer!Next.
func (m *machine) steps(s *State, yield func(Action, State)) {
	for kind := ClientRequest; kind <= Restart; kind++ {
		actionKinds[kind].step(m, s, yield)
	}
}

// canStep reports whether some fair step can be taken: ENABLED Transfer!FairStep.
func (m *machine) canStep(s *State) bool {
	found := false
	for kind := ClientRequest; kind <= Restart && !found; kind++ {
		if kind.Fair() {
			actionKinds[kind].step(m, s, func(Action, State) { found = true })
		}
	}
	return found
}
