package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Every check of transfers must be able to fail: each case does one thing too many in a sound run.
func TestEachCheckOfTransfersFails(t *testing.T) {
	t.Parallel()
	at := func(op wire.Op) wire.PrepareID {
		return wire.PrepareID{Op: op, Checksum: wire.Checksum{Lo: uint64(op)}}
	}
	start := func(s *simulation, op, known wire.Op) {
		s.check.followTransfer(1, &vsr.Event{
			Action: vsr.EventStartTransfer, Op: op,
			After: vsr.State{Status: vsr.StatusNormal, CommitMax: known},
		})
	}
	piece := func(snapshot, offset uint64) *vsr.StoreChunk {
		return &vsr.StoreChunk{
			Checkpoint: at(9), Snapshot: wire.Checksum{Lo: snapshot}, Total: 20, Offset: offset,
			Data: make([]byte, 10),
		}
	}
	for name, does := range map[string]func(*simulation){
		"a checkpoint is fetched that is not known to be committed": func(s *simulation) {
			start(s, 9, 8)
		},
		"a piece of another snapshot goes behind the first": func(s *simulation) {
			start(s, 9, 9)
			s.check.fetched(1, piece(1, 0))
			s.check.fetched(1, piece(2, 10))
		},
		"a piece leaves a gap": func(s *simulation) {
			start(s, 9, 9)
			s.check.fetched(1, piece(1, 0))
			s.check.fetched(1, piece(1, 11))
		},
		"what is here is fetched again": func(s *simulation) {
			start(s, 9, 9)
			s.check.fetched(1, piece(1, 0))
			s.check.fetched(1, piece(1, 0))
		},
		"what is here is fetched again after a piece of the same snapshot": func(s *simulation) {
			start(s, 9, 9)
			s.check.fetched(1, piece(1, 0))
			s.check.arrived(1, &wire.CheckpointChunk{
				Checkpoint: at(9), Snapshot: wire.Checksum{Lo: 1}, Total: 20, Offset: 10, Data: []byte{1},
			})
			s.check.fetched(1, piece(1, 0))
		},
		"a peer that is silent is asked for ever": func(s *simulation) {
			m := &wire.RequestCheckpoint{Cluster: ClusterID, Replica: 1, Checkpoint: at(9)}
			for range askedMax + 1 {
				s.check.sent(envelope(1, m))
			}
		},
		"an op is acknowledged during an install": func(s *simulation) {
			s.check.installs(1)
			s.check.sent(envelope(1, &wire.PrepareOK{Cluster: ClusterID, Replica: 1, Op: 2}))
		},
		"an op is executed during a transfer": func(s *simulation) {
			start(s, 9, 9)
			s.check.stepped(1, true)
		},
		"memory is at a checkpoint before the disk": func(s *simulation) {
			s.check.restored(1, s.cluster.State(1).CommitMin)
		},
		"what was withheld is never acknowledged": func(s *simulation) {
			for s.cluster.State(1).OpHead == s.cluster.State(1).CommitMax ||
				len(s.cluster.State(1).Hollow) > 0 {
				s.tick()
			}
			s.check.replicas[1].promises = promises{}
			s.check.refuses(1)
			s.check.stepped(1, false)
		},
		"the log goes back to an older checkpoint": func(s *simulation) {
			for _, op := range []wire.Op{9, 8} {
				s.check.followTransfer(1, &vsr.Event{Action: vsr.EventTakeCheckpoint, Op: op})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := warmUp(t)
			s.cluster.members[1].executes = nil
			does(s)
			require.NotNil(t, s.result.Failure)
			require.Equal(t, FailTransfer, s.result.Failure.Kind, s.result.Failure.Text)
		})
	}
}

// What a transfer may do passes: it goes on with another sender, from its first byte if that has
// another snapshot, and a refused one begins anew.
func TestTransfersThatGoOnPass(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	piece := func(snapshot, offset uint64) *vsr.StoreChunk {
		return &vsr.StoreChunk{
			Snapshot: wire.Checksum{Lo: snapshot}, Total: 20, Offset: offset, Data: make([]byte, 10),
		}
	}
	for _, p := range []*vsr.StoreChunk{piece(1, 0), piece(2, 0), piece(2, 10)} {
		s.check.fetched(1, p)
	}
	s.check.installs(1)
	s.check.refuses(1)
	s.check.fetched(1, piece(2, 0))
	m := &wire.RequestCheckpoint{Cluster: ClusterID, Replica: 1}
	for range askedMax {
		for to := range 2 {
			s.check.sent(Packet{From: 1, To: 2 * to, Frame: wire.Encode(m), Message: m})
		}
	}
	require.Nil(t, s.result.Failure)
}

// Two replicas keep the same checkpoint in different bytes: a piece of the second is no use behind
// those of the first, so a replica drops what it has, and its first sender begins anew.
func TestATransferBeginsAnewAfterAPieceOfAnotherSnapshot(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	first := &vsr.StoreChunk{Snapshot: wire.Checksum{Lo: 1}, Total: 20, Data: make([]byte, 10)}
	s.check.followTransfer(1, &vsr.Event{Action: vsr.EventStartTransfer})
	s.check.fetched(1, first)
	s.check.arrived(1, &wire.CheckpointChunk{
		Snapshot: wire.Checksum{Lo: 2}, Total: 20, Offset: 10, Data: make([]byte, 10),
	})
	s.check.fetched(1, first)
	require.Nil(t, s.result.Failure)
	s.check.fetched(1, first)
	require.NotNil(t, s.result.Failure, "once, and not more often")
}

// In the run of this seed a piece of another snapshot arrives in the midst of a transfer.
func TestARunInWhichTwoSnapshotsOfACheckpointMeetPasses(t *testing.T) {
	t.Parallel()
	result, err := Run(Options{Seed: 1856, Faults: FaultsSwarm})
	require.NoError(t, err)
	require.Nil(t, result.Failure, result.String())
}
