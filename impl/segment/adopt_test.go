package segment_test

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

const (
	firstLog   = "00000000000000000000.log"
	firstIndex = "00000000000000000000.index"
)

// twoBatches is a disk with a log of two batches of fixed sizes, which begin with a letter, and
// its mark: two of them differ in nothing but content and chain.
func twoBatches(t *testing.T, letters string) (*memdisk.Disk, segment.Mark) {
	t.Helper()
	disk := memdisk.New(1)
	l, _ := open(t, disk, segment.Mark{})
	for _, letter := range []byte(letters) {
		b := batch(l, 90)
		b.Body[0] = letter
		require.NoError(t, l.Append(b))
	}
	require.NoError(t, l.Sync())
	require.NoError(t, l.Close())
	return disk, l.Mark()
}

// overwrite puts content over the start of a file.
func overwrite(t *testing.T, disk *memdisk.Disk, name string, with []byte) {
	t.Helper()
	f, err := disk.Open(path.Join(directory, name))
	require.NoError(t, err)
	_, err = f.WriteAt(with, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func lostReason(t *testing.T, err error) segment.Reason {
	t.Helper()
	var lost *segment.LostError
	require.ErrorAs(t, err, &lost)
	return lost.Reason
}

// R14: each batch verifies, and they are of two logs.
func TestABatchThatContinuesAnotherLogIsNotAdopted(t *testing.T) {
	t.Parallel()
	disk, mark := twoBatches(t, "ab")
	other, _ := twoBatches(t, "xb")
	first := content(t, other, firstLog)
	overwrite(t, disk, firstLog, first[:len(first)/2])
	require.NoError(t, disk.Remove(path.Join(directory, firstIndex)))
	_, _, err := segment.Open(disk, config, mark)
	assert.Equal(t, segment.Unchained, lostReason(t, err))
}

// R14: a segment of another partition verifies, too.
func TestABatchOfAnotherPartitionIsNotAdopted(t *testing.T) {
	t.Parallel()
	disk, mark := twoBatches(t, "ab")
	other := config
	other.Group++
	_, _, err := segment.Open(disk, other, mark)
	assert.Equal(t, segment.Foreign, lostReason(t, err))
}

// R17: the checkpoint says by the chain which batches it covers.
func TestSegmentsThatEndOtherwiseThanTheCheckpointSaysAreNotAdopted(t *testing.T) {
	t.Parallel()
	disk, _ := twoBatches(t, "ab")
	_, mark := twoBatches(t, "ax")
	_, _, err := segment.Open(disk, config, mark)
	assert.Equal(t, segment.Forked, lostReason(t, err))
}

// R14: an index that verifies may describe other batches of the same offsets and sizes.
func TestAnIndexOfOtherBatchesIsMadeAnew(t *testing.T) {
	t.Parallel()
	disk, mark := twoBatches(t, "ab")
	other, _ := twoBatches(t, "ax")
	overwrite(t, disk, firstIndex, content(t, other, firstIndex))
	_, report := open(t, disk, mark)
	require.Len(t, report.Discarded, 1)
	assert.Equal(t, segment.IndexStale, report.Discarded[0].Reason)
}

// What a consumer has not read stays, however old or much it is.
func TestRetentionHoldsWhatAConsumerHasNotRead(t *testing.T) {
	t.Parallel()
	l, batches := filled(t, memdisk.New(1), 12)
	all := segment.Retention{Now: 1 << 40, Age: 1, Bytes: 1, Hold: batches[5].Offset}
	require.Positive(t, l.Retain(all))
	assert.LessOrEqual(t, l.Mark().Start, batches[5].Offset)
	all.Hold = 1<<64 - 1
	require.Positive(t, l.Retain(all), "nothing holds it any more")
	assert.Greater(t, l.Mark().Start, batches[5].Offset)
}
