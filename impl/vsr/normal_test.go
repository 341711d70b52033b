package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestRequestIsPreparedCommittedExecutedAndAnswered(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	s.settle()
	require.Equal(t, []string{
		"r0 ClientRequest", "r1 ReceivePrepare", "r2 ReceivePrepare",
		"r0 PrimaryCommit", "r0 WalkExecute",
	}, s.events)
	require.Len(t, s.replies, 1)
	result, value, ok := statemachine.ParseRegisterResult(s.replies[0].Body)
	require.True(t, ok)
	require.Equal(t, statemachine.ResultOK, result)
	require.Equal(t, uint64(1), value)

	s.tick(80) // a heartbeat tells the backups
	s.requireCaughtUp(1)
}

func TestPrepareLeavesThePrimaryAfterItsOwnCopyIsStored(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	require.Empty(t, s.Packets())
	s.FinishWrite(0, 0)
	require.Len(t, s.Packets(), 2)
}

func TestPrepareOKLeavesABackupAfterThePrepareIsStored(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(0)
	s.FinishWrite(0, 0)
	prepare := s.Packets()[0]
	s.Deliver(prepare)
	s.Deliver(prepare) // a duplicate on the way promises nothing either
	require.Len(t, s.Packets(), 2)
	require.Equal(t, 1, s.Writes(prepare.To))
	s.FinishWrite(prepare.To, 0)
	require.Len(t, s.Packets(), 3)
	require.Equal(t, wire.CommandPrepareOK, s.Packets()[2].Message.Command())
}

func TestPreparesStoredOutOfOrderEnterTheLogInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	for range 3 {
		s.request(0)
	}
	s.FinishWrite(0, 2)
	s.FinishWrite(0, 1)
	require.Equal(t, wire.Op(0), s.State(0).OpHead)
	s.FinishWrite(0, 0)
	require.Equal(t, wire.Op(3), s.State(0).OpHead)
	s.settle()
	s.tick(80)
	s.requireCaughtUp(3)
}

func TestLostPrepareIsSentAgainToWhomItOwes(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.lost = func(p sim.Packet) bool { return p.Message.Command() == wire.CommandPrepare }
	s.request(0)
	s.settle()
	require.Equal(t, wire.Op(0), s.State(0).CommitMax)
	s.lost = func(sim.Packet) bool { return false }
	s.tick(150)
	s.requireCaughtUp(1)
}

func TestRequestsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.request(1)
	require.Len(t, s.replies, 1)
	require.Equal(t, vsr.ReplyNotPrimary, s.replies[0].Status)
	require.Equal(t, uint64(1), s.Core(1).Refused(vsr.RefuseNotPrimary))
	for range vsr.PipelineMax + vsr.QueueMax + 1 {
		s.request(0)
	}
	require.Len(t, s.replies, 2)
	require.Equal(t, wire.ReplyQueueFull, s.replies[1].Status)
	s.settle()
	s.tick(80)
	s.requireCaughtUp(vsr.PipelineMax + vsr.QueueMax)
	require.Len(t, s.replies, 2+vsr.PipelineMax+vsr.QueueMax)
}

func TestSendersAreChecked(t *testing.T) {
	t.Parallel()
	base := wire.Commit{Cluster: sim.ClusterID, Replica: 0, Commit: 9}
	for name, tc := range map[string]struct {
		change func(*wire.Commit)
		want   vsr.Refusal
	}{
		"another cluster":         {func(m *wire.Commit) { m.Cluster.Lo++ }, vsr.RefuseCluster},
		"another group":           {func(m *wire.Commit) { m.Group++ }, vsr.RefuseGroup},
		"a replica out of range":  {func(m *wire.Commit) { m.Replica = 3 }, vsr.RefuseSender},
		"the replica itself":      {func(m *wire.Commit) { m.Replica = 1 }, vsr.RefuseSender},
		"a backup as a heartbeat": {func(m *wire.Commit) { m.Replica = 2 }, vsr.RefuseStatus},
		"a newer view":            {func(m *wire.Commit) { m.View = 4 }, vsr.RefuseNewer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, 0)
			before := s.State(1)
			m := base
			tc.change(&m)
			s.Input(1, vsr.Receive{Message: &m})
			require.Equal(t, uint64(1), s.Core(1).Refused(tc.want))
			require.Equal(t, before, s.State(1))
		})
	}
}
