package explore

import (
	"errors"
	"fmt"
)

// label is the action of all test models: a name and up to two numbers.
type label struct {
	name string
	args int // How many of a and b count.
	a, b int
}

func (l label) Name() string { return l.name }

func (l label) String() string {
	switch l.args {
	case 0:
		return l.name
	case 1:
		return fmt.Sprintf("%s(%d)", l.name, l.a)
	}
	return fmt.Sprintf("%s(%d,%d)", l.name, l.a, l.b)
}

// jugsState is the water in a jug of 3 and a jug of 5.
type jugsState struct{ small, big int }

// jugs is the puzzle of measuring 4 with jugs of 3 and 5: TLC's DieHard, 16
// distinct states, 97 generated.
func jugs() Model[jugsState, label] {
	return Model[jugsState, label]{
		Name: "jugs",
		Init: func() []jugsState { return []jugsState{{}} },
		Next: func(s jugsState, yield func(label, jugsState)) {
			yield(label{name: "FillSmall"}, jugsState{3, s.big})
			yield(label{name: "FillBig"}, jugsState{s.small, 5})
			yield(label{name: "EmptySmall"}, jugsState{0, s.big})
			yield(label{name: "EmptyBig"}, jugsState{s.small, 0})
			pour := min(s.small, 5-s.big)
			yield(label{name: "SmallToBig"}, jugsState{s.small - pour, s.big + pour})
			pour = min(s.big, 3-s.small)
			yield(label{name: "BigToSmall"}, jugsState{s.small + pour, s.big - pour})
		},
		Key: func(dst []byte, s jugsState) []byte { return append(dst, byte(s.small), byte(s.big)) },
		Canonical: func(dst []byte, s jugsState) []byte {
			return fmt.Appendf(dst, `["big":%d,"small":%d]`, s.big, s.small)
		},
		Format: func(s jugsState) []string {
			return []string{fmt.Sprintf("small = %d", s.small), fmt.Sprintf("big = %d", s.big)}
		},
	}
}

// never is the invariant that a jug of 5 never holds 4.
func neverFour() Property[jugsState] {
	return Property[jugsState]{Name: "NeverFour", Check: func(s jugsState) error {
		if s.big == 4 {
			return errors.New("the big jug holds 4")
		}
		return nil
	}}
}

// twoPhaseState is one of two-phase commit with up to 8 resource managers.
type twoPhaseState struct {
	rm       [8]uint8 // 0 working, 1 prepared, 2 committed, 3 aborted.
	tm       uint8    // 0 waiting, 1 committed, 2 aborted.
	prepared uint16   // What the transaction manager knows.
	messages uint16   // One bit per prepared message, then commit and abort.
}

const (
	messageCommit = 1 << 14
	messageAbort  = 1 << 15
)

// twoPhase is TwoPhase.tla of the TLA+ examples with n resource managers. With
// hasty, the transaction manager commits when all but one have prepared.
func twoPhase(n int, hasty bool) Model[twoPhaseState, label] {
	return Model[twoPhaseState, label]{
		Name: fmt.Sprintf("two_phase_%d", n),
		Init: func() []twoPhaseState { return []twoPhaseState{{}} },
		Next: func(s twoPhaseState, yield func(label, twoPhaseState)) {
			nextTransaction(s, n, hasty, yield)
			for i := range n {
				nextResource(s, i, yield)
			}
		},
		Key: func(dst []byte, s twoPhaseState) []byte {
			dst = append(dst, s.rm[:n]...)
			return append(dst, s.tm, byte(s.prepared), byte(s.prepared>>8),
				byte(s.messages), byte(s.messages>>8))
		},
		Canonical: func(dst []byte, s twoPhaseState) []byte {
			return fmt.Appendf(dst, "%v %v %x %x", s.rm[:n], s.tm, s.prepared, s.messages)
		},
		Always: []Property[twoPhaseState]{{Name: "Consistent", Check: consistent}},
		Sometimes: []Goal[twoPhaseState]{
			{Name: "all committed", Reached: func(s twoPhaseState) bool {
				return allAre(s.rm[:n], 2)
			}},
			{Name: "all aborted", Reached: func(s twoPhaseState) bool {
				return allAre(s.rm[:n], 3)
			}},
		},
	}
}

func nextTransaction(s twoPhaseState, n int, hasty bool, yield func(label, twoPhaseState)) {
	if s.tm != 0 {
		return
	}
	missing := 0
	for i := range n {
		missing += 1 - int(s.prepared>>i&1)
	}
	if missing == 0 || hasty && missing == 1 {
		t := s
		t.tm, t.messages = 1, s.messages|messageCommit
		yield(label{name: "ManagerCommit"}, t)
	}
	t := s
	t.tm, t.messages = 2, s.messages|messageAbort
	yield(label{name: "ManagerAbort"}, t)
	for i := range n {
		if s.messages>>i&1 == 1 {
			t := s
			t.prepared |= 1 << i
			yield(label{name: "ManagerReceive", args: 1, a: i}, t)
		}
	}
}

func nextResource(s twoPhaseState, i int, yield func(label, twoPhaseState)) {
	move := func(name string, to uint8) {
		t := s
		t.rm[i] = to
		if to == 1 {
			t.messages |= 1 << i
		}
		yield(label{name: name, args: 1, a: i}, t)
	}
	if s.rm[i] == 0 {
		move("Prepare", 1)
		move("ChooseAbort", 3)
	}
	if s.messages&messageCommit != 0 {
		move("ReceiveCommit", 2)
	}
	if s.messages&messageAbort != 0 {
		move("ReceiveAbort", 3)
	}
}

func consistent(s twoPhaseState) error {
	committed, aborted := -1, -1
	for i, r := range s.rm {
		switch r {
		case 2:
			committed = i
		case 3:
			aborted = i
		}
	}
	if committed >= 0 && aborted >= 0 {
		return fmt.Errorf("manager %d committed, manager %d aborted", committed, aborted)
	}
	return nil
}

func allAre(rm []uint8, want uint8) bool {
	for _, r := range rm {
		if r != want {
			return false
		}
	}
	return true
}

// diningState is what each of up to 8 philosophers holds: 0 nothing, 1 the left
// fork, 2 both.
type diningState [8]uint8

// dining lets n philosophers take their left fork, then their right one, then put
// both back. Its invariant says that somebody can always move.
func dining(n int) Model[diningState, label] {
	next := func(s diningState, yield func(label, diningState)) {
		for i := range n {
			left, right := (i+n-1)%n, (i+1)%n
			t := s
			switch {
			case s[i] == 0 && s[left] != 2: // The left neighbour's right fork is ours.
				t[i] = 1
				yield(label{name: "TakeLeft", args: 1, a: i}, t)
			case s[i] == 1 && s[right] == 0:
				t[i] = 2
				yield(label{name: "TakeRight", args: 1, a: i}, t)
			case s[i] == 2:
				t[i] = 0
				yield(label{name: "PutBack", args: 1, a: i}, t)
			}
		}
	}
	return Model[diningState, label]{
		Name: fmt.Sprintf("dining_%d", n),
		Init: func() []diningState { return []diningState{{}} },
		Next: next,
		Key:  func(dst []byte, s diningState) []byte { return append(dst, s[:n]...) },
		Always: []Property[diningState]{{Name: "NoDeadlock", Check: func(s diningState) error {
			moves := 0
			next(s, func(label, diningState) { moves++ })
			if moves == 0 {
				return errors.New("nobody can move")
			}
			return nil
		}}},
	}
}
