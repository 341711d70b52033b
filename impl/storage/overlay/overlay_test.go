package overlay_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/storage/overlay"
)

func put(t *testing.T, disk storage.Disk, name, text string) {
	t.Helper()
	f, err := disk.Create(name)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(text), 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func get(t *testing.T, disk storage.Disk, name string) string {
	t.Helper()
	f, err := disk.Open(name)
	require.NoError(t, err)
	size, err := f.Size()
	require.NoError(t, err)
	p := make([]byte, size)
	_, err = f.ReadAt(p, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return string(p)
}

func TestChangesStayAbove(t *testing.T) {
	t.Parallel()
	base := memdisk.New(1)
	for _, name := range []string{"d/a", "d/b", "d/c"} {
		put(t, base, name, "below")
	}
	disk := overlay.New(base)
	f, err := disk.Open("d/a")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("AB"), 4)
	require.NoError(t, err)
	require.NoError(t, f.Allocate(8))
	require.NoError(t, disk.Rename("d/b", "d/n"))
	require.NoError(t, disk.Remove("d/c"))
	put(t, disk, "d/new", "above")

	assert.Equal(t, "beloAB\x00\x00", get(t, disk, "d/a"))
	assert.Equal(t, "below", get(t, disk, "d/n"))
	names, err := disk.List("d")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "n", "new"}, names)
	_, err = disk.Open("d/c")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = disk.Create("d/a")
	require.ErrorIs(t, err, fs.ErrExist)
	require.NoError(t, disk.Close())

	names, err = base.List("d")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, names)
	assert.Equal(t, "below", get(t, base, "d/a"))
}
