package lockservice

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Clients is the number of clients.
const Clients = 2

// State is a state of service, storage and clients.
type State struct {
	holder  uint8 // Whose lease runs, from 1; 0: nobody's.
	granted uint8 // The newest token.
	// tokens are what the clients think they hold: their token, 0 for none.
	tokens [Clients]uint8
	// written is the token of the last write that the storage took, highest the highest of
	// all those, refused the number of clients that were refused.
	written, highest, refused uint8
}

// Action is a step of one client, from 1, or of the service, 0.
type Action struct {
	name   string
	client int
}

// Name is the action's name without its client.
func (a Action) Name() string { return a.name }

// String is the action with its client: "Write(2)".
func (a Action) String() string {
	if a.client == 0 {
		return a.name
	}
	return fmt.Sprintf("%s(%d)", a.name, a.client)
}

// Model is the lock service until it has granted so many tokens, 1 to 100. Without
// fencing the storage takes every write.
func Model(tokens int, fencing bool) explore.Model[State, Action] {
	return explore.Model[State, Action]{
		Name: fmt.Sprintf("lock service with %d tokens", tokens),
		Init: func() []State { return []State{{}} },
		Next: func(s State, yield func(Action, State)) { next(s, tokens, fencing, yield) },
		Key: func(dst []byte, s State) []byte {
			dst = append(dst, s.holder, s.granted, s.written, s.highest, s.refused)
			return append(dst, s.tokens[:]...)
		},
		Format: format,
		Always: []explore.Property[State]{{Name: "NoStaleWrite", Check: func(s State) error {
			if s.written < s.highest {
				return fmt.Errorf("the storage took token %d after token %d", s.written, s.highest)
			}
			return nil
		}}},
		Sometimes: []explore.Goal[State]{
			{Name: "two clients think they hold the lock", Reached: func(s State) bool {
				return s.tokens[0] > 0 && s.tokens[1] > 0
			}},
			{Name: "a write is refused", Reached: Refused},
		},
	}
}

// Refused reports whether the storage has refused a write.
func Refused(s State) bool { return s.refused > 0 }

func next(s State, tokens int, fencing bool, yield func(Action, State)) {
	if s.holder != 0 {
		t := s
		t.holder = 0
		yield(Action{name: "Expire"}, t)
	}
	for i, token := range s.tokens {
		client := i + 1
		switch {
		case token == 0 && s.holder == 0 && int(s.granted) < tokens:
			t := s
			t.granted++
			t.holder, t.tokens[i] = uint8(client), t.granted
			yield(Action{"Acquire", client}, t)
		case token > 0 && fencing && token < s.highest:
			t := s
			t.tokens[i] = 0
			t.refused++
			yield(Action{"Refuse", client}, t)
		case token > 0:
			t := s
			t.written, t.highest = token, max(s.highest, token)
			yield(Action{"Write", client}, t)
			yield(Action{"Release", client}, s.release(i))
		}
	}
}

// release gives the lock back: the service takes note if the lease still runs.
func (s State) release(i int) State {
	s.tokens[i] = 0
	if int(s.holder) == i+1 {
		s.holder = 0
	}
	return s
}

func format(s State) []string {
	lines := []string{
		fmt.Sprintf("lease of client = %d", s.holder), fmt.Sprintf("granted = %d", s.granted),
	}
	for i, token := range s.tokens {
		lines = append(lines, fmt.Sprintf("token of client %d = %d", i+1, token))
	}
	return append(lines, fmt.Sprintf("written with token = %d", s.written),
		fmt.Sprintf("highest token = %d", s.highest), fmt.Sprintf("refused = %d", s.refused))
}

// Participants are the columns of a sequence diagram.
func Participants() []string { return []string{"service", "client 1", "client 2", "storage"} }

// Arrows draws a step.
func Arrows(_ State, step explore.Step[State, Action]) []explore.Arrow {
	client := fmt.Sprintf("client %d", step.Action.client)
	switch step.Action.name {
	case "Acquire":
		return []explore.Arrow{{
			From: "service", To: client, Text: fmt.Sprintf("lock with token %d", step.State.granted),
		}}
	case "Write":
		return []explore.Arrow{{
			From: client, To: "storage", Text: fmt.Sprintf("write with token %d", step.State.written),
		}}
	case "Refuse":
		return []explore.Arrow{{From: "storage", To: client, Text: "refused"}}
	case "Release":
		return []explore.Arrow{{From: client, To: "service", Text: "release"}}
	}
	return []explore.Arrow{{From: "service", Text: "the lease expires"}}
}
