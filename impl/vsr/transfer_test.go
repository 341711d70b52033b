package vsr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// behind is a backup of view 3, primary r0, that has executed op 1 of six and has no body of ops
// 2 to 4. Op 4 is known as committed.
func behind(t *testing.T) (*Replica, []*wire.Prepare) {
	t.Helper()
	chain := chainOf(6)
	stored := append(idsOf(chain[:1]), idsOf(chain[4:])...)
	r := rebooted(t, Recovered{Headers: logOf(chain), Stored: stored})
	executes(t, r, adopts(r, wire.PrepareID{}, logOf(chain), 4), 1)
	require.Equal(t, StopMissingBody, r.walkStop())
	return r, chain
}

func offerOf(from wire.ReplicaID, id wire.PrepareID) Receive {
	return Receive{Message: &wire.CheckpointChunk{View: 3, Replica: from, Checkpoint: id}}
}

// chunkOf is a piece of two bytes of a checkpoint of four, from replica 2.
func chunkOf(id wire.PrepareID, offset uint64) Receive {
	return Receive{Message: &wire.CheckpointChunk{
		View: 3, Replica: 2, Checkpoint: id, Snapshot: wire.Checksum{Lo: 7}, Total: 4,
		Offset: offset, Data: []byte{1, 2},
	}}
}

// questions returns the questions for pieces in an output.
func questions(out Output) []*wire.RequestCheckpoint {
	var all []*wire.RequestCheckpoint
	for _, e := range out.Messages {
		if m, ok := e.Message.(*wire.RequestCheckpoint); ok {
			all = append(all, m)
		}
	}
	return all
}

// A target lies in the verified chain, above commit min and at or below the known commit max: a
// sender's word is neither (R21; mutants loose and serve_checkpoint_ahead_of_commit of
// Transfer.tla).
func TestOnlyACheckpointInTheChainAndKnownAsCommittedIsFetched(t *testing.T) {
	t.Parallel()
	id := func(i int) func([]*wire.Prepare) wire.PrepareID {
		return func(chain []*wire.Prepare) wire.PrepareID { return chain[i].Header.ID() }
	}
	for name, tc := range map[string]struct {
		offered func(chain []*wire.Prepare) wire.PrepareID
		want    bool
	}{
		"of a committed op":                       {id(3), true},
		"below the commit max":                    {id(2), true},
		"of an op that is not known as committed": {id(4), false},
		"of what is executed here":                {id(0), false},
		"of another prepare at the op": {
			func(chain []*wire.Prepare) wire.PrepareID {
				return wire.PrepareID{Op: 3, Checksum: chain[3].Header.Checksum}
			}, false,
		},
		"of an op beyond the head": {
			func([]*wire.Prepare) wire.PrepareID { return wire.PrepareID{Op: 9} }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, chain := behind(t)
			out := r.Step(offerOf(2, tc.offered(chain)))
			assert.Equal(t, tc.want, r.transferring())
			assert.Equal(t, tc.want, len(questions(out)) == 1)
			if tc.want {
				assert.Equal(t, StopTransferring, r.walkStop())
				assert.Equal(t, wire.ReplicaID(2), out.Messages[0].To)
			}
		})
	}
}

// A replica that lacks nothing which a checkpoint covers fetches none.
func TestACheckpointThatIsNotNeededIsNotFetched(t *testing.T) {
	t.Parallel()
	r, chain := behind(t)
	for _, p := range chain[1:4] {
		r.Step(Receive{Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: *p}})
		r.Step(PrepareStored{ID: p.Header.ID()})
	}
	require.Empty(t, questions(r.Step(offerOf(2, chain[3].Header.ID()))))
	require.False(t, r.transferring())
}

// An offer beyond the head says that no prepare of the next op will come: the backup asks its
// primary for the log as it is now, and a StartView of its own view raises its head, never lowers
// it (R7; mutants startview_never_raises_head and startview_lowers_head of Transfer.tla).
func TestABackupWhoseNextOpIsReleasedRaisesItsHead(t *testing.T) {
	t.Parallel()
	chain := chainOf(6)
	r := rebooted(t, Recovered{Headers: logOf(chain[:2]), Stored: idsOf(chain[:2])})
	executes(t, r, adopts(r, wire.PrepareID{}, logOf(chain[:2]), 2), 2)
	out := r.Step(offerOf(0, chain[4].Header.ID()))
	require.Len(t, out.Messages, 1)
	ask := out.Messages[0].Message.(*wire.RequestStartView)
	require.Equal(t, wire.Op(2), ask.Head)

	log := func(n int, commit wire.Op) Receive {
		return Receive{Message: &wire.StartView{
			View: 3, Base: chain[4].Header.ID(), Headers: logOf(chain[5:n]), Commit: commit,
		}}
	}
	r.Step(log(6, 5))
	r.Step(StateStored{LogView: 3})
	r.Step(SuperblockStored{Superblock: Superblock{View: 3, LogView: 3}})
	require.Equal(t, wire.Op(6), r.log.head())
	require.True(t, r.hasHole())
	require.Nil(t, r.Step(log(5, 5)).StoreState, "it never lowers the head")
	require.Nil(t, r.Step(log(6, 5)).StoreState)
	require.Equal(t, uint64(2), r.Refused(RefuseStale))

	out = r.Step(offerOf(0, chain[4].Header.ID()))
	require.Len(t, questions(out), 1, "now the checkpoint is in the chain")
}

// The order of an install: snapshot and pairing by the host, state record over the new base with
// the release, memory. Meanwhile nothing is executed, taken or acknowledged; at the end all that
// is owed is. Log view and what lies above the target stay (R21).
func TestAnInstallKeepsItsOrder(t *testing.T) {
	t.Parallel()
	r, chain := behind(t)
	target := chain[3].Header.ID()
	r.Step(offerOf(2, target))
	out := r.Step(chunkOf(target, 0))
	require.Equal(t, &StoreChunk{
		Checkpoint: target, Snapshot: wire.Checksum{Lo: 7}, Total: 4, Data: []byte{1, 2},
	}, out.StoreChunk)
	require.Nil(t, r.Step(chunkOf(target, 2)).StoreChunk, "one at a time")
	out = r.Step(ChunkStored{Checkpoint: target, Offset: 2})
	require.Equal(t, uint64(2), questions(out)[0].Offset)
	require.Nil(t, r.Step(chunkOf(target, 0)).StoreChunk, "it is here")
	require.NotNil(t, r.Step(chunkOf(target, 2)).StoreChunk)
	out = r.Step(ChunkStored{Checkpoint: target, Offset: 4})
	require.Equal(t, target, out.InstallCheckpoint.Checkpoint)

	next := *chain[4]
	require.Empty(t, r.Step(Receive{Message: &next}).Messages, "an acknowledgement is owed")
	require.Nil(t, r.Step(offerOf(0, target)).StoreChunk)
	require.Equal(t, wire.Op(1), r.commitMin)
	out = r.Step(CheckpointInstalled{ID: target, Timestamp: 77})
	require.Equal(t, target, out.StoreState.Base)
	require.Equal(t, logOf(chain[4:]), out.StoreState.Headers)
	require.Equal(t, wire.View(3), out.StoreState.LogView)
	require.Zero(t, out.Release)
	require.Equal(t, wire.Op(1), r.commitMin, "memory follows the disk")
	out = r.Step(StateStored{LogView: 3})
	require.Equal(t, target.Op, out.Release)
	require.Equal(t, target.Op, r.commitMin)
	require.Equal(t, uint64(77), r.appliedAt)
	require.Equal(t, wire.Op(6), r.log.head())
	require.False(t, r.transferring())
	var owed []wire.Op
	for _, e := range out.Messages {
		if m, ok := e.Message.(*wire.PrepareOK); ok {
			owed = append(owed, m.Op)
		}
	}
	require.Equal(t, []wire.Op{5, 6}, owed)
	require.Equal(t, Transfers{Started: 1, Finished: 1}, r.Transfers())
}

// The target's bytes are not what they should be: everything is as before, what was withheld is
// sent, and the next offer begins anew.
func TestARefusedInstallOwesItsAcknowledgements(t *testing.T) {
	t.Parallel()
	r, chain := behind(t)
	target := chain[3].Header.ID()
	r.Step(offerOf(2, target))
	for offset := uint64(0); offset < 4; offset += 2 {
		r.Step(chunkOf(target, offset))
		r.Step(ChunkStored{Checkpoint: target, Offset: offset + 2})
	}
	out := r.Step(CheckpointRefused{ID: target})
	require.False(t, r.transferring())
	require.Equal(t, StopMissingBody, r.walkStop())
	require.Len(t, out.Messages, 3, "the commit point and two acknowledgements")
	out = r.Step(offerOf(2, target))
	require.Zero(t, questions(out)[0].Offset)
	require.Equal(t, Transfers{Started: 2, Abandoned: 1}, r.Transfers())
}

// A replica votes while it transfers, with its durable log and log view. A view change drops a
// fetch; an install goes on, and ends in the new view (R21; mutants view_change_keeps_transfer
// and view_change_drops_install of Transfer.tla).
func TestAVoteDoesNotWaitForATransfer(t *testing.T) {
	t.Parallel()
	for name, installing := range map[string]bool{"fetching": false, "installing": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, chain := behind(t)
			target := chain[3].Header.ID()
			r.Step(offerOf(2, target))
			if installing {
				for offset := uint64(0); offset < 4; offset += 2 {
					r.Step(chunkOf(target, offset))
					r.Step(ChunkStored{Checkpoint: target, Offset: offset + 2})
				}
			}
			r.Step(Receive{Message: &wire.StartViewChange{View: 5, Replica: 0}})
			r.Step(SuperblockStored{Superblock: Superblock{View: 5, LogView: 3}})
			r.Step(Tick{})
			require.Equal(t, StatusViewChange, r.status)
			require.NotNil(t, r.vote)
			assert.Equal(t, wire.View(3), r.vote.LogView)
			assert.Equal(t, wire.Op(6), logOfVote(r.vote).head())
			assert.Equal(t, wire.Op(1), r.vote.Commit)
			assert.Equal(t, installing, r.transferring())
			if !installing {
				return
			}
			require.Equal(t, target, r.Step(CheckpointInstalled{ID: target}).StoreState.Base)
			require.Equal(t, target.Op, r.Step(StateStored{LogView: 3}).Release)
			assert.Equal(t, target.Op, r.commitMin)
			assert.Equal(t, wire.View(3), r.logView)
			assert.Equal(t, wire.Op(1), r.vote.Commit, "there is one vote a view")
		})
	}
}

// A checkpoint of what the state machine has executed may come while a view change holds the
// result back: its state record waits until the op counts.
func TestACheckpointOfAnOpThatDoesNotCountYetWaits(t *testing.T) {
	t.Parallel()
	chain := chainOf(2)
	r := rebooted(t, Recovered{Headers: logOf(chain), Stored: idsOf(chain)})
	out := adopts(r, wire.PrepareID{}, logOf(chain), 2)
	executes(t, r, out, 1)
	r.Step(LeaveView{})
	r.Step(SuperblockStored{Superblock: Superblock{View: 4, LogView: 3}})
	require.Equal(t, StatusViewChange, r.status)
	r.Step(Executed{ID: chain[1].Header.ID()})
	require.Equal(t, wire.Op(1), r.commitMin)
	require.Nil(t, r.Step(Checkpointed{ID: chain[1].Header.ID()}).StoreState)

	r.Step(Receive{Message: &wire.StartView{View: 5, Replica: 2, Headers: logOf(chain), Commit: 2}})
	r.Step(StateStored{LogView: 5})
	out = r.Step(SuperblockStored{Superblock: Superblock{View: 5, LogView: 5}})
	require.Equal(t, wire.Op(2), r.commitMin)
	require.Equal(t, chain[1].Header.ID(), out.StoreState.Base)
	require.Equal(t, wire.Op(2), r.Step(StateStored{LogView: 5}).Release)
}

// Timestamps rise along the log also where the log is empty above its checkpoint.
func TestAPrimaryKnowsTheTimeOfItsCheckpoint(t *testing.T) {
	t.Parallel()
	chain := chainOf(2)
	r, err := New(Config{
		ReplicaCount: 1, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 9},
	}, Recovered{Base: chain[1].Header.ID(), Timestamp: 1000})
	require.NoError(t, err)
	r.status = StatusNormal
	out := r.Step(Receive{Message: &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1, Operation: 240, Timestamp: 5,
	}})
	require.Equal(t, uint64(1001), out.StorePrepares[0].Prepare.Header.Timestamp)
}

// A primary lost the body of a committed op before it executed it, and its backups have released
// the op: it installs their checkpoint, and its pipeline stays.
func TestAPrimaryThatLostAnOpTransfers(t *testing.T) {
	t.Parallel()
	chain := chainOf(6)
	r := rebooted(t, Recovered{Headers: logOf(chain), Stored: idsOf(chain)})
	r.status, r.view, r.logView, r.commitMax = StatusNormal, 1, 1, 4
	for _, id := range idsOf(chain[4:]) {
		r.pipeline = append(r.pipeline, inFlight{id: id})
	}
	target := chain[3].Header.ID()
	r.Step(PrepareLost{ID: chain[1].Header.ID()})
	out := r.Step(Tick{})
	require.Equal(t, wire.CommandRequestPrepares, out.Messages[0].Message.Command())
	require.Len(t, questions(r.Step(offerOf(2, target))), 1)
	for offset := uint64(0); offset < 4; offset += 2 {
		r.Step(chunkOf(target, offset))
		out = r.Step(ChunkStored{Checkpoint: target, Offset: offset + 2})
	}
	require.Equal(t, target, out.InstallCheckpoint.Checkpoint)
	r.Step(CheckpointInstalled{ID: target})
	r.Step(StateStored{LogView: 1})
	require.Equal(t, target.Op, r.commitMin)
	require.Len(t, r.pipeline, 2)
	require.Empty(t, r.missing.faulty)
	require.True(t, r.isPrimary())
}

// What was executed here, and rotted, and is released by its peers, need not be repaired: their
// checkpoint covers it, and the next one here does.
func TestAnExecutedOpThatPeersHaveReleasedIsNotRepaired(t *testing.T) {
	t.Parallel()
	chain := chainOf(3)
	r := rebooted(t, Recovered{Headers: logOf(chain), Stored: idsOf(chain)})
	executes(t, r, adopts(r, wire.PrepareID{}, logOf(chain), 3), 3)
	r.Step(PrepareLost{ID: chain[1].Header.ID()})
	require.True(t, r.lacksPrepares())
	require.Empty(t, questions(r.Step(offerOf(2, chain[2].Header.ID()))))
	require.False(t, r.lacksPrepares())
	require.False(t, r.transferring())
}

// What is being stored at the head is about to be acknowledged, and may reach further than a
// StartView of the view: the log grows by itself, and nothing of it is replaced meanwhile (R7).
func TestAHeadIsNotRaisedWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	r := rebooted(t, Recovered{Headers: logOf(chain[:2]), Stored: idsOf(chain[:2])})
	executes(t, r, adopts(r, wire.PrepareID{}, logOf(chain[:2]), 2), 2)
	parent := chain[1].Header.Checksum
	for _, p := range chain[2:] {
		p.Header.View, p.Header.Parent = 3, parent
		p.Seal()
		parent = p.Header.Checksum
		require.Len(t, r.Step(Receive{Message: p}).StorePrepares, 1)
	}
	out := r.Step(Receive{Message: &wire.StartView{
		View: 3, Base: chain[1].Header.ID(), Headers: logOf(chain[2:3]), Commit: 2,
	}})
	require.Nil(t, out.StoreState)
	require.Equal(t, uint64(1), r.Refused(RefuseInTransition))
	for _, p := range chain[2:] {
		out = r.Step(PrepareStored{ID: p.Header.ID()})
		require.Equal(t, []wire.Op{p.Header.Op}, promised(out))
		require.Nil(t, out.StoreState)
	}
	require.Equal(t, wire.Op(4), r.log.head())
}
