package linearizability

import "strings"

// kvSpecification: one text that grows by append and starts anew by put.
var kvSpecification = specification{
	kinds:     []Kind{Get, Put, Append},
	initial:   Text(""),
	step:      stepKV,
	explains:  func(answer, v Value) bool { return strings.Contains(answer.Text, v.Text) },
	observers: func() observers { return &kvObservers{texts: map[string]int{}} },
}

func stepKV(state Value, o *Operation) (bool, Value) {
	if o.Kind == Get {
		return !o.constrains() || state == o.Output.Value, state
	}
	if o.Kind == Put {
		return true, o.Input.Value
	}
	if o.Kind == Append {
		return true, Text(state.Text + o.Input.Value.Text)
	}
	return false, state
}

// kvObservers holds the texts that gets returned. Whatever a put or an append
// brought is part of the text until the next put, so a get that could tell has it
// somewhere in its answer.
type kvObservers struct {
	texts map[string]int
}

func (s *kvObservers) add(o *Operation)    { s.count(o, 1) }
func (s *kvObservers) remove(o *Operation) { s.count(o, -1) }

func (s *kvObservers) count(o *Operation, by int) {
	if !o.constrains() {
		return
	}
	s.texts[o.Output.Value.Text] += by
	if s.texts[o.Output.Value.Text] == 0 {
		delete(s.texts, o.Output.Value.Text)
	}
}

func (s *kvObservers) sees(v Value) bool {
	for text := range s.texts {
		if strings.Contains(text, v.Text) {
			return true
		}
	}
	return false
}
