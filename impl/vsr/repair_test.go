package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Another peer at each attempt, the primary first (R9).
func TestRepairAsksThePeersInTurn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		replica wire.ReplicaID
		view    wire.View
		want    []wire.ReplicaID
	}{
		"a backup begins with its primary": {
			replica: 0, view: 2, want: []wire.ReplicaID{2, 1, 2, 1},
		},
		"... wherever it sits": {
			replica: 2, view: 1, want: []wire.ReplicaID{1, 0, 1, 0},
		},
		"a new primary asks both others in turn": {
			replica: 1, view: 1, want: []wire.ReplicaID{2, 0, 2, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Replica{config: Config{Replica: tc.replica, ReplicaCount: 3}, view: tc.view}
			for attempt, want := range tc.want {
				r.turn.asked = attempt
				require.Equal(t, want, r.repairPeer(), "attempt %d", attempt)
			}
		})
	}
}

// A request names what is missing, passes over what is held, and reaches the head (R9).
func TestRepairAsksForWhatIsMissingUpToTheHead(t *testing.T) {
	t.Parallel()
	r := &Replica{
		config: Config{Replica: 0, ReplicaCount: 3, Limits: Limits{}.withDefaults()},
		status: StatusNormal, view: 1, logView: 1,
		commitMax: 5, rng: newJitter(Config{}),
	}
	for op := wire.Op(1); op <= 4; op++ {
		h := wire.PrepareHeader{Op: op, View: 1, Checksum: wire.Checksum{Lo: uint64(op)}}
		r.log.headers = append(r.log.headers, h)
		if op%2 == 0 {
			r.journal.add(h.ID())
		}
	}
	r.requestPrepares()
	require.Len(t, r.out.Messages, 1)
	m, ok := r.out.Messages[0].Message.(*wire.RequestPrepares)
	require.True(t, ok)
	require.Equal(t, wire.Op(1), m.FromOp)
	require.Equal(t, wire.Op(5), m.ToOp)
	require.Equal(t, []wire.Checksum{
		{Lo: 1}, wire.NoPrepare, {Lo: 3}, wire.NoPrepare, wire.AnyPrepare,
	}, m.Wanted)
}
