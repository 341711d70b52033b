package conform

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Belief is what the model says about a group of replicas after some events: all its states
// that explain them. It is immutable, so that a search can go on from it in several ways.
type Belief struct{ checker checker }

// Begin returns the belief before the first event of a group of n replicas; n is 1
// to [vsr.NMax].
func Begin(n int) Belief {
	c, err := New(traces.Header{Replicas: n}, "")
	if err != nil {
		panic(fmt.Sprintf("conform: begin: %v", err)) // The header has nothing else.
	}
	return Belief{*c.group("0")}
}

// Explain returns the belief after one more event, or why no step of the model explains it.
// Incarnations are not compared.
func (b Belief) Explain(e traces.Event) (Belief, *Mismatch) {
	c := b.checker
	c.now = c.explain(e)
	if len(c.now) == 0 {
		return b, b.checker.mismatch(e, "")
	}
	return Belief{c}, nil
}

// States are the model's states. The caller owns the slice.
func (b Belief) States() []vsr.State {
	var states []vsr.State
	for _, x := range b.checker.now {
		states = append(states, x.state)
	}
	return states
}

// AppendKey appends an encoding of all that decides what the belief explains from here on.
func (b Belief) AppendKey(dst []byte) []byte {
	var keys []string
	for _, x := range b.checker.now {
		key := string(b.checker.key(nil, x.state)) + fmt.Sprint(x.perhaps, x.hole, x.adopted,
			x.bound.settled().entries)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		dst = append(dst, key...)
	}
	return dst
}
