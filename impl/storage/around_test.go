package storage_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// sector is aligned memory full of one letter.
func sector(letter byte, sectors int) []byte {
	b := storage.Aligned(sectors * storage.AroundBytes)
	copy(b, bytes.Repeat([]byte{letter}, len(b)))
	return b
}

// directory is a disk of the operating system.
func directory(t *testing.T) (*storage.Directory, string) {
	root := t.TempDir()
	disk, err := storage.OpenDirectory(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	return disk, root
}

// allocated is a file of zeros, flushed.
func allocated(t *testing.T, disk storage.Disk, sizeBytes int64) storage.File {
	f := create(t, disk, "f")
	require.NoError(t, f.Allocate(sizeBytes))
	require.NoError(t, f.Sync())
	return f
}

// Both ways meet in one page, in every order, and none loses what the other wrote.
func TestWritesThroughAndAroundThePageCacheAreReadBackAlike(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]func(*testing.T) storage.Disk{
		"in memory": func(*testing.T) storage.Disk { return memdisk.New(1) },
		"on the operating system": func(t *testing.T) storage.Disk {
			d, _ := directory(t)
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := disk(t)
			f := allocated(t, d, 64<<10)
			want := make([]byte, 64<<10)
			for i := range 100 {
				p := sector(byte('a'+i%26), 1+i%3)
				at := int64(i) * storage.AroundBytes
				write := f.WriteAt
				if i%2 == 0 || i%7 == 0 {
					write = func(p []byte, offset int64) (int, error) {
						return storage.WriteAround(f, p, offset)
					}
				}
				n, err := write(p, at)
				require.NoError(t, err)
				require.Equal(t, len(p), n)
				copy(want[at:], p)
				require.Equal(t, string(want), content(t, f), "after write %d", i)
			}
			require.NoError(t, f.Sync())
			again, err := d.Open("f")
			require.NoError(t, err)
			defer func() { require.NoError(t, again.Close()) }()
			assert.Equal(t, string(want), content(t, again))
		})
	}
}

// Reads of what lies beside, in the same pages, while one writes both ways.
func TestReadersFindWhatIsWrittenWhileTheyRead(t *testing.T) {
	t.Parallel()
	disk, _ := directory(t)
	f := allocated(t, disk, 256<<10)
	written := make(chan int64, 512) // Behind each write.
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			got := make([]byte, storage.AroundBytes)
			for at := range written {
				if _, err := f.ReadAt(got, at); !assert.NoError(t, err) {
					return
				}
				letter := byte(at / storage.AroundBytes)
				assert.Equal(t, bytes.Repeat([]byte{letter}, len(got)), got, "at %d", at)
			}
		})
	}
	for i := range 512 {
		at := int64(i) * storage.AroundBytes
		var err error
		if i%3 == 0 {
			_, err = f.WriteAt(sector(byte(i), 1), at)
		} else {
			_, err = storage.WriteAround(f, sector(byte(i), 1), at)
		}
		require.NoError(t, err)
		written <- at
	}
	close(written)
	readers.Wait()
}

func TestAWriteThatIsNotAlignedGoesThroughThePageCache(t *testing.T) {
	t.Parallel()
	for name, p := range map[string][]byte{
		"of odd memory": sector('x', 2)[1:513],
		"of odd length": sector('x', 1)[:511],
		"of nothing":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk, _ := directory(t)
			f := allocated(t, disk, 4096)
			around := storage.GoesAround(f)
			for _, offset := range []int64{0, 7} {
				n, err := storage.WriteAround(f, p, offset)
				require.NoError(t, err)
				assert.Equal(t, len(p), n)
			}
			assert.Equal(t, around, storage.GoesAround(f), "that is no reason to give up")
		})
	}
}

// secondFile is a second descriptor that answers as told, and counts.
type secondFile struct {
	answer         error
	writes, closed int
}

func (s *secondFile) WriteAt(p []byte, _ int64) (int, error) {
	s.writes++
	if s.answer != nil {
		return 0, &os.PathError{Op: "write", Path: "f", Err: s.answer}
	}
	return len(p), nil
}

func (s *secondFile) Close() error {
	s.closed++
	return nil
}

// What the second descriptor refuses goes through the page cache from then on; what the disk
// refuses is an error, as of any write.
func TestWhatCannotGoAroundGoesThroughThePageCacheFromThenOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opened, written error
		want            error
		wantCached      bool
		wantWrites      int // Of two.
	}{
		"it works":                           {wantWrites: 2},
		"the file system opens no such file": {opened: syscall.EINVAL, wantCached: true},
		"too many files are open":            {opened: syscall.EMFILE, wantCached: true},
		"the sectors are larger": {
			written: syscall.EINVAL, wantCached: true, wantWrites: 1,
		},
		"the file system takes no such write": {
			written: syscall.EOPNOTSUPP, wantCached: true, wantWrites: 1,
		},
		"a broken disk is no reason to try again": {
			written: syscall.EIO, want: syscall.EIO, wantWrites: 2,
		},
		"a full disk says so": {
			written: syscall.ENOSPC, want: storage.ErrFull, wantWrites: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := os.Create(filepath.Join(t.TempDir(), "f"))
			require.NoError(t, err)
			second := &secondFile{answer: test.written}
			f := storage.FileAround(file, second, test.opened)
			for i := range int64(2) {
				_, err := storage.WriteAround(f, sector('x', 1), i*storage.AroundBytes)
				require.ErrorIs(t, err, test.want)
			}
			assert.Equal(t, test.wantWrites, second.writes)
			size, err := f.Size()
			require.NoError(t, err)
			if test.wantCached {
				assert.Equal(t, int64(2*storage.AroundBytes), size)
			} else {
				assert.Zero(t, size, "the page cache has nothing of it")
			}
			require.NoError(t, f.Close())
			if test.opened == nil {
				assert.Equal(t, 1, second.closed)
			}
			_, err = storage.WriteAround(f, sector('x', 1), 0)
			require.ErrorIs(t, err, os.ErrClosed)
		})
	}
}

// A name that leads to another file by now is not written to.
func TestAFileWhoseNameWasTakenIsNotWrittenAround(t *testing.T) {
	t.Parallel()
	disk, root := directory(t)
	f := allocated(t, disk, 4096)
	require.NoError(t, disk.Rename("f", "g"))
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte("another"), 0o600))
	_, err := storage.WriteAround(f, sector('x', 1), 0)
	require.NoError(t, err)
	assert.Contains(t, content(t, f), string(sector('x', 1)))
	other, err := os.ReadFile(filepath.Join(root, "f"))
	require.NoError(t, err)
	assert.Equal(t, "another", string(other))
	assert.False(t, storage.GoesAround(f))
}

func TestAFileThatIsOnlyReadIsNeverOpenedTwice(t *testing.T) {
	t.Parallel()
	disk, root := directory(t)
	allocated(t, disk, 4096)
	readOnly, err := storage.OpenReadOnly(root)
	require.NoError(t, err)
	defer func() { require.NoError(t, readOnly.Close()) }()
	f, err := readOnly.Open("f")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	_, err = storage.WriteAround(f, sector('x', 1), 0)
	require.Error(t, err)
	assert.False(t, storage.GoesAround(f))
}

var _ io.WriterAt = (*secondFile)(nil)
