package storage_test

import (
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// What both disks must do alike: code that was tested on the one runs on the other.
func TestDisksBehaveAlike(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, storage.Disk){
		"what was written is read back, with zeros in gaps": readsWhatWasWritten,
		"truncate cuts and extends with zeros":              truncates,
		"allocate adds zeros and keeps what is there":       allocates,
		"create refuses a name that is taken":               createsOnce,
		"a name that does not exist is refused":             refusesMissing,
		"rename replaces in one step":                       renames,
		"rename into another directory is refused":          refusesOtherDirectory,
		"paths cannot leave the root":                       refusesPaths,
		"list is sorted and knows one directory":            lists,
		"a closed file refuses all calls":                   refusesClosed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("in memory", func(t *testing.T) {
				t.Parallel()
				test(t, memdisk.New(1))
			})
			t.Run("on the operating system", func(t *testing.T) {
				t.Parallel()
				disk, err := storage.OpenDirectory(t.TempDir())
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, disk.Close()) })
				test(t, disk)
			})
		})
	}
}

func TestOpenDirectoryRefusesOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	_, err := storage.OpenDirectory(t.TempDir() + "/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func readsWhatWasWritten(t *testing.T, disk storage.Disk) {
	f := create(t, disk, "a/b/c")
	n, err := f.WriteAt([]byte("xyz"), 4)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, "a/b/c", f.Path())
	assert.Equal(t, "\x00\x00\x00\x00xyz", content(t, f))
	require.NoError(t, f.Sync())
	require.NoError(t, disk.SyncDir("a/b"))

	again, err := disk.Open("a/b/c")
	require.NoError(t, err)
	defer func() { require.NoError(t, again.Close()) }()
	buffer := make([]byte, 5)
	n, err = again.ReadAt(buffer, 4)
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "xyz", string(buffer[:n]))
	_, err = again.WriteAt([]byte("x"), -1)
	require.Error(t, err)
	_, err = again.ReadAt(buffer, -1)
	require.Error(t, err)
}

func truncates(t *testing.T, disk storage.Disk) {
	f := create(t, disk, "f")
	_, err := f.WriteAt([]byte("abcdef"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(2))
	require.NoError(t, f.Truncate(4))
	assert.Equal(t, "ab\x00\x00", content(t, f))
	require.Error(t, f.Truncate(-1))
}

func allocates(t *testing.T, disk storage.Disk) {
	f := create(t, disk, "f")
	_, err := f.WriteAt([]byte("abc"), 0)
	require.NoError(t, err)
	require.NoError(t, f.Allocate(3<<20))
	require.NoError(t, f.Allocate(2), "shorter: nothing to do")
	require.NoError(t, f.Sync())
	size, err := f.Size()
	require.NoError(t, err)
	assert.EqualValues(t, 3<<20, size)
	assert.Equal(t, "abc\x00\x00", content(t, f)[:5])
	assert.Empty(t, strings.Trim(content(t, f)[5:], "\x00"))
}

// Opening a pipe would hang, and what a link leads to is not ours.
func TestDirectoryOpensRegularFilesOnly(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	disk, err := storage.OpenDirectory(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	create(t, disk, "file")
	require.NoError(t, os.Symlink("file", root+"/link"))
	require.NoError(t, os.Symlink("loop", root+"/loop"))
	require.NoError(t, os.Mkdir(root+"/directory", 0o755))
	require.NoError(t, syscall.Mkfifo(root+"/pipe", 0o600))
	for _, name := range []string{"link", "loop", "directory", "pipe"} {
		_, err := disk.Open(name)
		require.ErrorIs(t, err, storage.ErrNotRegular, name)
		require.ErrorContains(t, err, "open "+name)
		_, err = disk.Create(name)
		require.ErrorIs(t, err, storage.ErrNotRegular, name)
	}
	names, err := disk.List(".")
	require.NoError(t, err)
	assert.Equal(t, []string{"file"}, names)
}

// The kernel's own full device: whatever is written to it, no space is left.
func TestAFullDiskIsTyped(t *testing.T) {
	t.Parallel()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is always full: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	_, err = storage.FileOf(f).WriteAt([]byte("x"), 0)
	require.ErrorIs(t, err, storage.ErrFull)

	disk := memdisk.New(1)
	g := create(t, disk, "f")
	disk.Limit(5)
	n, err := g.WriteAt([]byte("1234567"), 0)
	require.ErrorIs(t, err, storage.ErrFull)
	assert.Equal(t, 5, n)
}

func createsOnce(t *testing.T, disk storage.Disk) {
	create(t, disk, "f")
	_, err := disk.Create("f")
	require.ErrorIs(t, err, fs.ErrExist)
	assert.ErrorContains(t, err, "create f")
}

func refusesMissing(t *testing.T, disk storage.Disk) {
	_, err := disk.Open("f")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, disk.Remove("f"), fs.ErrNotExist)
	require.ErrorIs(t, disk.Rename("f", "g"), fs.ErrNotExist)
}

func renames(t *testing.T, disk storage.Disk) {
	f := create(t, disk, "new")
	_, err := f.WriteAt([]byte("new"), 0)
	require.NoError(t, err)
	create(t, disk, "old")
	require.NoError(t, disk.Rename("new", "old"))
	names, err := disk.List(".")
	require.NoError(t, err)
	assert.Equal(t, []string{"old"}, names)
	f, err = disk.Open("old")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	assert.Equal(t, "new", content(t, f))
}

func refusesOtherDirectory(t *testing.T, disk storage.Disk) {
	create(t, disk, "a/f")
	require.ErrorIs(t, disk.Rename("a/f", "b/f"), storage.ErrDirectory)
}

func refusesPaths(t *testing.T, disk storage.Disk) {
	for _, path := range []string{"", "/f", "../f", "a/../f", "a//f", "a/"} {
		_, err := disk.Create(path)
		require.ErrorIs(t, err, fs.ErrInvalid, "create %q", path)
		_, err = disk.Open(path)
		require.ErrorIs(t, err, fs.ErrInvalid, "open %q", path)
		require.ErrorIs(t, disk.Remove(path), fs.ErrInvalid, "remove %q", path)
		require.ErrorIs(t, disk.Rename(path, "f"), fs.ErrInvalid, "rename from %q", path)
		require.ErrorIs(t, disk.Rename("f", path), fs.ErrInvalid, "rename to %q", path)
		require.ErrorIs(t, disk.SyncDir(path), fs.ErrInvalid, "sync directory %q", path)
		_, err = disk.List(path)
		require.ErrorIs(t, err, fs.ErrInvalid, "list %q", path)
	}
}

func lists(t *testing.T, disk storage.Disk) {
	for _, path := range []string{"d/b", "d/a", "d/sub/x", "top"} {
		create(t, disk, path)
	}
	names, err := disk.List("d")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	require.NoError(t, disk.Remove("d/a"))
	names, err = disk.List("d")
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, names)
	names, err = disk.List("none")
	require.NoError(t, err)
	assert.Empty(t, names)
}

func refusesClosed(t *testing.T, disk storage.Disk) {
	f, err := disk.Create("f")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = f.WriteAt([]byte("x"), 0)
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = f.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = f.Size()
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, f.Truncate(0), fs.ErrClosed)
	require.ErrorIs(t, f.Sync(), fs.ErrClosed)
	require.ErrorIs(t, f.Close(), fs.ErrClosed)
}

// create makes a file that is closed when the test ends.
func create(t *testing.T, disk storage.Disk, path string) storage.File {
	t.Helper()
	f, err := disk.Create(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// content reads a whole file.
func content(t *testing.T, f storage.File) string {
	t.Helper()
	size, err := f.Size()
	require.NoError(t, err)
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if err != nil {
		require.ErrorIs(t, err, io.EOF)
	}
	return string(data[:n])
}
