package node_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var first = node.Identity{Cluster: "c", Replica: 1, Replicas: 3}

func TestFormatGivesAnIdentity(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "new", "data")
	require.NoError(t, node.Format(directory, first))
	report, err := inspect.Directory(directory, wire.ClusterIDOf("c"))
	require.NoError(t, err)
	assert.Empty(t, report.Groups)
	assert.Equal(t, &inspect.Identity{Replica: 1, Replicas: 3}, report.Identity)
	assert.False(t, report.Refused())
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, node.Format(other, node.Identity{
		Cluster: "c", Replica: 1, Replicas: 3, Replaces: true,
	}))
	report, err = inspect.Directory(other, wire.ClusterIDOf("c"))
	require.NoError(t, err)
	assert.Contains(t, report.Identity.Replaced(), "not back yet")
}

// content lists what is in a directory, with its bytes.
func content(t *testing.T, directory string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(directory, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		bytes, err := os.ReadFile(name)
		files[name] = string(bytes)
		return err
	}))
	return files
}

// What is not empty is refused, and stays as it was.
func TestFormatRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, directory string)
		want    string
		is      error
	}{
		"a second time": {func(t *testing.T, d string) {
			require.NoError(t, node.Format(d, first))
		}, "already", superblock.ErrFormatted},
		"a file of something else": {func(t *testing.T, d string) {
			require.NoError(t, os.WriteFile(filepath.Join(d, "diary"), []byte("x"), 0o600))
		}, "diary", nil},
		"a directory of something else": {func(t *testing.T, d string) {
			require.NoError(t, os.Mkdir(filepath.Join(d, "photos"), 0o700))
		}, "photos", nil},
		"a log whose superblock is gone": {func(t *testing.T, d string) {
			require.NoError(t, os.Mkdir(filepath.Join(d, "wal"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(d, "wal", "1"), []byte("x"), 0o600))
		}, "wal", nil},
		"a superblock that cannot be read": {func(t *testing.T, d string) {
			require.NoError(t, os.WriteFile(filepath.Join(d, superblock.FileA), []byte("x"), 0o600))
		}, "superblock", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			tc.prepare(t, directory)
			before := content(t, directory)
			err := node.Format(directory, first)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "\n")
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			assert.Equal(t, before, content(t, directory))
		})
	}
}

func TestFormatRefusesWhatIsNoReplica(t *testing.T) {
	t.Parallel()
	for _, id := range []node.Identity{
		{Replica: 0, Replicas: 1},
		{Cluster: "c", Replica: 3, Replicas: 3},
		{Cluster: "c", Replica: -1, Replicas: 3},
		{Cluster: "c"},
		{Cluster: "c", Replicas: 8},
		{Cluster: "c", Replicas: 1, Replaces: true},
	} {
		directory := filepath.Join(t.TempDir(), "data")
		require.ErrorContains(t, node.Format(directory, id), "expected")
		assert.NoDirExists(t, directory)
	}
}

// What a crash between the two updates of the superblock leaves can be formatted again.
func TestFormatIsFinishedAfterACrash(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	node.FormatHalf(t, directory, "c")
	other := first
	other.Cluster = "d"
	require.ErrorIs(t, node.Format(directory, other), superblock.ErrFormatted)
	require.NoError(t, node.Format(directory, first))
	require.ErrorIs(t, node.Format(directory, first), superblock.ErrFormatted)
}

func TestOneProcessUsesADirectory(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	unlock := node.Lock(t, directory)
	require.ErrorIs(t, node.Format(directory, first), node.ErrBusy)
	unlock()
	require.NoError(t, node.Format(directory, first))
}
