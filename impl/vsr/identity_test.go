package vsr

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// wiped returns a replica of a group that has lost its disk and boots on an empty one.
func wiped(t *testing.T, replica wire.ReplicaID, replicas int) *reader {
	t.Helper()
	r, err := New(Config{
		Replica: replica, ReplicaCount: replicas, Timers: DefaultTimers(),
		Incarnation: wire.Incarnation{Lo: 5}, RecordEvents: true,
	}, Recovered{Wiped: true})
	require.NoError(t, err)
	require.True(t, r.Standing().Wiped)
	return newReader(t, r)
}

// offer delivers the answer of a view's primary to a probe of this boot.
func (r *reader) offer(view wire.View, commit wire.Op, chain ...*wire.Prepare) Output {
	m := &wire.StartView{
		View: view, Replica: r.primaryOf(view), Incarnation: r.config.Incarnation,
		Commit: commit,
	}
	for _, p := range chain {
		m.Headers = append(m.Headers, p.Header)
	}
	return r.step(Receive{Message: m})
}

// inView delivers the answer of a replica that is in a view.
func (r *reader) inView(from wire.ReplicaID, view wire.View) Output {
	return r.step(Receive{Message: &wire.ConfirmViewOK{
		View: view, Replica: from, Incarnation: r.config.Incarnation, Round: 1,
	}})
}

// A vote of a later view needs a view change quorum that has left this one. As long as that many
// may have left, the replica may have been among them (mutant wiped_any_view). Upwards from
// three replicas a replication quorum of the others must be in the view; of two, the other.
func TestAWipedReplicaAdoptsAViewThatItCannotHaveVotedBeyond(t *testing.T) {
	t.Parallel()
	for replicas, needed := range map[int]int{2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3} {
		t.Run(fmt.Sprintf("%d of %d others are in it", needed, replicas-1), func(t *testing.T) {
			t.Parallel()
			r := wiped(t, wire.ReplicaID(replicas-1), replicas)
			quorums := QuorumsOf(replicas)
			require.Less(t, replicas-1-needed+1, quorums.ViewChange, "too few for a vote")
			require.GreaterOrEqual(t, replicas-1-(needed-1)+1, quorums.ViewChange, "no fewer do")

			out := r.offer(0, 0)
			for other := 1; other < needed; other++ {
				require.Nil(t, out.StoreState, "%d are too few", other)
				out = r.inView(wire.ReplicaID(other), 0)
				if other < needed-1 {
					r.inView(wire.ReplicaID(other), 0) // says the same twice: it counts once
				}
			}
			require.NotNil(t, out.StoreState)
			r.step(StateStored{})
			r.step(SuperblockStored{})
			require.Equal(t, StatusNormal, r.status)
			require.False(t, r.Standing().Wiped)
		})
	}
}

// Whoever answers for the wrong view, or another boot, says nothing about the view offered.
func TestWhatDoesNotCountForTheViewOffered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tell func(r *reader) Output
		want Refusal
	}{
		"an answer to an earlier boot": {func(r *reader) Output {
			return r.step(Receive{Message: &wire.ConfirmViewOK{
				View: 3, Replica: 1, Incarnation: wire.Incarnation{Lo: 4}, Round: 1,
			}})
		}, RefuseOtherRound},
		"another view": {func(r *reader) Output { return r.inView(1, 4) }, RefuseOtherRound},
		"a log that nobody asked for": {
			func(r *reader) Output { return r.startView(1) }, RefuseUnsolicited,
		},
		"the log of a view that was left": {
			func(r *reader) Output { return r.offer(1, 0) }, RefuseStale,
		},
		"the primary, a second time": {func(r *reader) Output { return r.offer(3, 0) }, 0},
		"a newer view, which nobody confirms": {
			func(r *reader) Output { return r.offer(4, 0) }, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := wiped(t, 2, 3)
			r.offer(3, 0)
			out := tc.tell(r)
			require.Nil(t, out.StoreState)
			require.True(t, r.Standing().Wiped)
			if tc.want != 0 {
				require.Equal(t, uint64(1), r.Refused(tc.want))
			}
		})
	}
	t.Run("a view confirmed before another was offered", func(t *testing.T) {
		t.Parallel()
		r := wiped(t, 4, 5)
		r.offer(0, 0)
		r.inView(1, 0)
		r.offer(1, 0) // of r1
		require.Nil(t, r.inView(2, 1).StoreState, "r1 and r2; r1 had said so of view 0")
		require.NotNil(t, r.inView(3, 1).StoreState)
	})
	t.Run("a view that nobody has offered yet", func(t *testing.T) {
		t.Parallel()
		r := wiped(t, 2, 3)
		require.Nil(t, r.inView(1, 0).StoreState)
		require.Equal(t, uint64(1), r.Refused(RefuseOtherRound))
	})
}

func (r *reader) startView(view wire.View) Output {
	return r.step(Receive{Message: &wire.StartView{View: view, Replica: r.primaryOf(view)}})
}

// It has no log to vote with, and may have voted already (mutant wiped_votes).
func TestAWipedReplicaTakesNoPartInAViewChange(t *testing.T) {
	t.Parallel()
	chain := chainOf(1)
	vote := &wire.DoViewChange{
		View: 2, Replica: 0, Headers: []wire.PrepareHeader{chain[0].Header},
		Present: wire.Bits{true}, Nack: wire.Bits{false}, Faulty: wire.Bits{false},
	}
	for name, in := range map[string]Input{
		"another wants a view":        Receive{Message: &wire.StartViewChange{View: 1, Replica: 0}},
		"its own vote is waited for":  Receive{Message: vote},
		"its host wants to leave":     LeaveView{},
		"an older view, in which all": Receive{Message: &wire.StartViewChange{Replica: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := wiped(t, 2, 3)
			r.ForgetTime()
			before := r.AppendKey(nil)
			out := r.step(in)
			require.Equal(t, uint64(1), r.Refused(RefuseWiped))
			require.Empty(t, out.Messages)
			require.Nil(t, out.StoreSuperblock)
			require.Equal(t, before, r.AppendKey(nil))
		})
	}
}

// One that has a log starts a view change when nobody answers. This one asks for ever.
func TestAWipedReplicaOnlyAsksHoweverLong(t *testing.T) {
	t.Parallel()
	r := wiped(t, 2, 3)
	probes := 0
	for range 20_000 {
		for _, m := range r.step(Tick{}).Messages {
			require.IsType(t, &wire.RequestStartView{}, m.Message)
			probes++
		}
	}
	require.Greater(t, probes, 2*2*ProbeAttemptsMax)
	require.Equal(t, StatusRecovering, r.status)
	require.Zero(t, r.view)
}

// Each probe repeats the question to whom it went in vain.
func TestAWipedReplicaAsksAgainWhoIsInTheViewOffered(t *testing.T) {
	t.Parallel()
	r := wiped(t, 4, 5)
	asked := func(out Output) []wire.ReplicaID {
		var to []wire.ReplicaID
		for _, m := range out.Messages {
			if ask, ok := m.Message.(*wire.ConfirmView); ok {
				require.Equal(t, wire.View(6), ask.View)
				require.Equal(t, r.config.Incarnation, ask.Incarnation)
				to = append(to, m.To)
			}
		}
		return to
	}
	require.Empty(t, asked(r.step(Expire{Timer: TimerProbe})), "no view is offered yet")
	require.Equal(t, []wire.ReplicaID{0, 2, 3}, asked(r.offer(6, 0)))
	r.inView(2, 6)
	require.Equal(t, []wire.ReplicaID{0, 3}, asked(r.step(Expire{Timer: TimerProbe})))
}

// What it adopts without a body it may have acknowledged in its earlier life: it is in doubt,
// durably, and nacked by no vote (mutant wiped_is_trusted).
func TestWhatAWipedReplicaAdoptsIsInDoubt(t *testing.T) {
	t.Parallel()
	r, chain := wiped(t, 2, 3), chainOf(2)
	r.offer(0, 1, chain...)
	out := r.inView(1, 0)
	require.NotNil(t, out.StoreState)
	require.Equal(t, []wire.PrepareID{chain[0].Header.ID(), chain[1].Header.ID()},
		out.StoreState.Doubtful)
	r.step(StateStored{})
	out = r.step(SuperblockStored{})
	for _, m := range out.Messages {
		require.NotEqual(t, wire.CommandPrepareOK, m.Message.Command(), "it holds nothing yet")
	}
	vote := r.newVote()
	require.False(t, vote.Untrusted)
	require.Equal(t, wire.Bits{false, false}, vote.Present)
	require.Equal(t, wire.Bits{false, false}, vote.Nack)

	r.step(Receive{Message: &wire.RepairPrepare{Prepare: *chain[1]}})
	out = r.step(PrepareStored{ID: chain[1].Header.ID()})
	require.Len(t, out.Messages, 1)
	require.IsType(t, &wire.PrepareOK{}, out.Messages[0].Message)
	require.Equal(t, wire.Bits{false, true}, r.newVote().Present)
}

func TestASoloReplicaThatLostItsDiskIsRefused(t *testing.T) {
	t.Parallel()
	_, err := New(Config{
		ReplicaCount: 1, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Wiped: true})
	require.EqualError(t, err, "recover replica 0: no durable identity, and a solo replica has "+
		"no peer to get its log from: restore its data from a backup, or format it as a new cluster")
}
