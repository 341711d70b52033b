package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// soloWith is a replica that is alone and has executed n ops.
func soloWith(t *testing.T, n wire.RequestNumber, checkpoints Checkpoints) *Cluster {
	t.Helper()
	c, err := NewCluster(Config{
		Replicas: 1, Timers: Timers(), Machine: statemachine.NewRegister, Checkpoints: checkpoints,
	})
	require.NoError(t, err)
	for number := wire.RequestNumber(1); number <= n; number++ {
		c.Request(0, writeRequest(number))
		c.FinishWrite(0, 0)
		c.FinishExecute(0)
	}
	return c
}

// A checkpoint is three writes: the snapshot, its pairing, the state record. A crash after any
// number of them boots with the newest complete snapshot, and the same state.
func TestABootTakesTheNewestCompleteSnapshot(t *testing.T) {
	t.Parallel()
	for finished, want := range map[int]wire.Op{0: 0, 1: 5, 2: 5, 3: 5} {
		c := soloWith(t, 5, Checkpoints{Every: 5})
		machine := c.Machine(0).Checksum()
		require.True(t, c.CheckpointDue(0))
		c.TakeCheckpoint(0)
		require.False(t, c.CheckpointDue(0), "it is under way")
		for range finished {
			c.FinishWrite(0, 0)
		}
		require.NoError(t, c.Restart(0))
		assert.Equal(t, want, c.State(0).CommitMin, "%d writes", finished)
		assert.Equal(t, wire.Op(5), c.State(0).OpHead, "%d writes", finished)
		if want > 0 {
			assert.Equal(t, machine, c.Machine(0).Checksum(), "%d writes", finished)
		}
		wantRecords := 5 // released with the state record, which is there in their place
		if finished == 3 {
			wantRecords = 1
		}
		assert.Len(t, c.members[0].disk.records, wantRecords, "%d writes", finished)
	}
}

func TestASuperblockThatNamesNoSnapshotDoesNotBoot(t *testing.T) {
	t.Parallel()
	c := soloWith(t, 5, Checkpoints{Every: 5})
	c.TakeCheckpoint(0)
	for range 3 {
		c.FinishWrite(0, 0)
	}
	c.members[0].disk.snapshots = nil
	require.ErrorContains(t, c.Restart(0), "superblock: expected a checkpoint")
}

// What the checkpoint covers goes, with the records that nothing reads any more; what lies
// above stays.
func TestAReleaseKeepsWhatLiesAbove(t *testing.T) {
	t.Parallel()
	c := soloWith(t, 3, Checkpoints{Every: 3})
	c.TakeCheckpoint(0)
	c.Request(0, writeRequest(4))
	for c.Writes(0) > 0 {
		c.FinishWrite(0, 0)
	}
	c.FinishExecute(0)
	d := &c.members[0].disk
	assert.Len(t, d.bodies, 1)
	placed := d.placed()
	assert.Equal(t, wire.Op(3), placed.base.Op)
	assert.Equal(t, wire.Op(4), placed.head())
	machine := c.Machine(0).Checksum()
	require.NoError(t, c.Restart(0))
	assert.Equal(t, wire.Op(4), c.State(0).OpHead)
	for c.State(0).Status != vsr.StatusNormal {
		c.Input(0, vsr.Tick{})
		for c.Writes(0) > 0 {
			c.FinishWrite(0, 0)
		}
	}
	c.FinishExecute(0)
	assert.Equal(t, machine, c.Machine(0).Checksum())
}

func TestWhatIsFetchedIsVerified(t *testing.T) {
	t.Parallel()
	c := soloWith(t, 3, Checkpoints{})
	m := c.members[0]
	sound := takeSnapshot(m, 0)
	for name, tc := range map[string]struct {
		change func(*fetched)
		want   bool
	}{
		"the whole":               {func(*fetched) {}, true},
		"a byte that differs":     {func(f *fetched) { f.data[40] ^= 1 }, false},
		"a piece that is missing": {func(f *fetched) { f.data = f.data[:40] }, false},
		"nothing":                 {func(f *fetched) { f.data = nil }, false},
		"that of another op":      {func(f *fetched) { f.checkpoint.Op++ }, false},
	} {
		f := fetched{
			checkpoint: sound.id, snapshot: wire.ChecksumOf(sound.data),
			data: append([]byte(nil), sound.data...),
		}
		tc.change(&f)
		assert.Equal(t, tc.want, openSnapshot(&f) != nil, name)
	}
}
