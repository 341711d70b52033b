package retention

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	bugs bugSet
	// ops are Retention!Ops: all that may commit.
	ops []Op
}

// newMachine panics on a configuration that Validate refuses: that is the caller's bug.
func newMachine(c Config) *machine {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	m := &machine{Config: c, ops: []Op{{Kind: Send}}}
	for _, b := range c.Bugs {
		m.bugs |= 1 << b
	}
	for k := Retain; k <= Advance; k++ {
		if slices.Contains(c.Kinds, k) {
			m.ops = append(m.ops, m.opsOf(k)...)
		}
	}
	return m
}

// opsOf are the ops of a kind, with all their arguments.
func (m *machine) opsOf(k Kind) (ops []Op) {
	first, last, consumers := 0, 0, 0
	switch k {
	case Send, Retain:
	case Truncate:
		first, last = 1, m.MaxOp
	case Purge:
		first, last = 1, m.MaxPurge
	case Store, Advance:
		last, consumers = m.MaxOp, m.Consumers
		if consumers == 0 {
			return nil
		}
	}
	for c := min(consumers, 1); c <= consumers; c++ {
		for n := first; n <= last; n++ {
			ops = append(ops, Op{Kind: k, Consumer: uint8(c), Number: uint8(n)})
		}
	}
	return ops
}

// Model returns the model of Retention.tla under c: what a partition makes of its log.
// With c.Bugs empty all invariants hold; each mutant breaks those that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "Retention",
		Init:      func() []State { return []State{{}} },
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// next yields the steps out of s: Retention!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	m.commitOp(&s, yield)
	for r := range m.N {
		m.execute(&s, r, yield)
		m.answerPoll(&s, r, yield)
	}
	m.materialise(&s, yield)
	m.takeSnapshot(&s, yield)
	m.pairCheckpoint(&s, yield)
	m.restartReplica(&s, yield)
}
