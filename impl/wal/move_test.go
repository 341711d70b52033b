package wal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// R17, NoStall of JournalGroups: prepares have filled the log, none commits, and view changes go
// on writing state records. With moving that goes on for as long as anybody likes; without, the
// log is full after one file of them (the twin is mutant no_slot_for_moving of the spec).
func TestStateRecordsAloneDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]bool{"with moving": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			head := untilFull(t, l, 0)
			store(t, l, prepare(2, 1, 100), state(2, 1, false)) // Another group, in the same file.
			refused, moved := 0, 0
			for range 400 {
				record := state(1, head, false)
				record.Body = make([]byte, 2000)
				if _, err := l.Append(record); err != nil {
					require.ErrorIs(t, err, wal.ErrFull)
					refused++
					continue
				}
				require.NoError(t, l.Sync())
				for round := 0; moves && l.Tight(); round++ {
					require.Less(t, round, l.Files(), "all of it was moved, and it is as full as before")
					moved += moveOldest(t, l)
				}
			}
			if !moves {
				assert.Greater(t, refused, 300)
				return
			}
			assert.Zero(t, refused)
			assert.Greater(t, moved, int(head), "more than once over")
			disk.PowerLoss(memdisk.Nothing)
			l, report := open(t, disk, 2)
			require.False(t, report.Damaged)
			for op := wire.Op(1); op <= head; op++ {
				body, err := l.Read(1, prepare(1, op, 0).ID())
				require.NoError(t, err, "op %d", op)
				require.Equal(t, prepare(1, op, 3000).Body, body)
			}
			_, err := l.Read(2, prepare(2, 1, 0).ID())
			require.NoError(t, err)
		})
	}
}

// moveOldest frees the oldest file, as a process does, whose groups repeat their state records.
func moveOldest(t *testing.T, l *wal.Log) int {
	moved, err := l.Move(nil)
	require.NoError(t, err)
	for _, group := range []wire.GroupID{1, 2} {
		if l.Blocking(nil)[group].State {
			store(t, l, state(group, 1, false))
		}
	}
	released, err := l.Release(nil)
	require.NoError(t, err)
	require.Positive(t, released)
	require.LessOrEqual(t, l.Files(), config(1).FilesMax+2)
	return moved
}

// Mutant release_unsynced_copy: a file whose bodies have copies goes only when these are flushed.
func TestACopyThatIsNotFlushedLetsNothingGo(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	head := fillFiles(t, disk, l, 2)
	_, err := l.Move(nil)
	require.NoError(t, err)
	store(t, l, state(1, head, false))
	n, err := l.Release(nil)
	require.NoError(t, err)
	require.Equal(t, 1, n, "the file that was moved")

	disk = memdisk.New(1)
	l, _ = open(t, disk, 1)
	head = fillFiles(t, disk, l, 2)
	store(t, l, state(1, head, false))
	written := 0
	disk.Inject(func(o memdisk.Operation) *memdisk.Fault {
		if o.Kind == memdisk.OperationWrite {
			written++
		}
		if o.Kind == memdisk.OperationSync {
			return &memdisk.Fault{Err: errBroken}
		}
		return nil
	})
	_, err = l.Move(nil)
	require.ErrorIs(t, err, errBroken)
	require.Positive(t, written, "the copies are with the system")
	_, err = l.Release(nil)
	require.ErrorIs(t, err, wal.ErrPoisoned)
	disk.Inject(nil)
	disk.PowerLoss(memdisk.Nothing)
	l, _ = open(t, disk, 2)
	for op := wire.Op(1); op <= head; op++ {
		_, err := l.Read(1, prepare(1, op, 0).ID())
		require.NoError(t, err, "op %d", op)
	}
}
