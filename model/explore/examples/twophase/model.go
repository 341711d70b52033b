package twophase

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
)

// ParticipantsMax is the most participants that a model can have.
const ParticipantsMax = 8

// Phase is how far a participant is. The zero Phase is none.
type Phase uint8

// The phases of a participant.
const (
	Working Phase = iota + 1
	Prepared
	Committed
	Aborted
)

// String is the phase in lower case.
func (p Phase) String() string {
	switch p {
	case Working:
		return "working"
	case Prepared:
		return "prepared"
	case Committed:
		return "committed"
	case Aborted:
		return "aborted"
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// State is a state of the whole system: an array and two numbers, so that a copy of it
// shares nothing.
type State struct {
	participants [ParticipantsMax]Phase
	// announced are the participants that said that they prepared, heard those of which
	// the coordinator knows: bit i stands for participant i.
	announced, heard uint8
	// decision is what the coordinator announced: Working stands for nothing yet.
	decision Phase
}

// Action is a step: what happens, and to which participant; -1 for the coordinator alone.
type Action struct {
	name        string
	participant int
}

// Name is the action's name without its participant.
func (a Action) Name() string { return a.name }

// String is the action with its participant: "Prepare(1)".
func (a Action) String() string {
	if a.participant < 0 {
		return a.name
	}
	return fmt.Sprintf("%s(%d)", a.name, a.participant)
}

// Model is two-phase commit of n participants, 1 to [ParticipantsMax]. With hasty, the
// coordinator does not wait for the last of them.
func Model(n int, hasty bool) explore.Model[State, Action] {
	p := protocol{n: n, hasty: hasty}
	return explore.Model[State, Action]{
		Name:      fmt.Sprintf("two-phase commit of %d", n),
		Init:      p.initial,
		Next:      p.next,
		Key:       p.key,
		Canonical: p.canonical,
		Format:    p.format,
		Always:    []explore.Property[State]{{Name: "Consistent", Check: p.consistent}},
		Sometimes: []explore.Goal[State]{
			{Name: "all commit", Reached: func(s State) bool { return p.all(s, Committed) }},
			{Name: "all abort", Reached: func(s State) bool { return p.all(s, Aborted) }},
		},
	}
}

type protocol struct {
	n     int
	hasty bool
}

func (p protocol) initial() []State {
	s := State{decision: Working}
	for i := range p.n {
		s.participants[i] = Working
	}
	return []State{s}
}

func (p protocol) next(s State, yield func(Action, State)) {
	if s.decision == Working {
		p.coordinate(s, yield)
	}
	for i := range p.n {
		if s.participants[i] == Working {
			yield(Action{"Prepare", i}, s.prepare(i))
			yield(Action{"GiveUp", i}, s.with(i, Aborted))
		}
		if s.decision != Working && s.participants[i] != s.decision {
			yield(Action{"HearDecision", i}, s.with(i, s.decision))
		}
	}
}

// coordinate yields the steps of a coordinator that has not decided.
func (p protocol) coordinate(s State, yield func(Action, State)) {
	unheard := 0
	for i := range p.n {
		switch bit := uint8(1) << i; {
		case s.heard&bit != 0:
		case s.announced&bit != 0:
			t := s
			t.heard |= bit
			yield(Action{"HearPrepared", i}, t)
			unheard++
		default:
			unheard++
		}
	}
	if unheard == 0 || p.hasty && unheard == 1 {
		t := s
		t.decision = Committed
		yield(Action{"DecideCommit", -1}, t)
	}
	t := s
	t.decision = Aborted
	yield(Action{"DecideAbort", -1}, t)
}

func (s State) prepare(i int) State {
	s.announced |= 1 << i
	return s.with(i, Prepared)
}

func (s State) with(i int, phase Phase) State {
	s.participants[i] = phase
	return s
}

func (p protocol) key(dst []byte, s State) []byte {
	for _, phase := range s.participants[:p.n] {
		dst = append(dst, byte(phase))
	}
	return append(dst, s.announced, s.heard, byte(s.decision))
}

// canonical writes a record of the variables, their names in order.
func (p protocol) canonical(dst []byte, s State) []byte {
	dst = fmt.Appendf(dst, `["announced":%s,"decision":%q,"heard":%s,"participants":`,
		p.members(s.announced, ","), s.decision, p.members(s.heard, ","))
	for i, phase := range s.participants[:p.n] {
		dst = fmt.Appendf(dst, "%c%d:%q", "[,"[min(i, 1)], i, phase)
	}
	return append(dst, "]]"...)
}

func (p protocol) format(s State) []string {
	var lines []string
	for i, phase := range s.participants[:p.n] {
		lines = append(lines, fmt.Sprintf("participant %d = %v", i, phase))
	}
	return append(lines, "coordinator heard = "+p.members(s.heard, " "),
		fmt.Sprintf("decision = %v", s.decision))
}

func (p protocol) members(set uint8, separator string) string {
	var members []string
	for i := range p.n {
		if set>>i&1 == 1 {
			members = append(members, fmt.Sprint(i))
		}
	}
	return "{" + strings.Join(members, separator) + "}"
}

func (p protocol) consistent(s State) error {
	committed, aborted := -1, -1
	for i, phase := range s.participants[:p.n] {
		switch phase {
		case Committed:
			committed = i
		case Aborted:
			aborted = i
		case Working, Prepared:
		}
	}
	if committed >= 0 && aborted >= 0 {
		return fmt.Errorf("participant %d committed, participant %d aborted", committed, aborted)
	}
	return nil
}

func (p protocol) all(s State, phase Phase) bool {
	for _, at := range s.participants[:p.n] {
		if at != phase {
			return false
		}
	}
	return true
}
