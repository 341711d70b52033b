package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// lacking is replica 1, which has adopted the log of view 3 above op 3 and has executed nothing:
// ops 1 to 3 are a hole, 4 to 7 are hollow, and 5 is known to be committed.
func lacking(t *testing.T) (*reader, []*wire.Prepare) {
	t.Helper()
	chain := chainOf(7)
	r := rebooted(t, Recovered{})
	adopts(r, chain[2].Header.ID(), logOf(chain[3:]), 5)
	return newReader(t, r), chain
}

func (r *reader) offered(from wire.ReplicaID, checkpoint wire.PrepareID) Output {
	return r.step(Receive{Message: &wire.CheckpointChunk{
		View: 3, Replica: from, Checkpoint: checkpoint,
	}})
}

// chunk delivers four of the eight bytes of a checkpoint.
func (r *reader) chunk(from wire.ReplicaID, of wire.PrepareID, snapshot, offset uint64) Output {
	return r.step(Receive{Message: &wire.CheckpointChunk{
		View: 3, Replica: from, Checkpoint: of, Snapshot: wire.Checksum{Lo: snapshot}, Total: 8,
		Offset: offset, Data: make([]byte, 4),
	}})
}

// asks are the questions for a checkpoint in an output.
func asks(out Output) (to []wire.ReplicaID, offsets []uint64) {
	for _, m := range out.Messages {
		if ask, ok := m.Message.(*wire.RequestCheckpoint); ok {
			to, offsets = append(to, m.To), append(offsets, ask.Offset)
		}
	}
	return to, offsets
}

// promised are the ops that an output acknowledges.
func promised(out Output) []wire.Op {
	var ops []wire.Op
	for _, m := range out.Messages {
		if ok, is := m.Message.(*wire.PrepareOK); is {
			ops = append(ops, ok.Op)
		}
	}
	return ops
}

// fetched fetches the checkpoint whole, and returns what the last chunk came to.
func (r *reader) fetched(from wire.ReplicaID, checkpoint wire.PrepareID) Output {
	r.offered(from, checkpoint)
	for offset := uint64(0); offset < 8; offset += 4 {
		out := r.chunk(from, checkpoint, 1, offset)
		require.NotNil(r.t, out.StoreChunk)
		require.Equal(r.t, offset, out.StoreChunk.Offset)
		if offset == 4 {
			return r.step(ChunkStored{Checkpoint: checkpoint, Offset: 8})
		}
		r.step(ChunkStored{Checkpoint: checkpoint, Offset: 4})
	}
	return Output{}
}

// The target is in the verified chain, above what is executed, and known to be committed: a
// sender's word is none of these (R21).
func TestWhichCheckpointIsFetched(t *testing.T) {
	t.Parallel()
	r, chain := lacking(t)
	stranger := chain[3].Header.ID()
	stranger.Checksum.Lo++
	for name, tc := range map[string]struct {
		checkpoint wire.PrepareID
		want       bool
	}{
		"of an op of the chain":      {chain[3].Header.ID(), true},
		"of the chain's base":        {chain[2].Header.ID(), true},
		"of the last that committed": {chain[4].Header.ID(), true},
		"of one that may not commit": {chain[5].Header.ID(), false},
		"of another prepare":         {stranger, false},
		"of an op in the hole":       {chain[1].Header.ID(), false},
	} {
		r := newReader(t, r.Clone())
		to, _ := asks(r.offered(2, tc.checkpoint))
		require.Equal(t, tc.want, len(to) == 1, name)
		require.Equal(t, tc.want, r.walkStop() == StopTransferring, name)
	}
}

// Snapshot, pairing, state record, memory: in this order (R21).
func TestAnInstallChangesMemoryLast(t *testing.T) {
	t.Parallel()
	r, chain := lacking(t)
	target := chain[4].Header.ID()
	out := r.fetched(2, target)
	require.NotNil(t, out.InstallCheckpoint)
	require.Equal(t, target, out.InstallCheckpoint.Checkpoint)
	out = r.step(CheckpointInstalled{ID: target})
	require.NotNil(t, out.StoreState)
	require.Equal(t, target, out.StoreState.Base)
	require.Equal(t, logOf(chain[5:]), out.StoreState.Headers, "nothing above the target goes")
	require.Equal(t, wire.View(3), out.StoreState.LogView, "the log view stays")
	require.Zero(t, r.commitMin)
	require.Zero(t, out.Release)
	out = r.step(StateStored{LogView: 3})
	require.Equal(t, wire.Op(5), out.Release)
	require.Equal(t, wire.Op(5), r.commitMin)
	require.Equal(t, wire.Op(7), r.log.head())
}

// What could not be acknowledged during the install is owed at its end, whatever the end (R21).
func TestWhatIsOwedIsSentAtTheEndOfAnInstall(t *testing.T) {
	t.Parallel()
	for name, installed := range map[string]bool{"it is done": true, "it is refused": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, chain := lacking(t)
			target := chain[3].Header.ID()
			body := r.step(Receive{
				Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: *chain[5]},
			})
			require.Len(t, body.StorePrepares, 1)
			require.NotNil(t, r.fetched(2, target).InstallCheckpoint)
			out := r.step(PrepareStored{ID: chain[5].Header.ID()})
			require.Empty(t, promised(out), "not while a checkpoint is being installed")
			if !installed {
				require.Equal(t, []wire.Op{6}, promised(r.step(CheckpointRefused{ID: target})))
				return
			}
			require.Empty(t, promised(r.step(CheckpointInstalled{ID: target})))
			require.Equal(t, []wire.Op{6}, promised(r.step(StateStored{LogView: 3})))
		})
	}
}

// Another sender goes on behind the chunks that are here, if they are of the same bytes.
func TestATransferGoesOnWithAnotherSender(t *testing.T) {
	t.Parallel()
	r, chain := lacking(t)
	target := chain[4].Header.ID()
	r.offered(2, target)
	r.chunk(2, target, 1, 0)
	_, offsets := asks(r.step(ChunkStored{Checkpoint: target, Offset: 4}))
	require.Equal(t, []uint64{4}, offsets)
	var to []wire.ReplicaID
	for range 20_000 { // the one asked is silent: once more, then another
		r.step(Receive{Message: &wire.Commit{View: 3, Commit: 5}}) // the primary lives
		if to, offsets = asks(r.step(Tick{})); len(to) > 0 && to[0] != 2 {
			break
		}
	}
	require.Equal(t, []wire.ReplicaID{0}, to)
	require.Equal(t, []uint64{4}, offsets, "what is here is not fetched again")
	out := r.chunk(0, target, 2, 4)
	require.Nil(t, out.StoreChunk, "the bytes of another snapshot do not go on behind these")
	_, offsets = asks(out)
	require.Equal(t, []uint64{0}, offsets)
}

// A change of view ends a fetch, and no install (R21).
func TestAViewChangeDropsAFetchAndNoInstall(t *testing.T) {
	t.Parallel()
	leave := func(r *reader) {
		r.step(LeaveView{})
		r.step(SuperblockStored{Superblock: Superblock{View: 4, LogView: 3}})
	}
	r, chain := lacking(t)
	target := chain[4].Header.ID()
	r.offered(2, target)
	require.True(t, r.transferring())
	leave(r)
	require.False(t, r.transferring())

	r, chain = lacking(t)
	target = chain[4].Header.ID()
	r.fetched(2, target)
	leave(r)
	require.True(t, r.installing())
	r.step(CheckpointInstalled{ID: target})
	r.step(StateStored{LogView: 3})
	require.Equal(t, wire.Op(5), r.commitMin)
	require.Equal(t, wire.View(3), r.logView)
}
