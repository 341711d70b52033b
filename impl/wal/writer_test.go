package wal_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// bounds are those of most tests.
var bounds = wal.Bounds{UnflushedBytes: 1000, UnflushedTicks: 3}

func TestAWriterFlushesOnceABatch(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	c := config(1)
	c.FileBytes, c.RecordsMax = 256<<10, 10_000
	l, _, err := wal.Open(disk, c)
	require.NoError(t, err)
	w := wal.NewWriter(l, bounds)
	var group sync.WaitGroup
	for g := range wire.GroupID(16) {
		group.Go(func() {
			for op := range wire.Op(50) {
				assert.NoError(t, w.Store([]wal.Record{prepare(g, op+1, 50)}, true))
			}
		})
	}
	group.Wait()
	batches, flushes := w.Counts()
	assert.Equal(t, batches, flushes)
	assert.LessOrEqual(t, batches, 16*50)
	disk.PowerLoss(memdisk.Nothing)
	c.Incarnation.Lo = 2
	_, report, err := wal.Open(disk, c)
	require.NoError(t, err)
	assert.Len(t, report.Records, 16*50)
	next := map[wire.GroupID]wire.Op{}
	for _, r := range report.Records {
		next[r.Group]++
		assert.Equal(t, next[r.Group], r.Op, "a group's records keep their order")
	}
}

func TestAWriterFlushesWhatNobodyWantsFlushedWithinABound(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1), 1)
	w := wal.NewWriter(l, bounds)
	for op := range wire.Op(4) {
		require.NoError(t, w.Store([]wal.Record{prepare(1, op+1, 300)}, false))
		_, flushes := w.Counts()
		assert.Equal(t, int(op)/3, flushes)
	}
}

// Under the policy replicated, and on time: three ticks after the oldest that is not flushed.
func TestAWriterFlushesWhatNobodyWantsFlushedWithinATime(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	w := wal.NewWriter(l, bounds)
	flushes := func() int {
		_, n := w.Counts()
		return n
	}
	for range 5 {
		require.NoError(t, w.Tick())
	}
	assert.Zero(t, flushes(), "there is nothing to flush")
	require.NoError(t, w.Store([]wal.Record{prepare(1, 1, 0)}, false))
	require.NoError(t, w.Tick())
	require.NoError(t, w.Store([]wal.Record{prepare(1, 2, 10)}, false))
	require.NoError(t, w.Tick())
	assert.Zero(t, flushes(), "its time has not come")
	require.NoError(t, w.Tick())
	assert.Equal(t, 1, flushes(), "later ones do not keep the oldest waiting")
	for range 5 {
		require.NoError(t, w.Tick())
	}
	assert.Equal(t, 1, flushes(), "what is flushed has no time")
	require.NoError(t, w.Store([]wal.Record{prepare(1, 3, 10)}, false))
	require.NoError(t, w.Tick())
	require.NoError(t, w.Store([]wal.Record{prepare(1, 4, 10)}, true))
	require.NoError(t, w.Store([]wal.Record{prepare(1, 5, 10)}, false))
	require.NoError(t, w.Tick())
	require.NoError(t, w.Tick())
	assert.Equal(t, 2, flushes(), "another's flush has covered the oldest")
	disk.PowerLoss(memdisk.Nothing)
	_, report := open(t, disk, 2)
	assert.Len(t, report.Records, 4, "what no tick has flushed goes with the power")
}

// A host that ticks while others store: whoever writes next takes a flush along that is due.
func TestATickDuringAWriteIsNotForgotten(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1), 1)
	w := wal.NewWriter(l, bounds)
	require.NoError(t, w.Store([]wal.Record{prepare(1, 1, 10)}, false))
	require.NoError(t, w.Alone(func(*wal.Log) error {
		for range 3 {
			require.NoError(t, w.Tick())
		}
		return nil
	}))
	require.NoError(t, w.Store([]wal.Record{prepare(1, 2, 10)}, false))
	_, flushes := w.Counts()
	assert.Equal(t, 1, flushes)
}

func TestATickThatCannotFlushPoisons(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	w := wal.NewWriter(l, wal.Bounds{UnflushedBytes: 1000, UnflushedTicks: 1})
	require.NoError(t, w.Store([]wal.Record{prepare(1, 1, 10)}, false))
	disk.InjectAt(0, memdisk.Fault{Err: errBroken})
	require.ErrorIs(t, w.Tick(), errBroken)
	disk.Inject(nil)
	require.ErrorIs(t, w.Tick(), wal.ErrPoisoned)
	require.ErrorIs(t, w.Store([]wal.Record{prepare(1, 2, 10)}, false), wal.ErrPoisoned)
}

func TestARecordThatIsRefusedIsItsOwnersMatter(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1), 1)
	w := wal.NewWriter(l, bounds)
	require.Error(t, w.Store([]wal.Record{{}}, true))
	require.NoError(t, w.Store([]wal.Record{prepare(1, 1, 10)}, true))
	require.NoError(t, w.Alone((*wal.Log).Close))
	require.ErrorIs(t, w.Store([]wal.Record{prepare(1, 2, 10)}, true), wal.ErrPoisoned)
}

// BenchmarkAppend against BenchmarkBare, which overwrites a pre-zeroed file of the same disk
// and flushes: TMPDIR chooses the disk.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{256, 4096} {
		for _, appenders := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("bytes=%d/appenders=%d", size, appenders), func(b *testing.B) {
				disk, err := storage.OpenDirectory(b.TempDir())
				require.NoError(b, err)
				c := wal.DefaultConfig(directory)
				c.Incarnation.Lo, c.RecordsMax = 1, 1<<24
				l, _, err := wal.Open(disk, c)
				require.NoError(b, err)
				w := wal.NewWriter(l, wal.Bounds{UnflushedBytes: 1 << 20, UnflushedTicks: 10})
				body := make([]byte, size)
				b.SetBytes(int64(size))
				b.ResetTimer()
				var group sync.WaitGroup
				for g := range appenders {
					group.Go(func() {
						for op := g; op < b.N; op += appenders {
							r := wal.Record{Head: wal.Head{
								Kind: wal.KindPrepare, Group: wire.GroupID(g), Op: wire.Op(op + 1),
								Checksum: wire.Checksum{Lo: uint64(op + 1)},
							}, Body: body}
							assert.NoError(b, w.Store([]wal.Record{r}, true))
						}
					})
				}
				group.Wait()
				b.StopTimer()
				_, flushes := w.Counts()
				b.ReportMetric(float64(flushes)/float64(b.N), "flushes/op")
				require.NoError(b, l.Close())
				require.NoError(b, disk.Close())
			})
		}
	}
}

func BenchmarkBare(b *testing.B) {
	for _, size := range []int{256, 4096} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			disk, err := storage.OpenDirectory(b.TempDir())
			require.NoError(b, err)
			f, err := disk.Create("f")
			require.NoError(b, err)
			require.NoError(b, f.Allocate(64<<20))
			require.NoError(b, f.Sync())
			body := make([]byte, size)
			b.SetBytes(int64(size))
			b.ResetTimer()
			for i := range b.N {
				_, err := f.WriteAt(body, int64(i)*int64(size)%(64<<20))
				require.NoError(b, err)
				require.NoError(b, f.Sync())
			}
			b.StopTimer()
			require.NoError(b, f.Close())
			require.NoError(b, disk.Close())
		})
	}
}

// FuzzOpen: whatever a file holds, Open makes a log of it that a second boot finds again.
func FuzzOpen(f *testing.F) {
	disk := memdisk.New(1)
	l, _ := open(f, disk, 1)
	store(f, l, prepare(1, 1, 30), state(1, 1, true))
	store(f, l, prepare(1, 2, 900))
	file, err := disk.Open(firstFile)
	require.NoError(f, err)
	valid := make([]byte, 4096)
	_, err = file.ReadAt(valid, 0)
	require.NoError(f, err)
	f.Add(valid)
	f.Add(valid[1024:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		disk := memdisk.New(1)
		file, err := disk.Create(firstFile)
		require.NoError(t, err)
		if len(b) > 16<<10 {
			return
		}
		_, err = file.WriteAt(b, 0)
		require.NoError(t, err)
		l, report := open(t, disk, 2)
		store(t, l, prepare(9, 9, 10))
		disk.PowerLoss(memdisk.Everything)
		_, again := open(t, disk, 3)
		require.Len(t, again.Records, len(report.Records)+1)
	})
}
