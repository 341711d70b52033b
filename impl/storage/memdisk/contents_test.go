package memdisk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

func TestAFileIsFlushedOnceNameAndContentAre(t *testing.T) {
	t.Parallel()
	d := memdisk.New(1)
	require.False(t, d.Flushed("a/x"))
	require.Nil(t, d.Contents("a/x", false))
	f, err := d.Create("a/x")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("one"), 0)
	require.NoError(t, err)
	require.Equal(t, "one", string(d.Contents("a/x", false)))
	require.Nil(t, d.Contents("a/x", true))
	require.NoError(t, f.Sync())
	require.False(t, d.Flushed("a/x"), "its name is not")
	require.NoError(t, d.SyncDir("a"))
	require.True(t, d.Flushed("a/x"))
	_, err = f.WriteAt([]byte("two"), 0)
	require.NoError(t, err)
	require.False(t, d.Flushed("a/x"))
	require.Equal(t, "one", string(d.Contents("a/x", true)))
	require.NoError(t, f.Sync())
	require.NoError(t, d.Rename("a/x", "a/y"))
	require.False(t, d.Flushed("a/y"))
	require.NoError(t, d.SyncDir("a"))
	require.True(t, d.Flushed("a/y"))
}
