package wal

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What keeps the oldest file is named: ops above a checkpoint, or a state record that none has
// followed. Exactly then the file stays.
func TestTheGroupsThatKeepTheOldestFileAreNamed(t *testing.T) {
	t.Parallel()
	config := Config{
		Directory: "wal", FileBytes: 4096, FilesMax: 8, RecordsMax: 100,
		Incarnation: wire.Uint128{Lo: 1},
	}
	log, _, err := Open(memdisk.New(1), config)
	require.NoError(t, err)
	prepare := func(group wire.GroupID, op wire.Op) {
		_, err := log.Append(Record{
			Head: Head{
				Kind: KindPrepare, Group: group, Op: op,
				Checksum: wire.Checksum{Lo: uint64(op), Hi: uint64(group)},
			},
			Body: make([]byte, 1200),
		})
		require.NoError(t, err)
	}
	state := func(group wire.GroupID) {
		_, err := log.Append(Record{Head: Head{Kind: KindState, Group: group}})
		require.NoError(t, err)
		require.NoError(t, log.Sync())
	}
	checkpoints := map[wire.GroupID]wire.Op{}
	prepare(1, 1)
	state(2)
	assert.Empty(t, log.Blocking(checkpoints), "the only file")
	for op := wire.Op(2); log.Files() < 2; op++ {
		prepare(1, op)
	}
	assert.Equal(t, map[wire.GroupID]Need{1: {Checkpoint: true, State: true}, 2: {State: true}},
		log.Blocking(checkpoints))
	checkpoints[1] = 9
	assert.Equal(t, map[wire.GroupID]Need{1: {State: true}, 2: {State: true}},
		log.Blocking(checkpoints), "no newer state record")
	state(1)
	assert.Equal(t, map[wire.GroupID]Need{2: {State: true}}, log.Blocking(checkpoints))
	released, err := log.Release(checkpoints)
	require.NoError(t, err)
	assert.Zero(t, released)
	state(2)
	assert.Empty(t, log.Blocking(checkpoints))
	released, err = log.Release(checkpoints)
	require.NoError(t, err)
	assert.Equal(t, 1, released)
}
