package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A replica gets a new disk under load, holds the whole log again, and stands in for the next
// that fails.
func TestAWipedReplicaComesBackAndCountsAgain(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]int{"a backup": 2, "the primary": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, 0)
			for range 20 {
				s.request(0)
			}
			s.settle()
			s.tick(80)
			s.Wipe(lost)
			require.NoError(t, s.Restart(lost))
			require.True(t, s.Core(lost).Standing().Wiped)
			s.tick(1500)
			s.requireCaughtUp(20)

			other := int(uint64(s.State(1).View) % 3) // the primary goes
			s.Crash(other, nil)
			s.tick(1500)
			primary := int(uint64(s.State((other+1)%3).View) % 3)
			require.NotEqual(t, other, primary)
			before := len(s.replies)
			s.request(primary)
			s.tick(80)
			require.Len(t, s.replies, before+1)
			require.Zero(t, s.replies[before].Status)
			s.requireCaughtUp(21)
		})
	}
}

// The cluster has gone on to view 1 without the primary of view 0, which still believes in
// itself. A replica that was in view 1 loses its disk: it must not go back to view 0, where it
// would acknowledge what view 1 lacks (seed 004; mutant wiped_any_view).
func TestAWipedReplicaDoesNotGoBackToADeposedPrimary(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	s.settle()
	s.tick(80)
	apart := func(p sim.Packet) bool { return p.From == 0 || p.To == 0 }
	s.lost = apart
	s.Input(1, vsr.LeaveView{})
	s.tick(80)
	require.Equal(t, wire.View(1), s.State(1).View)
	require.Equal(t, wire.View(1), s.State(2).LogView)
	require.Equal(t, wire.View(0), s.State(0).View)

	s.Wipe(2)
	require.NoError(t, s.Restart(2))
	s.lost = func(p sim.Packet) bool { return p.From == 1 && p.To != 0 || p.To == 1 && p.From == 2 }
	s.request(0)
	s.tick(5000) // r0 answers it, r1 is silent
	require.True(t, s.Core(2).Standing().Wiped)
	require.Equal(t, vsr.StatusRecovering, s.State(2).Status)
	require.Equal(t, wire.Op(1), s.State(0).CommitMax, "nobody acknowledges in view 0")

	s.lost = func(sim.Packet) bool { return false }
	s.tick(2500)
	require.False(t, s.Core(2).Standing().Wiped)
	for r := range 3 {
		require.Equal(t, vsr.StatusNormal, s.State(r).Status)
		require.GreaterOrEqual(t, s.State(r).LogView, wire.View(1))
	}
}

// A crash at any write of the way back leaves a replica that is wiped still, or has a log.
func TestACrashOnTheWayBackLosesNoMark(t *testing.T) {
	t.Parallel()
	for _, landed := range []bool{false, true} {
		s := newStage(t, 0)
		for range 3 {
			s.request(0)
		}
		s.settle()
		s.tick(80)
		s.Wipe(2)
		require.NoError(t, s.Restart(2))
		for range 10_000 {
			if s.Writes(2) > 0 {
				break
			}
			s.stepWithout(2)
		}
		require.Equal(t, 1, s.Writes(2), "the state record of the log that it adopts")
		s.Crash(2, func(vsr.Input) bool { return landed })
		require.NoError(t, s.Restart(2))
		require.Equal(t, !landed, s.Core(2).Standing().Wiped)
		s.tick(1500)
		s.requireCaughtUp(3)
	}
}
