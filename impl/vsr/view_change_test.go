package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestSilentPrimaryIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	s.settle()
	s.Crash(0, nil)
	s.tick(1200)
	require.Equal(t, wire.View(1), s.State(1).View)
	s.request(1)
	s.settle()
	s.tick(80)
	s.requireCaughtUp(2)

	require.NoError(t, s.Restart(0))
	require.Equal(t, vsr.StatusRecovering, s.State(0).Status)
	s.tick(400)
	s.requireCaughtUp(2)
}

func TestViewChangeIsInvisibleUntilItIsDurable(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.Input(1, vsr.LeaveView{})
	require.Equal(t, wire.View(0), s.State(1).View)
	require.Empty(t, s.Packets())
	require.Equal(t, 1, s.Writes(1))
	s.FinishWrite(1, 0)
	require.Equal(t, wire.View(1), s.State(1).View)
	require.Len(t, s.Packets(), 2)

	t.Run("the defect send_first breaks that", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, vsr.DefectSendFirst)
		s.Input(1, vsr.LeaveView{})
		require.Len(t, s.Packets(), 2)
	})
}

func TestCrashBeforeTheSuperblockForgetsTheView(t *testing.T) {
	t.Parallel()
	for name, landed := range map[string]bool{
		"the write never reached the disk": false, "the write had landed": true,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, 0)
			s.Input(1, vsr.LeaveView{})
			s.Crash(1, func(vsr.Input) bool { return landed })
			require.NoError(t, s.Restart(1))
			want := wire.View(0)
			if landed {
				want = 1
			}
			require.Equal(t, want, s.State(1).View)
		})
	}
}

// hollow brings the cluster to the point of seed 001: an op adopted in a view change whose
// body one backup does not hold.
func hollow(t *testing.T, defects vsr.Defects) *stage {
	t.Helper()
	s := newStage(t, defects)
	s.lost = func(p sim.Packet) bool {
		return p.Message.Command() == wire.CommandPrepare && p.To == 0 ||
			p.Message.Command() == wire.CommandPrepareOK
	}
	s.Input(1, vsr.LeaveView{})
	s.settle()
	s.tick(4) // view 1, primary r1
	s.request(1)
	s.settle() // stored at r1 and r2, committed nowhere
	s.Crash(1, nil)
	s.Input(2, vsr.LeaveView{})
	s.lost = func(p sim.Packet) bool {
		c := p.Message.Command()
		return c == wire.CommandRepairPrepare || c == wire.CommandRequestPrepares
	}
	s.settle()
	s.tick(4) // view 2, primary r2, r0 adopts the op without a body
	require.Equal(t, vsr.StatusNormal, s.State(2).Status)
	require.Equal(t, []wire.Op{1}, s.State(0).Hollow)
	s.lost = func(sim.Packet) bool { return false }
	return s
}

func TestHollowOpIsFilledAndCommits(t *testing.T) {
	t.Parallel()
	s := hollow(t, 0)
	s.request(2) // the head moves past the hole
	s.tick(300)
	s.requireCaughtUp(2)
}

func TestNewPrimaryRepairsBeforeItStarts(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.lost = func(p sim.Packet) bool { return p.To == 1 && p.Message.Command() == wire.CommandPrepare }
	s.request(0)
	s.settle()
	s.lost = func(p sim.Packet) bool { return p.Message.Command() == wire.CommandRepairPrepare }
	s.Input(1, vsr.LeaveView{})
	s.settle()
	require.Equal(t, vsr.StatusViewChange, s.State(1).Status, "parked: a body is missing (R13)")
	// The other backup has the body, and has not heard that it is committed (R9).
	s.lost = func(p sim.Packet) bool {
		return p.From == 0 && p.Message.Command() == wire.CommandRepairPrepare
	}
	s.tick(450)
	require.Equal(t, vsr.StatusNormal, s.State(1).Status)
	s.requireCaughtUp(1)
}

func TestClusterThatLostPowerElectsFromDisk(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	s.settle()
	for r := range 3 {
		s.Crash(r, nil)
	}
	for r := range 3 {
		require.NoError(t, s.Restart(r))
	}
	s.tick(6000)
	s.requireCaughtUp(1)
}
