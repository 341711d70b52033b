package storage_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// Where the file system lets such writes be made, they are: it is asked by hand.
func TestWritesGoAroundThePageCacheWhereTheFileSystemCanDoThat(t *testing.T) {
	t.Parallel()
	disk, root := directory(t)
	f := allocated(t, disk, 4096)
	byHand, err := os.OpenFile(filepath.Join(root, "f"), os.O_RDWR|syscall.O_DIRECT, 0)
	can := err == nil
	if can {
		_, err = byHand.WriteAt(sector('x', 1), storage.AroundBytes)
		can = err == nil
		require.NoError(t, byHand.Close())
	}
	_, err = storage.WriteAround(f, sector('y', 1), storage.AroundBytes)
	require.NoError(t, err)
	assert.Equal(t, can, storage.GoesAround(f))
}
