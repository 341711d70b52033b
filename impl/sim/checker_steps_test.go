package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// spoiled is one thing that a replica does in a sound run and must not, or leaves out.
type spoiled struct {
	want  string
	spoil func(*simulation)
}

// fails demands that each is found, as what it is.
func fails(t *testing.T, cases map[string]spoiled) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := warmUp(t)
			tc.spoil(s)
			require.NotNil(t, s.result.Failure, "nothing was found")
			assert.Equal(t, tc.want, s.result.Failure.Kind, s.result.Failure.String())
		})
	}
}

func TestEachCheckOfAdoptionFails(t *testing.T) {
	t.Parallel()
	adopts := func(e vsr.Event) func(*simulation) {
		return func(s *simulation) { s.check.onEvent(1, &e) }
	}
	another := wire.Incarnation{Hi: 9, Lo: 9}
	fails(t, map[string]spoiled{
		"the answer to a probe of an earlier boot": {
			FailIncarnation, adopts(vsr.Event{Action: vsr.ActionRecover, Incarnation: another}),
		},
		"the answer to a probe after another way back": {
			FailIncarnation, adopts(vsr.Event{Action: vsr.ActionReceiveStartView, Incarnation: another}),
		},
		"a head that is raised by the answer to a probe": {
			FailIncarnation, adopts(vsr.Event{Action: vsr.EventRaiseHead, Incarnation: another}),
		},
		"a log without its commit point": {
			FailOwed, adopts(vsr.Event{
				Action: vsr.ActionReceiveStartView, Commit: 5, After: vsr.State{CommitMax: 4},
			}),
		},
		"what is held is not acknowledged": {FailOwed, func(s *simulation) {
			s.check.replicas[1].adopting = adopting{now: true}
			s.check.stepped(1, false)
		}},
		"what is released is not said to be committed": {FailOwed, func(s *simulation) {
			d := s.check.disk(1)
			d.records = append(d.records, &walRecord{
				durable: true, state: &vsr.StateRecord{Base: committedID(s, 5)},
			})
			s.check.replicas[1].adopting = adopting{now: true, commit: 4}
			s.check.stepped(1, false)
		}},
	})
}

func TestEachCheckOfWritesAndVotesFails(t *testing.T) {
	t.Parallel()
	unknown := wire.PrepareHeader{Op: 1000, Checksum: wire.ChecksumOf([]byte("another"))}
	begin := func(s *simulation, replica int, r *walRecord) {
		s.check.begins(replica, []write{{kind: writeRecord, record: r}})
	}
	fails(t, map[string]spoiled{
		"an op is stored that is released": {FailBound, func(s *simulation) {
			s.check.replicas[1].transfer.checkpoint = 3
			begin(s, 1, &walRecord{
				prepare: &vsr.StorePrepare{Prepare: s.check.disk(1).read(committedID(s, 3))},
			})
		}},
		"a pipeline overflows": {FailBound, func(s *simulation) {
			h := wire.PrepareHeader{Op: s.cluster.State(0).CommitMax + vsr.PipelineMax + 1}
			begin(s, 0, &walRecord{prepare: &vsr.StorePrepare{Prepare: &wire.Prepare{Header: h}}})
		}},
		"a state record takes the log of its view away": {FailPromise, func(s *simulation) {
			begin(s, 1, &walRecord{state: &vsr.StateRecord{}})
		}},
		"what was acknowledged and is gone is in no doubt": {FailPromise, func(s *simulation) {
			s.check.replicas[1].acked[unknown.ID()] = true
			begin(s, 1, &walRecord{state: &vsr.StateRecord{
				LogView: 9, Headers: []wire.PrepareHeader{unknown},
			}})
		}},
		"a vote disowns what its sender acknowledged": {FailVote, func(s *simulation) {
			s.check.replicas[1].acked[unknown.ID()] = true
			s.check.disowns(1, &wire.DoViewChange{
				Headers: []wire.PrepareHeader{unknown}, Nack: wire.Bits{true},
			})
		}},
	})
}

func TestEachCheckOfRepairFails(t *testing.T) {
	t.Parallel()
	fails(t, map[string]spoiled{
		"too many prepares are read at once": {FailBound, func(s *simulation) {
			s.check.reads(0, &vsr.Read{To: 1, IDs: make([]wire.PrepareID, vsr.RepairWindow+1)})
		}},
		"the same peer is asked again and again": {FailOwed, func(s *simulation) {
			for range inRowMax + 1 {
				s.schedule.now++
				s.check.sent(envelope(1, &wire.RequestPrepares{
					Cluster: ClusterID, Replica: 1, FromOp: 3, ToOp: 3,
					Wanted: []wire.Checksum{wire.AnyPrepare},
				}))
			}
		}},
		"too many bytes are read at once": {FailBound, func(s *simulation) {
			s.plan.limits.RepairBytes = 1
			s.check.reads(0, &vsr.Read{
				To: 1, IDs: []wire.PrepareID{committedID(s, 2), committedID(s, 3)},
			})
		}},
		"what is held is not served": {FailOwed, func(s *simulation) {
			s.check.arrived(0, &wire.RequestPrepares{
				Replica: 1, FromOp: 3, Wanted: []wire.Checksum{s.check.committed[2]},
			})
			s.check.stepped(0, false)
		}},
		"a checkpoint is fetched that nothing needs": {FailOwed, func(s *simulation) {
			s.ticking = true
			s.check.sent(envelope(1, &wire.RequestCheckpoint{
				Cluster: ClusterID, Replica: 1, Checkpoint: committedID(s, 2),
			}))
		}},
		"a checkpoint is fetched for a log that is not stored": {FailTransfer, func(s *simulation) {
			s.check.followTransfer(1, &vsr.Event{
				Action: vsr.EventStartTransfer,
				After:  vsr.State{Status: vsr.StatusViewChange, View: 3},
			})
		}},
		"a checkpoint is installed during an execution": {FailTransfer, func(s *simulation) {
			s.cluster.members[1].executes = []wire.PrepareID{committedID(s, 2)}
			s.check.installs(1)
		}},
	})
}

func TestEachCheckOfWhoHasLostItsDiskFails(t *testing.T) {
	t.Parallel()
	promises := func(s *simulation) {
		s.check.sent(envelope(1, &wire.PrepareOK{
			Cluster: ClusterID, Replica: 1, Op: 2, PrepareChecksum: s.check.committed[1],
		}))
	}
	lost := func(s *simulation) {
		s.check.disk(1).wiped = true
		s.check.replicas[1].rejoining = rejoining{answered: true, offered: 5}
	}
	fails(t, map[string]spoiled{
		"it acknowledges": {FailPromise, func(s *simulation) {
			lost(s)
			promises(s)
		}},
		"one that recovers acknowledges": {FailPromise, func(s *simulation) {
			s.check.replicas[1].last.Status = vsr.StatusRecovering
			promises(s)
		}},
		"it adopts a view that one other is in": {FailIncarnation, func(s *simulation) {
			lost(s)
			s.check.hears(1, &wire.ConfirmViewOK{View: 3, Incarnation: s.cluster.incarnation(1)})
			s.check.adopts(1, 3)
		}},
		"it goes back to an older view": {FailIncarnation, func(s *simulation) {
			lost(s)
			s.check.sent(envelope(1, &wire.ConfirmView{Cluster: ClusterID, Replica: 1, View: 4}))
		}},
		"it does not ask again": {FailOwed, func(s *simulation) {
			lost(s)
			s.check.sent(envelope(1, &wire.RequestStartView{Cluster: ClusterID, Replica: 1}))
			s.check.stepped(1, false)
		}},
		"a view is confirmed that nobody asked about": {FailPromise, func(s *simulation) {
			s.check.sent(envelope(1, &wire.ConfirmViewOK{Cluster: ClusterID, Replica: 1, Round: 77}))
		}},
	})
}

// What who has lost its disk may do passes: it takes part in nothing, asks, and adopts a view that
// two others are in.
func TestAReplicaThatHasLostItsDiskMayComeBack(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	s.check.disk(1).wiped = true
	boot := s.cluster.incarnation(1)
	s.check.hears(1, &wire.StartView{View: 3, Incarnation: boot})
	s.check.sent(envelope(1, &wire.RequestStartView{Cluster: ClusterID, Replica: 1}))
	s.check.sent(envelope(1, &wire.ConfirmView{Cluster: ClusterID, Replica: 1, View: 3}))
	s.check.asksAgain(1)
	s.check.hears(1, &wire.ConfirmViewOK{View: 3, Replica: 2, Incarnation: boot})
	s.check.adopts(1, 3)
	require.Nil(t, s.result.Failure)
}
