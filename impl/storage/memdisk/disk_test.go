package memdisk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

const sector = memdisk.SectorBytes

// sectors returns n sectors full of the letter.
func sectors(letter byte, n int) []byte { return bytes.Repeat([]byte{letter}, n*sector) }

func TestKillKeepsThePageCache(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	f := create(t, disk, "f")
	write(t, f, 0, []byte("written"))
	disk.Kill()
	_, err := f.WriteAt([]byte("late"), 0)
	require.ErrorIs(t, err, memdisk.ErrKilled)
	_, err = f.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, memdisk.ErrKilled)
	_, err = f.Size()
	require.ErrorIs(t, err, memdisk.ErrKilled)
	require.ErrorIs(t, f.Sync(), memdisk.ErrKilled)
	require.ErrorIs(t, f.Truncate(0), memdisk.ErrKilled)
	require.NoError(t, f.Close())
	assert.Equal(t, "written", string(read(t, disk, "f")))
}

func TestPowerLossKeepsWhatWasSyncedAndAnyPartOfTheRest(t *testing.T) {
	t.Parallel()
	// Before each loss the file holds two synced sectors of 's', the first of them
	// overwritten with 'n' and a third added, both unsynced.
	for name, tc := range map[string]struct {
		survives memdisk.Survival
		want     []byte
	}{
		"nothing unsynced": {memdisk.Nothing, sectors('s', 2)},
		"everything": {
			memdisk.Everything, bytes.Join([][]byte{sectors('n', 1), sectors('s', 1), sectors('n', 1)}, nil),
		},
		"the later write without the earlier one": {
			func(u memdisk.Unsynced) bool { return u.Kind != memdisk.UnsyncedSector || u.Sector == 2 },
			bytes.Join([][]byte{sectors('s', 2), sectors('n', 1)}, nil),
		},
		"the new size without its content": {
			func(u memdisk.Unsynced) bool { return u.Kind == memdisk.UnsyncedSize },
			bytes.Join([][]byte{sectors('s', 2), sectors(0, 1)}, nil),
		},
		"new content without the new size": {
			func(u memdisk.Unsynced) bool { return u.Kind == memdisk.UnsyncedSector },
			bytes.Join([][]byte{sectors('n', 1), sectors('s', 1)}, nil),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			f := create(t, disk, "f")
			write(t, f, 0, sectors('s', 2))
			require.NoError(t, f.Sync())
			require.NoError(t, disk.SyncDir("."))
			write(t, f, 0, sectors('n', 1))
			write(t, f, 2*sector, sectors('n', 1))
			disk.PowerLoss(tc.survives)
			assert.True(t, bytes.Equal(tc.want, read(t, disk, "f")))
			disk.PowerLoss(memdisk.Nothing)
			assert.True(t, bytes.Equal(tc.want, read(t, disk, "f")), "what survived once is stable")
		})
	}
}

func TestSizesSurviveInOrder(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	f := create(t, disk, "f")
	require.NoError(t, disk.SyncDir("."))
	for i := range int64(4) {
		write(t, f, i*10, []byte("0123456789"))
	}
	disk.PowerLoss(func(u memdisk.Unsynced) bool {
		return u.Kind != memdisk.UnsyncedSize || u.Size != 30
	})
	assert.Equal(t, "01234567890123456789", string(read(t, disk, "f")))
}

func TestTruncatedContentCanComeBackOnlyWithItsSize(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		survives memdisk.Survival
		want     string
	}{
		"the cut survives":              {memdisk.Everything, "ab\x00\x00"},
		"the cut alone survives":        {onlySizes, "ab\x00\x00"},
		"the cut does not":              {memdisk.Nothing, "abcdef"},
		"the sector without either cut": {onlySectors, "ab\x00\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			f := create(t, disk, "f")
			write(t, f, 0, []byte("abcdef"))
			require.NoError(t, f.Sync())
			require.NoError(t, disk.SyncDir("."))
			require.NoError(t, f.Truncate(2))
			require.NoError(t, f.Truncate(4))
			disk.PowerLoss(tc.survives)
			assert.Equal(t, tc.want, string(read(t, disk, "f")))
		})
	}
}

func onlySizes(u memdisk.Unsynced) bool { return u.Kind == memdisk.UnsyncedSize }

func onlySectors(u memdisk.Unsynced) bool { return u.Kind == memdisk.UnsyncedSector }

// Replacing a file by temporary file and rename: whatever survives, a reader finds
// the old content or the new one, if the steps are in the right order.
func TestNamesAreDurableOnlyAfterSyncDir(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	save(t, disk, "f", "old")
	require.NoError(t, disk.SyncDir("."))

	save(t, disk, "f.tmp", "new")
	require.NoError(t, disk.Rename("f.tmp", "f"))
	assert.Equal(t, "new", string(read(t, disk, "f")))
	disk.PowerLoss(memdisk.Nothing)
	assert.Equal(t, "old", string(read(t, disk, "f")))
	_, err := disk.Open("f.tmp")
	require.ErrorIs(t, err, fs.ErrNotExist, "a synced file without a durable name is gone")

	save(t, disk, "f.tmp", "new")
	require.NoError(t, disk.Rename("f.tmp", "f"))
	disk.PowerLoss(func(u memdisk.Unsynced) bool { return u.Path == "f" })
	assert.Equal(t, "new", string(read(t, disk, "f")), "the rename alone survives")

	require.NoError(t, disk.Remove("f"))
	disk.PowerLoss(memdisk.Nothing)
	assert.Equal(t, "new", string(read(t, disk, "f")), "a remove is durable only after SyncDir")
	require.NoError(t, disk.Remove("f"))
	require.NoError(t, disk.SyncDir("."))
	disk.PowerLoss(memdisk.Nothing)
	_, err = disk.Open("f")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// The trap of fsync: after a failure the pages count as clean, and a second sync
// returns at once.
func TestAFailedSyncIsNotRepairedByASecondOne(t *testing.T) {
	t.Parallel()
	broken := errors.New("medium error")
	lost := 0
	for seed := range uint64(20) {
		disk := memdisk.New(seed)
		f := create(t, disk, "f")
		require.NoError(t, disk.SyncDir("."))
		write(t, f, 0, []byte("content"))
		disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
			if op.Kind == memdisk.OperationSync {
				return &memdisk.Fault{Err: broken}
			}
			return nil
		})
		require.ErrorIs(t, f.Sync(), broken)
		disk.Inject(nil)
		require.NoError(t, f.Sync())
		assert.Equal(t, "content", string(read(t, disk, "f")), "the cache still shows it")
		disk.PowerLoss(memdisk.Everything)
		if string(read(t, disk, "f")) != "content" {
			lost++
		}
	}
	assert.Positive(t, lost, "no seed lost anything")
	assert.Less(t, lost, 20, "every seed lost everything")
}

func TestFaultsHitTheOperationTheyAreMeantFor(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for kind, act := range map[memdisk.OperationKind]func(*memdisk.Disk, storage.File) error{
		memdisk.OperationCreate: func(d *memdisk.Disk, _ storage.File) error {
			_, err := d.Create("g")
			return err
		},
		memdisk.OperationOpen: func(d *memdisk.Disk, _ storage.File) error {
			_, err := d.Open("f")
			return err
		},
		memdisk.OperationRename: func(d *memdisk.Disk, _ storage.File) error {
			return d.Rename("f", "g")
		},
		memdisk.OperationRemove: func(d *memdisk.Disk, _ storage.File) error { return d.Remove("f") },
		memdisk.OperationSyncDir: func(d *memdisk.Disk, _ storage.File) error {
			return d.SyncDir(".")
		},
		memdisk.OperationRead: func(_ *memdisk.Disk, f storage.File) error {
			_, err := f.ReadAt(make([]byte, 1), 0)
			return err
		},
		memdisk.OperationWrite: func(_ *memdisk.Disk, f storage.File) error {
			n, err := f.WriteAt([]byte("abc"), 0)
			if n != 2 {
				return fmt.Errorf("%d bytes written, expected 2", n)
			}
			return err
		},
		memdisk.OperationTruncate: func(_ *memdisk.Disk, f storage.File) error { return f.Truncate(0) },
		memdisk.OperationSync:     func(_ *memdisk.Disk, f storage.File) error { return f.Sync() },
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			f := create(t, disk, "f")
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind != kind {
					return nil
				}
				return &memdisk.Fault{Err: broken, Bytes: 2}
			})
			require.ErrorIs(t, act(disk, f), broken)
			operations := disk.Operations()
			last := operations[len(operations)-1]
			assert.Equal(t, kind, last.Kind)
			require.ErrorIs(t, last.Err, broken)
			disk.Inject(nil)
			if kind == memdisk.OperationWrite {
				assert.Equal(t, "ab", string(read(t, disk, "f")), "the part that took effect")
			} else {
				assert.Empty(t, read(t, disk, "f"))
			}
		})
	}
}

func TestRotAndTearChangeBothLevels(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	save(t, disk, "f", "abcdef")
	require.NoError(t, disk.SyncDir("."))
	require.NoError(t, disk.Rot("f", 1, 0x03))
	require.NoError(t, disk.Tear("f", 4))
	require.NoError(t, disk.Tear("f", 9), "a shorter file stays as it is")
	assert.Equal(t, "aacd", string(read(t, disk, "f")))
	disk.PowerLoss(memdisk.Nothing)
	assert.Equal(t, "aacd", string(read(t, disk, "f")))

	require.ErrorIs(t, disk.Rot("g", 0, 1), fs.ErrNotExist)
	require.ErrorIs(t, disk.Tear("g", 0), fs.ErrNotExist)
	require.ErrorContains(t, disk.Rot("f", 4, 1), "offset 4, expected 0 to 3")
	require.ErrorContains(t, disk.Tear("f", -1), "expected 0 or more")
}

func TestOperationsAreNotedInOrder(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	f := create(t, disk, "f")
	write(t, f, 3, []byte("abc"))
	require.NoError(t, f.Sync())
	require.NoError(t, disk.SyncDir("."))
	require.NoError(t, disk.Rename("f", "g"))
	require.Error(t, disk.Remove("f"))
	require.NoError(t, f.Truncate(1))
	disk.Kill()
	disk.PowerLoss(memdisk.Nothing)
	var lines []string
	for _, op := range disk.Operations() {
		lines = append(lines, op.String())
	}
	assert.Equal(t, []string{
		"create f", "write f offset=3 bytes=3", "sync f", "sync directory .", "rename f to g",
		`remove f error="remove f: file does not exist"`, "truncate f bytes=1", "kill", "power loss",
	}, lines)
	assert.Equal(t, "operation(99)", memdisk.OperationKind(99).String())
}

func TestTheLogOfOperationsIsBounded(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	f := create(t, disk, "f")
	for range 20_000 {
		require.NoError(t, f.Sync())
	}
	n := len(disk.Operations())
	assert.GreaterOrEqual(t, n, 4096)
	assert.LessOrEqual(t, n, 8192)
}

// Two levels against a model of each: after any calls the cache is as the calls left
// it, and after a power loss every byte is the synced one, the cached one, or zero.
func TestTheDiskKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		disk := memdisk.New(rapid.Uint64().Draw(t, "seed"))
		f := create(t, disk, "f")
		require.NoError(t, disk.SyncDir("."))
		var cached, synced []byte
		clean := true // Nothing was written since the last sync.
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				offset := rapid.IntRange(0, 3*sector).Draw(t, "offset")
				p := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 1).Draw(t, "letter"),
					rapid.IntRange(1, 2*sector).Draw(t, "bytes"))
				write(t, f, int64(offset), p)
				if grow := offset + len(p) - len(cached); grow > 0 {
					cached = append(cached, make([]byte, grow)...)
				}
				copy(cached[offset:], p)
				clean = false
			},
			"truncate": func(t *rapid.T) {
				size := rapid.IntRange(0, 4*sector).Draw(t, "size")
				require.NoError(t, f.Truncate(int64(size)))
				if grow := size - len(cached); grow > 0 {
					cached = append(cached, make([]byte, grow)...)
				}
				cached, clean = cached[:size], false
			},
			"sync": func(t *rapid.T) {
				require.NoError(t, f.Sync())
				synced, clean = bytes.Clone(cached), true
			},
			"kill": func(t *rapid.T) {
				disk.Kill()
				f = open(t, disk, "f")
			},
			"power loss": func(t *rapid.T) {
				disk.PowerLoss(nil)
				f = open(t, disk, "f")
				got := read(t, disk, "f")
				if clean {
					require.True(t, bytes.Equal(synced, got), "a synced file changed")
				}
				for i := range got {
					require.True(t, got[i] == 0 || i < len(synced) && got[i] == synced[i] ||
						i < len(cached) && got[i] == cached[i], "byte %d came from nowhere", i)
				}
				cached, synced, clean = got, bytes.Clone(got), true
			},
			"power loss that takes all": func(t *rapid.T) {
				disk.PowerLoss(memdisk.Nothing)
				f = open(t, disk, "f")
				cached, clean = bytes.Clone(synced), true
			},
			"": func(t *rapid.T) {
				require.True(t, bytes.Equal(cached, read(t, disk, "f")))
			},
		})
	})
}

func TestEqualSeedsGiveEqualDisks(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) string {
		disk := memdisk.New(seed)
		var all []byte
		for round := range 8 {
			for _, name := range []string{"a", "b", "d/c"} {
				f, err := disk.Open(name)
				if err != nil {
					f = create(t, disk, name)
				}
				write(t, f, 0, sectors(byte('a'+round), 5))
			}
			disk.PowerLoss(nil)
			for _, name := range []string{"a", "b", "d/c"} {
				if f, err := disk.Open(name); err == nil {
					all = append(all, name...)
					size, err := f.Size()
					require.NoError(t, err)
					all = fmt.Appendf(all, "%d", size)
					all = append(all, read(t, disk, name)...)
				}
			}
		}
		return string(all)
	}
	different := map[string]bool{}
	for seed := range uint64(10) {
		first, again := run(seed), run(seed)
		require.Equal(t, first, again)
		different[first] = true
	}
	assert.Greater(t, len(different), 5, "the seed decides nothing")
}

func create(t require.TestingT, disk *memdisk.Disk, path string) storage.File {
	f, err := disk.Create(path)
	require.NoError(t, err)
	return f
}

func open(t require.TestingT, disk *memdisk.Disk, path string) storage.File {
	f, err := disk.Open(path)
	require.NoError(t, err)
	return f
}

func write(t require.TestingT, f storage.File, offset int64, p []byte) {
	n, err := f.WriteAt(p, offset)
	require.NoError(t, err)
	require.Equal(t, len(p), n)
}

// save writes and syncs a new file.
func save(t require.TestingT, disk *memdisk.Disk, path, text string) {
	f := create(t, disk, path)
	write(t, f, 0, []byte(text))
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

func read(t require.TestingT, disk *memdisk.Disk, path string) []byte {
	f := open(t, disk, path)
	size, err := f.Size()
	require.NoError(t, err)
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); err != nil {
		require.ErrorIs(t, err, io.EOF)
		data = data[:n]
	}
	require.NoError(t, f.Close())
	return data
}
