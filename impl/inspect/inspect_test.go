package inspect_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint/crashtest"
	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// filled is a data directory with two groups.
func filled(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	disk, err := storage.OpenDirectory(directory)
	require.NoError(t, err)
	require.NoError(t, crashtest.Fill(disk))
	require.NoError(t, disk.Close())
	return directory
}

func TestItSaysWhatRecoveryWouldDoAndChangesNothing(t *testing.T) {
	t.Parallel()
	directory := filled(t)
	before := disktest.Picture(directory)
	r, err := inspect.Directory(directory, wire.ClusterID{})
	require.NoError(t, err)
	assert.Equal(t, before, disktest.Picture(directory))
	require.Len(t, r.Groups, 2)
	assert.EqualValues(t, 8, r.Groups[1].Adopted)
	assert.Greater(t, r.Groups[1].Highest, r.Groups[1].Adopted)
	assert.Positive(t, r.Groups[1].Segments)
	assert.False(t, r.Refused())
	assert.Contains(t, strings.Join(r.Groups[1].Discarded, "\n"), "above_checkpoint")
}

func TestDamageIsRefusedInItsGroup(t *testing.T) {
	t.Parallel()
	directory := filled(t)
	name := filepath.Join(directory, "groups/0000000000000002/segments/00000000000000000000.log")
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	content[200] ^= 1
	require.NoError(t, os.WriteFile(name, content, 0o600))
	before := disktest.Picture(directory)
	r, err := inspect.Directory(directory, wire.ClusterID{})
	require.NoError(t, err)
	assert.True(t, r.Refused())
	assert.Empty(t, r.Groups[0].Refused)
	assert.Contains(t, r.Groups[1].Refused, "damaged")
	assert.Equal(t, before, disktest.Picture(directory))
}

func requireOneLine(t *testing.T, err error, want string) {
	t.Helper()
	require.ErrorContains(t, err, want)
	assert.NotContains(t, err.Error(), "\n")
}

func TestWhatIsNoDataDirectoryGetsOneLineAndStaysAsItIs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm    func(t *testing.T, directory string) string
		cluster wire.ClusterID
		want    string
	}{
		"no such directory": {
			func(_ *testing.T, d string) string { return d + "/none" },
			wire.ClusterID{},
			"no such file",
		},
		"a file": {
			func(_ *testing.T, d string) string { return d + "/superblock.a" },
			wire.ClusterID{},
			"a file, expected a data directory",
		},
		"a log that is gone": {
			func(t *testing.T, d string) string {
				require.NoError(t, os.RemoveAll(filepath.Join(d, "wal")))
				return d
			},
			wire.ClusterID{},
			"the write-ahead log is gone",
		},
		"an empty directory": {
			func(t *testing.T, _ string) string { return t.TempDir() },
			wire.ClusterID{},
			"no superblock",
		},
		"a foreign file": {func(t *testing.T, d string) string {
			require.NoError(t, os.WriteFile(d+"/notes.txt", nil, 0o600))
			return d
		}, wire.ClusterID{}, "notes.txt: no part of a data directory"},
		"a foreign file in the log": {func(t *testing.T, d string) string {
			require.NoError(t, os.WriteFile(d+"/wal/notes.txt", nil, 0o600))
			return d
		}, wire.ClusterID{}, "no file of a log"},
		"a foreign file among segments": {func(t *testing.T, d string) string {
			at := d + "/groups/0000000000000002/segments/notes.txt"
			require.NoError(t, os.WriteFile(at, nil, 0o600))
			return d
		}, wire.ClusterID{}, "no file of a partition"},
		"a symbolic link that leads to itself": {func(t *testing.T, d string) string {
			require.NoError(t, os.Symlink("loop", d+"/loop"))
			return d + "/loop"
		}, wire.ClusterID{}, "too many levels"},
		"such a link inside": {func(t *testing.T, d string) string {
			require.NoError(t, os.Remove(d+"/superblock.b"))
			require.NoError(t, os.Symlink("superblock.b", d+"/superblock.b"))
			return d
		}, wire.ClusterID{}, "superblock.b: a symbolic link, expected files"},
		"a newer version": {func(t *testing.T, d string) string {
			for _, name := range []string{"/superblock.a", "/superblock.b"} {
				content, err := os.ReadFile(d + name)
				require.NoError(t, err)
				content[4]++  // The version,
				content[50]++ // and so another checksum.
				require.NoError(t, os.WriteFile(d+name, content, 0o600))
			}
			return d
		}, wire.ClusterID{}, "has version 2, expected 1"},
		"another cluster's": {
			func(_ *testing.T, d string) string { return d },
			wire.ClusterID{Lo: 8},
			"is of cluster",
		},
		"a directory where a file is expected": {func(t *testing.T, d string) string {
			require.NoError(t, os.Remove(d+"/superblock.a"))
			require.NoError(t, os.Mkdir(d+"/superblock.a", 0o700))
			return d
		}, wire.ClusterID{}, "superblock.a: no part of a data directory"},
		"a file where a directory is expected": {func(t *testing.T, d string) string {
			require.NoError(t, os.RemoveAll(d+"/groups"))
			require.NoError(t, os.WriteFile(d+"/groups", nil, 0o600))
			return d
		}, wire.ClusterID{}, "groups: no part of a data directory"},
		"a superblock that is a pipe": {func(t *testing.T, d string) string {
			require.NoError(t, os.Remove(d+"/superblock.a"))
			require.NoError(t, syscall.Mkfifo(d+"/superblock.a", 0o600))
			return d
		}, wire.ClusterID{}, "superblock.a: a pipe, expected files"},
		"both superblocks damaged": {func(t *testing.T, d string) string {
			for _, name := range []string{"/superblock.a", "/superblock.b"} {
				require.NoError(t, os.Truncate(d+name, 30))
			}
			return d
		}, wire.ClusterID{}, "superblock"},
		"superblocks lost, but a log": {func(t *testing.T, d string) string {
			for _, name := range []string{"/superblock.a", "/superblock.b"} {
				require.NoError(t, os.Remove(d+name))
			}
			return d
		}, wire.ClusterID{}, "superblock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filled(t)
			at := tc.harm(t, directory)
			before := disktest.Picture(directory)
			_, err := inspect.Directory(at, tc.cluster)
			requireOneLine(t, err, tc.want)
			assert.Equal(t, before, disktest.Picture(directory))
		})
	}
}
