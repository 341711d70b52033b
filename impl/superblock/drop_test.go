package superblock_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
)

// Groups that exist no more leave the record for good, in one update; others stay as they are.
func TestGroupsAreDropped(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	s := formatted(t, disk, 3)
	second, third := state(7), state(8)
	second.Group, third.Group = 2, 3
	require.NoError(t, s.Write(second, third))
	before := s.Record().Sequence
	require.NoError(t, s.Drop(9))
	assert.Equal(t, before, s.Record().Sequence, "nothing to do is no update")
	require.NoError(t, s.Drop(1, 3, 9))
	assert.Equal(t, before+1, s.Record().Sequence)
	disk.PowerLoss(memdisk.Nothing)
	s, err := superblock.Open(disk, "node", example.Cluster)
	require.NoError(t, err)
	assert.Equal(t, []superblock.GroupState{second}, s.Record().Groups)
}
