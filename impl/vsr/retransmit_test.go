package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Straight to each replica that has not promised it, and only what has no quorum (R10).
func TestAPrepareIsSentAgainToWhomItIsOwed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		promised []wire.ReplicaID // besides the primary, of op 2 of two
		want     []wire.ReplicaID
	}{
		"nobody has promised":          {nil, []wire.ReplicaID{1, 2, 3, 4}},
		"one has":                      {[]wire.ReplicaID{3}, []wire.ReplicaID{1, 2, 4}},
		"a quorum waits for op 1 only": {[]wire.ReplicaID{1, 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			five, err := New(Config{
				ReplicaCount: 5, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
			}, Recovered{Formatted: true})
			require.NoError(t, err)
			r := newReader(t, five)
			r.prepare()
			id := r.request(numbered(2)).StorePrepares[0].Prepare.Header.ID()
			r.step(PrepareStored{ID: id})
			for _, from := range tc.promised {
				r.promise(from, id)
			}
			var to []wire.ReplicaID
			for _, m := range r.step(Expire{Timer: TimerPrepare}).Messages {
				if p, ok := m.Message.(*wire.Prepare); ok && p.Header.Op == 2 {
					require.Equal(t, id, p.Header.ID(), "the same prepare")
					to = append(to, m.To)
				}
			}
			require.Equal(t, tc.want, to)
			require.Equal(t, 1, r.timers.prepare.attempts)
		})
	}
}

// What was inherited is read from the journal, for each that lacks it.
func TestAnInheritedPrepareIsReadAndSentAgain(t *testing.T) {
	t.Parallel()
	r, id := inheritor(t)
	out := r.step(Expire{Timer: TimerPrepare})
	require.Equal(t, []Read{
		{IDs: []wire.PrepareID{id}, To: 0}, {IDs: []wire.PrepareID{id}, To: 2},
	}, out.Reads)
	r.promise(2, id)
	require.Empty(t, r.step(Expire{Timer: TimerPrepare}).Reads, "it is committed")
}

// No progress, no hurry: the intervals grow, and a commit ends that.
func TestRetransmissionBacksOffUntilSomethingCommits(t *testing.T) {
	t.Parallel()
	r := newReader(t, running(t, 0))
	id := r.prepare()
	r.request(numbered(2))
	waits, last := []int{}, 0
	for tick := 1; len(waits) < 6; tick++ {
		for _, m := range r.step(Tick{}).Messages {
			if m.Message.Command() == wire.CommandPrepare && m.To == 1 {
				waits = append(waits, tick-last)
				last = tick
			}
		}
	}
	for i, interval := range []int{25, 50, 100, 200, 400, 400} {
		require.GreaterOrEqual(t, waits[i], interval)
		require.LessOrEqual(t, waits[i], interval+interval/2+1)
	}
	r.promise(1, id)
	require.Zero(t, r.timers.prepare.attempts)
	require.LessOrEqual(t, r.timers.prepare.left, 25)
}
