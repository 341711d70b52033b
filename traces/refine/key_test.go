package refine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
)

// inputs lists what can happen next to a replica, of what the search has met.
func inputs(s *system, id int) []vsr.Input {
	all := []vsr.Input{
		vsr.LeaveView{}, vsr.Receive{Message: s.request(9)}, vsr.Expire{Timer: vsr.TimerNone},
	}
	for _, in := range s.repeats {
		all = append(all, vsr.Expire{Timer: in.timer, Attempts: in.arg})
	}
	var messages []*message
	for _, m := range s.frames {
		if m.to == id {
			messages = append(messages, m)
		}
	}
	slices.SortFunc(messages, compareMessages)
	for _, m := range messages {
		all = append(all, vsr.Receive{Message: m.content})
	}
	return all
}

// answers returns what a core does about each input, and its key afterwards.
func answers(core *vsr.Replica, inputs []vsr.Input) []string {
	var out []string
	for _, in := range inputs {
		clone := core.Clone()
		effects := clone.Step(in)
		text := fmt.Sprint(effects.Executes, effects.Reads, effects.StoreSuperblock)
		for _, e := range effects.Events {
			text += fmt.Sprint(e.Action, e.Op, e.View, e.Reason, e.Class, e.After)
		}
		for _, e := range effects.Messages {
			text += fmt.Sprintf("%d %x", e.To, wire.Encode(e.Message))
		}
		for _, p := range effects.StorePrepares {
			text += fmt.Sprint(p.LogView, p.Fill, p.Prepare.Header.ID())
		}
		if effects.StoreState != nil {
			text += fmt.Sprint(effects.StoreState.LogView, len(effects.StoreState.Headers))
		}
		clone.ForgetTime()
		out = append(out, text+fmt.Sprintf("%x", clone.AppendKey(nil)))
	}
	return out
}

// Cores that came to an equal key by different ways answer all inputs alike.
func TestEqualKeysGiveEqualOutputs(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		{Replicas: 3, Requests: 1, Views: 1}, {Replicas: 3, Views: 1, Full: true},
	} {
		s, err := newSystem(b)
		require.NoError(t, err)
		type pair struct{ known, fresh *member }
		var pairs []pair
		met := map[*member]int{}
		s.onEqual = func(known, fresh *member) {
			if met[known]++; known.broken == "" && met[known] <= 1 {
				pairs = append(pairs, pair{known, fresh})
			}
		}
		r, err := explore.Check(t.Context(), s.model(), explore.Options{Workers: 1})
		require.NoError(t, err)
		require.Nil(t, r.Violation)
		require.Greater(t, len(pairs), 50)
		for _, p := range pairs {
			all := inputs(s, p.known.id)
			require.Equal(t, answers(p.known.core, all), answers(p.fresh.core, all))
		}
	}
}
