package memdisk_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

func onWrite(fault memdisk.Fault) func(memdisk.Operation) *memdisk.Fault {
	return func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind != memdisk.OperationWrite {
			return nil
		}
		return &fault
	}
}

// The caller is told that all is well, the page cache agrees, and the disk has something
// else. Only checksums, and a look at the disk itself, can find that out.
func TestWritesThatGoAstrayShowWhenTheCacheIsGone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault    memdisk.Fault
		own      []byte
		other    []byte
		rewrites bool
	}{
		"a lost write": {
			fault: memdisk.Fault{Lost: true}, own: sectors('o', 2), other: sectors('p', 2),
		},
		"a misdirected write": {
			fault: memdisk.Fault{Elsewhere: &memdisk.Place{Path: "g", Offset: sector}},
			own:   sectors('o', 2),
			other: append(sectors('p', 1), sectors('n', 1)...),
		},
		"a misdirected write beyond the end of a file": {
			fault: memdisk.Fault{Elsewhere: &memdisk.Place{Path: "g", Offset: 9 * sector}},
			own:   sectors('o', 2), other: sectors('p', 2),
		},
		"a lost write that is written again before the sync": {
			fault: memdisk.Fault{Lost: true}, rewrites: true,
			own: append(sectors('n', 1), sectors('o', 1)...), other: sectors('p', 2),
		},
	} {
		for how, forget := range map[string]func(*memdisk.Disk){
			"cache dropped": (*memdisk.Disk).DropCache,
			"power lost":    func(d *memdisk.Disk) { d.PowerLoss(memdisk.Nothing) },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				disk := memdisk.New(1)
				save(t, disk, "f", string(sectors('o', 2)))
				save(t, disk, "g", string(sectors('p', 2)))
				require.NoError(t, disk.SyncDir("."))
				f := open(t, disk, "f")
				disk.Inject(onWrite(tc.fault))
				write(t, f, 0, sectors('n', 1))
				disk.Inject(nil)
				if tc.rewrites {
					write(t, f, 0, sectors('n', 1))
				}
				require.NoError(t, f.Sync())
				assert.Equal(t, append(sectors('n', 1), sectors('o', 1)...), read(t, disk, "f"))
				forget(disk)
				assert.Equal(t, tc.own, read(t, disk, "f"))
				assert.Equal(t, tc.other, read(t, disk, "g"))
			})
		}
	}
}

func TestTheNthOperationFailsBeforeOrAfterItsEffect(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	act := func(disk *memdisk.Disk) []error {
		f, created := disk.Create("f")
		if created != nil {
			return []error{created}
		}
		_, written := f.WriteAt([]byte("abc"), 0)
		return []error{nil, written, f.Sync(), disk.Rename("f", "g"), disk.SyncDir(".")}
	}
	for n, want := range []struct{ before, after string }{
		{"", "f"}, {"g", "g abc"}, {"g abc", "g abc"}, {"f abc", "g abc"}, {"g abc", "g abc"},
	} {
		for _, after := range []bool{false, true} {
			disk := memdisk.New(1)
			disk.InjectAt(n, memdisk.Fault{Err: broken, After: after})
			errs := act(disk)
			for i, err := range errs {
				if i == n {
					require.ErrorIs(t, err, broken)
				} else {
					require.NoError(t, err)
				}
			}
			names, err := disk.List(".")
			require.NoError(t, err)
			got := ""
			for _, name := range names {
				got = name
				if content := read(t, disk, name); len(content) > 0 {
					got += " " + string(content)
				}
			}
			assert.Equal(t, map[bool]string{false: want.before, true: want.after}[after], got)
		}
	}
}

func TestADelayIsAnnouncedAndNothingElse(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	f := create(t, disk, "f")
	disk.Inject(func(memdisk.Operation) *memdisk.Fault { return &memdisk.Fault{DelayTicks: 7} })
	write(t, f, 0, []byte("abc"))
	require.NoError(t, f.Sync())
	disk.Inject(nil)
	operations := disk.Operations()
	assert.Equal(t, "write f offset=0 bytes=3 delay=7", operations[1].String())
	assert.Equal(t, "sync f delay=7", operations[2].String())
	assert.Equal(t, "abc", string(read(t, disk, "f")))
}

func TestAFullDiskTakesNoMoreUntilSomethingGoes(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	save(t, disk, "old", "12345")
	f := create(t, disk, "f")
	disk.Limit(10)
	require.ErrorIs(t, f.Allocate(6), storage.ErrFull)
	require.ErrorIs(t, f.Truncate(6), storage.ErrFull)
	n, err := f.WriteAt([]byte("abcdefgh"), 0)
	require.ErrorIs(t, err, storage.ErrFull)
	assert.Equal(t, 5, n)
	write(t, f, 0, []byte("ABCDE"))
	assert.EqualValues(t, 10, disk.UsedBytes())
	require.NoError(t, disk.Remove("old"))
	require.NoError(t, f.Allocate(10))
	assert.Equal(t, "ABCDE\x00\x00\x00\x00\x00", string(read(t, disk, "f")))
}
