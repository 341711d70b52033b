package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const path = "partition/0/wal"

func TestALogReadsBackWhatWasAppended(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]storage.Disk{
		"in memory": memdisk.New(1), "on the operating system": directory(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, report := open(t, disk)
			assert.Equal(t, wal.Report{Path: path, Created: true}, report)
			assert.True(t, l.Head().IsZero())
			assert.Zero(t, l.Synced())
			require.NoError(t, l.Append())
			require.NoError(t, l.Append(record(7, 317)))
			require.NoError(t, l.Append(record(8, 0), record(9, 2000)))
			assert.Zero(t, l.Synced())
			require.NoError(t, l.Sync())
			assert.Equal(t, wire.Op(9), l.Synced())
			requireHolds(t, l, record(7, 317), record(8, 0), record(9, 2000))
			require.NoError(t, l.Close())
			require.Error(t, l.Close())

			l, report = open(t, disk)
			defer func() { require.NoError(t, l.Close()) }()
			assert.Equal(t, wal.Report{
				Path: path, Records: 3, Bytes: 3*wal.HeaderBytes + 2317, PayloadBytes: 2317,
			}, report)
			assert.Equal(t, wire.Op(9), l.Synced(), "Open syncs what it keeps")
			requireHolds(t, l, record(7, 317), record(8, 0), record(9, 2000))
			require.NoError(t, l.Append(record(10, 1)))
			requireHolds(t, l, record(7, 317), record(8, 0), record(9, 2000), record(10, 1))
		})
	}
}

// R3: a prepare is its op and its checksum.
func TestReadFindsNothingByOpAlone(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1))
	require.NoError(t, l.Append(record(3, 10), record(4, 10)))
	id := l.Records()[0].ID()
	for name, absent := range map[string]wire.PrepareID{
		"another checksum":     {Op: 3, Checksum: l.Records()[1].BodyChecksum},
		"no checksum":          {Op: 3},
		"an op below the log":  {Op: 2, Checksum: id.Checksum},
		"an op above the head": {Op: 5, Checksum: id.Checksum},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Read(absent)
			require.ErrorIs(t, err, wal.ErrAbsent)
		})
	}
	body, err := l.Read(id)
	require.NoError(t, err)
	assert.Equal(t, record(3, 10).Body, body)
}

func TestReadVerifiesAgain(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk)
	require.NoError(t, l.Append(record(1, 10)))
	require.NoError(t, disk.Rot(path, wal.HeaderBytes+4, 0x80))
	_, err := l.Read(l.Head())
	require.ErrorIs(t, err, wal.ErrDamaged)
	require.NoError(t, disk.Rot(path, wal.HeaderBytes+4, 0x80))
	_, err = l.Read(l.Head())
	require.NoError(t, err)
}

func TestAppendRefusesWhatDoesNotFollow(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1))
	assert.Panics(t, func() { _ = l.Append(record(0, 1)) }, "op 0 is before the first")
	require.NoError(t, l.Append(record(5, 1)))
	assert.Panics(t, func() { _ = l.Append(record(5, 1)) }, "an op twice")
	assert.Panics(t, func() { _ = l.Append(record(7, 1)) }, "a gap")
	assert.Panics(t, func() { _ = l.Append(record(6, 1), record(8, 1)) }, "a gap in one call")
	requireHolds(t, l, record(5, 1))

	huge := make([]byte, wal.BodyBytesMax+1)
	err := l.Append(wal.Record{Op: 6, Body: huge})
	require.ErrorIs(t, err, wal.ErrTooLarge)
	require.NoError(t, l.Append(record(6, 1)), "it is refused, the log is not poisoned")
	requireHolds(t, l, record(5, 1), record(6, 1))
}

func TestCutAboveIsDurable(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk)
	require.NoError(t, l.Append(record(3, 100), record(4, 100), record(5, 100)))
	require.NoError(t, l.Sync())
	require.NoError(t, l.CutAbove(9))
	require.NoError(t, l.CutAbove(5))
	requireHolds(t, l, record(3, 100), record(4, 100), record(5, 100))
	require.NoError(t, l.CutAbove(3))
	requireHolds(t, l, record(3, 100))
	assert.Equal(t, wire.Op(3), l.Synced())
	disk.PowerLoss(memdisk.Nothing)
	l, report := open(t, disk)
	assert.Empty(t, report.Discarded)
	requireHolds(t, l, record(3, 100))

	other := wal.Record{Op: 4, Body: []byte("another prepare of op 4")}
	require.NoError(t, l.Append(other))
	disk.Kill()
	l, _ = open(t, disk)
	requireHolds(t, l, record(3, 100), other)

	require.NoError(t, l.CutAbove(0))
	requireHolds(t, l)
	require.NoError(t, l.Append(record(1, 5)))
	disk.Kill()
	l, _ = open(t, disk)
	requireHolds(t, l, record(1, 5))
}

// After a failed write or sync nobody knows what the disk holds, and a second sync
// may succeed without having done anything.
func TestAFailurePoisonsTheLog(t *testing.T) {
	t.Parallel()
	broken := errors.New("medium error")
	for name, tc := range map[string]struct {
		kind memdisk.OperationKind
		act  func(*wal.Log) error
	}{
		"a failed write": {
			memdisk.OperationWrite, func(l *wal.Log) error { return l.Append(record(2, 50)) },
		},
		"a failed sync": {memdisk.OperationSync, func(l *wal.Log) error {
			if err := l.Append(record(2, 50)); err != nil {
				return err
			}
			return l.Sync()
		}},
		"a sync that fails before the frontier is published": {
			memdisk.OperationSync, func(l *wal.Log) error {
				if err := l.Append(record(2, 50)); err != nil {
					return err
				}
				return l.PublishFrontier()
			},
		},
		"a cut that cannot truncate": {
			memdisk.OperationTruncate, func(l *wal.Log) error { return l.CutAbove(0) },
		},
		"a cut that cannot sync": {
			memdisk.OperationSync, func(l *wal.Log) error { return l.CutAbove(0) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk)
			require.NoError(t, l.Append(record(1, 50)))
			require.NoError(t, l.Sync())
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind == tc.kind {
					return &memdisk.Fault{Err: broken, Bytes: wal.HeaderBytes + 7}
				}
				return nil
			})
			require.ErrorIs(t, tc.act(l), broken)
			disk.Inject(nil)
			for verb, err := range map[string]error{
				"append": l.Append(record(3, 1)), "sync": l.Sync(), "cut": l.CutAbove(0),
				"publish": l.PublishFrontier(),
			} {
				require.ErrorIs(t, err, wal.ErrPoisoned, verb)
				require.ErrorIs(t, err, broken, verb)
			}
			for _, h := range l.Records() {
				if _, err := l.Read(h.ID()); err != nil {
					require.Equal(t, memdisk.OperationSync, tc.kind)
				}
			}
			require.NoError(t, l.Close())
			l, report := open(t, disk)
			for i, h := range l.Records() {
				assert.Equal(t, wire.Op(i+1), h.Op)
			}
			if tc.kind == memdisk.OperationWrite {
				requireHolds(t, l, record(1, 50))
				assert.Equal(t, wal.TornTail, report.Discarded[0].Reason)
			}
		})
	}
}

// A failed frontier leaves the log usable: recovery does not need it.
func TestAFailedFrontierDoesNotPoisonTheLog(t *testing.T) {
	t.Parallel()
	broken := errors.New("medium error")
	for _, kind := range []memdisk.OperationKind{
		memdisk.OperationCreate, memdisk.OperationWrite, memdisk.OperationRename,
		memdisk.OperationSyncDir, memdisk.OperationRemove,
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk)
			require.NoError(t, l.Append(record(1, 50)))
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind == kind {
					return &memdisk.Fault{Err: broken}
				}
				return nil
			})
			require.ErrorIs(t, l.PublishFrontier(), broken)
			disk.Inject(nil)
			require.NoError(t, l.Append(record(2, 50)))
			require.NoError(t, l.PublishFrontier())
			disk.PowerLoss(memdisk.Nothing)
			l, _ = open(t, disk, wal.WithRecovery(wal.RecoverToFrontier))
			requireHolds(t, l, record(1, 50), record(2, 50))
		})
	}
}

func TestOpenReportsTheDisksErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("medium error")
	for _, kind := range []memdisk.OperationKind{
		memdisk.OperationOpen, memdisk.OperationRead, memdisk.OperationTruncate,
		memdisk.OperationSync, memdisk.OperationSyncDir,
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk)
			require.NoError(t, l.Append(record(1, 50), record(2, 50)))
			require.NoError(t, disk.Tear(path, 150))
			disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
				if op.Kind == kind {
					return &memdisk.Fault{Err: broken}
				}
				return nil
			})
			_, _, err := wal.Open(disk, path)
			require.ErrorIs(t, err, broken)
			assert.ErrorContains(t, err, "open log "+path)
			disk.Inject(nil)
			l, _ = open(t, disk)
			requireHolds(t, l, record(1, 50))
		})
	}
	disk := memdisk.New(1)
	disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind == memdisk.OperationCreate {
			return &memdisk.Fault{Err: broken}
		}
		return nil
	})
	_, _, err := wal.Open(disk, path)
	require.ErrorIs(t, err, broken)
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{317, 64 << 10} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			l, _ := open(b, memdisk.New(1))
			body := make([]byte, size)
			op := wire.Op(0)
			b.SetBytes(int64(size))
			for b.Loop() {
				op++
				require.NoError(b, l.Append(wal.Record{Op: op, Body: body}))
				if op%256 == 0 {
					require.NoError(b, l.CutAbove(0))
				}
			}
		})
	}
}

// record returns a prepare whose body is a function of its op.
func record(op wire.Op, size int) wal.Record {
	body := bytes.Repeat([]byte{byte('a' + op%26)}, size)
	copy(body, fmt.Sprintf("%d is the op", op))
	return wal.Record{Op: op, Body: body}
}

func open(t testing.TB, disk storage.Disk, opts ...wal.Option) (*wal.Log, wal.Report) {
	t.Helper()
	l, report, err := wal.Open(disk, path, opts...)
	require.NoError(t, err)
	require.Equal(t, path, l.Path())
	return l, report
}

// requireHolds checks that the log holds exactly these prepares, bodies included.
func requireHolds(t testing.TB, l *wal.Log, want ...wal.Record) {
	t.Helper()
	require.Len(t, l.Records(), len(want))
	for i, h := range l.Records() {
		require.Equal(t, want[i].Op, h.Op)
		body, err := l.Read(h.ID())
		require.NoError(t, err)
		require.True(t, bytes.Equal(want[i].Body, body), "body of op %d", h.Op)
	}
	if len(want) > 0 {
		require.Equal(t, l.Records()[len(want)-1].ID(), l.Head())
	}
}

func directory(t *testing.T) *storage.Directory {
	t.Helper()
	disk, err := storage.OpenDirectory(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	return disk
}
