package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestPreparesThatOvertakeTheirPredecessorAreTakenBehindIt(t *testing.T) {
	t.Parallel()
	r, chain := running(t, 1), chainOf(4)
	for _, i := range []int{3, 1, 2} {
		out := r.Step(Receive{Message: chain[i]})
		require.Empty(t, out.StorePrepares, "op %d is not the next", i+1)
		require.Empty(t, out.Messages, "nothing is promised about op %d", i+1)
		require.Zero(t, r.State().OpHead)
	}
	out := r.Step(Receive{Message: chain[0]})
	require.Len(t, out.StorePrepares, 4)
	for i, stored := range out.StorePrepares {
		require.Equal(t, chain[i], stored.Prepare)
	}
	require.Zero(t, r.Refused(RefusePrepare))
	require.Equal(t, stash{}, r.stash)
}

func TestStashedPrepareOfAnotherChainIsAConflict(t *testing.T) {
	t.Parallel()
	r, chain := running(t, 1), chainOf(2)
	stranger := *chain[1]
	stranger.Header.Parent = wire.Checksum{Lo: 9}
	stranger.Seal()
	r.Step(Receive{Message: &stranger})
	out := r.Step(Receive{Message: chain[0]})
	require.Len(t, out.StorePrepares, 1)
	require.Equal(t, uint64(1), r.Refused(RefusePrepare))
}

func TestStashIsDroppedWhenTheViewChanges(t *testing.T) {
	t.Parallel()
	r, chain := running(t, 1), chainOf(2)
	r.Step(Receive{Message: chain[1]})
	require.NotEqual(t, stash{}, r.stash)
	r.Step(LeaveView{})
	r.Step(SuperblockStored{Superblock: Superblock{View: 1}})
	require.Equal(t, stash{}, r.stash)
}

func TestStashIsBoundedInOpsAndBytes(t *testing.T) {
	t.Parallel()
	at := func(op wire.Op, bytes int) *wire.Prepare {
		return &wire.Prepare{Header: wire.PrepareHeader{Op: op}, Body: make([]byte, bytes)}
	}
	for name, tc := range map[string]struct {
		held []*wire.Prepare
		p    *wire.Prepare
		want bool
	}{
		"the op behind the next is held":   {nil, at(12, 1), true},
		"the next is no gap":               {nil, at(11, 1), false},
		"what is in the log is no gap":     {nil, at(3, 1), false},
		"the last op of the window":        {nil, at(11+stashOps-1, 1), true},
		"an op beyond the window":          {nil, at(11+stashOps, 1), false},
		"as many bytes as may be held":     {[]*wire.Prepare{at(13, stashBytes-5)}, at(12, 5), true},
		"a byte more":                      {[]*wire.Prepare{at(13, stashBytes-5)}, at(12, 6), false},
		"an arrival replaces an older one": {[]*wire.Prepare{at(12, stashBytes)}, at(12, 5), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s stash
			for _, p := range tc.held {
				require.True(t, s.keep(p, 11))
			}
			require.Equal(t, tc.want, s.keep(tc.p, 11))
			if tc.want {
				require.Same(t, tc.p, s.take(tc.p.Header.Op))
			}
			require.Nil(t, s.take(tc.p.Header.Op))
		})
	}
}
