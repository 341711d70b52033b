package consumergroups

import "github.com/viewstamp/viewstamp/model/explore"

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	bugs bugSet
	// messages are ConsumerGroups!Messages: all that may commit.
	messages []Message
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
	kinds := []Kind{JoinKind, LeaveKind}
	if c.Logouts {
		kinds = append(kinds, LogoutKind)
	}
	for client := uint8(1); int(client) <= c.Clients; client++ {
		m.messages = append(m.messages, Message{Kind: RegisterKind, Client: client})
		for _, k := range kinds {
			for s := uint8(1); int(s) <= c.MaxOp; s++ {
				m.messages = append(m.messages, Message{Kind: k, Client: client, Number: s})
			}
		}
	}
	for n := uint8(1); int(n) <= c.MaxPartitions; n++ {
		m.messages = append(m.messages, Message{Kind: ChangeKind, Client: 1, Number: n})
	}
	return m
}

// Model returns the model of ConsumerGroups.tla under c: who reads which partition. With
// c.Bugs empty all invariants hold; each mutant breaks those that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "ConsumerGroups",
		Init:      m.initial,
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// next yields the steps out of s: ConsumerGroups!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	m.commitMessage(&s, yield)
	for r := range m.N {
		m.execute(&s, r, yield)
	}
	m.checkpointGroup(&s, yield)
	m.restartReplica(&s, yield)
}
