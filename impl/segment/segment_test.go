package segment_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const directory = "segments"

var config = segment.Config{Directory: directory, Group: 5, SegmentBytes: 700, IndexBytes: 200}

func open(
	t require.TestingT, disk storage.Disk, mark segment.Mark,
) (*segment.Log, segment.Report) {
	l, report, err := segment.Open(disk, config, mark)
	require.NoError(t, err)
	return l, report
}

// batch is one that continues a log, unlike any other.
func batch(l *segment.Log, size int) segment.Batch {
	m := l.Mark()
	text := fmt.Sprintf("op %d ", m.Op+1)
	return segment.Batch{
		Op: m.Op + 1, Offset: m.Next, Timestamp: m.Timestamp + uint64(m.Op%2)*10,
		Messages: uint32(m.Op%3) + 1, Body: bytes.Repeat([]byte(text), size/len(text)+1)[:size],
	}
}

// filled is a log of n batches, flushed.
func filled(t require.TestingT, disk storage.Disk, n int) (*segment.Log, []segment.Batch) {
	l, _ := open(t, disk, segment.Mark{})
	var batches []segment.Batch
	for range n {
		batches = append(batches, batch(l, 90))
		require.NoError(t, l.Append(batches[len(batches)-1]))
	}
	require.NoError(t, l.Sync())
	return l, batches
}

func scan(t require.TestingT, l *segment.Log) []segment.Batch {
	var found []segment.Batch
	require.NoError(t, l.Scan(func(b segment.Batch) bool {
		b.Body = slices.Clone(b.Body)
		found = append(found, b)
		return true
	}))
	return found
}

func content(t require.TestingT, disk storage.Disk, name string) []byte {
	f, err := disk.Open(path.Join(directory, name))
	require.NoError(t, err)
	size, err := f.Size()
	require.NoError(t, err)
	p := make([]byte, size)
	_, err = f.ReadAt(p, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return p
}

func TestTheBytesOfABatchAndOfAnIndexStay(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, segment.Mark{})
	require.NoError(t, l.Append(segment.Batch{
		Op: 3, Timestamp: 0x1122, Messages: 2, Body: []byte("hello"),
	}))
	require.NoError(t, l.Sync())
	log := hex.EncodeToString(content(t, disk, "00000000000000000000.log"))
	assert.Equal(t, goldenBatch, log)
	index := hex.EncodeToString(content(t, disk, "00000000000000000000.index"))
	assert.Equal(t, goldenIndex, index)
}

// Whatever bit of a segment or index flips: a batch that is returned is one that was written. All
// bits with VIEWSTAMP_FAULT_MATRIX=1, else every seventh.
func TestNoFlippedBitIsAdopted(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, want := filled(t, disk, 8)
	mark := l.Mark()
	names, err := disk.List(directory)
	require.NoError(t, err)
	require.Len(t, names, 4, "two segments with an index each")
	flips, refused, read, rebuilt := 0, 0, 0, 0
	stride := 7 // Coprime to 8: every bit of a byte has its turn.
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		stride = 1
	}
	for _, name := range names {
		for bit := 0; bit < 8*len(content(t, disk, name)); bit += stride {
			at, mask := bit/8, byte(1)<<(bit%8)
			require.NoError(t, disk.Rot(path.Join(directory, name), int64(at), mask))
			flips++
			got, report, err := segment.Open(disk, config, mark)
			var lost *segment.LostError
			switch {
			case err != nil:
				require.ErrorAs(t, err, &lost, "%s at %d", name, at)
				refused++
			case len(report.Discarded) > 0:
				rebuilt++
				require.Equal(t, want, scan(t, got))
			default:
				read++
				require.ErrorAs(t, got.Scan(func(segment.Batch) bool { return true }), &lost,
					"%s at %d: nobody noticed", name, at)
			}
			if path.Ext(name) == ".log" {
				require.NoError(t, disk.Rot(path.Join(directory, name), int64(at), mask))
			}
			if got != nil { // Its index may describe what was rotten.
				require.NoError(t, got.Close())
			}
		}
	}
	t.Logf("%d flips: %d refused at once, %d when read, %d indexes made anew",
		flips, refused, read, rebuilt)
	require.Positive(t, min(refused, read, rebuilt))
}

func TestOpenKeepsWhatTheMarkCoversAndSaysWhyTheRestGoes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm func(*testing.T, *memdisk.Disk)
		want segment.Reason
		lost bool
	}{
		"batches above the checkpoint": {
			func(*testing.T, *memdisk.Disk) {}, segment.AboveCheckpoint, false,
		},
		"a torn tail": {func(t *testing.T, d *memdisk.Disk) {
			require.NoError(t, d.Tear(directory+"/00000000000000000007.log", 250))
		}, segment.TornTail, false},
		"an index that is gone": {func(t *testing.T, d *memdisk.Disk) {
			require.NoError(t, d.Remove(directory+"/00000000000000000000.index"))
		}, segment.IndexMissing, false},
		"a torn index": {func(t *testing.T, d *memdisk.Disk) {
			require.NoError(t, d.Tear(directory+"/00000000000000000000.index", 115))
		}, segment.IndexDamaged, false},
		"a covered segment that is gone": {func(t *testing.T, d *memdisk.Disk) {
			require.NoError(t, d.Remove(directory+"/00000000000000000000.log"))
		}, segment.Missing, true},
		"a covered segment that ends early": {func(t *testing.T, d *memdisk.Disk) {
			require.NoError(t, d.Tear(directory+"/00000000000000000007.log", 100))
		}, segment.Short, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, batches := filled(t, disk, 5)
			mark := l.Mark()
			require.NoError(t, l.Append(batch(l, 90)))
			require.NoError(t, l.Sync())
			require.NoError(t, l.Close())
			tc.harm(t, disk)
			got, report, err := segment.Open(disk, config, mark)
			if tc.lost {
				var lost *segment.LostError
				require.ErrorAs(t, err, &lost)
				assert.Equal(t, tc.want, lost.Reason)
				return
			}
			require.NoError(t, err)
			assert.True(t, slices.ContainsFunc(report.Discarded, func(d segment.Discard) bool {
				return d.Reason == tc.want
			}), "%s", report)
			assert.Equal(t, batches, scan(t, got))
			require.NoError(t, got.Close())
			_, report = open(t, disk, mark)
			assert.Empty(t, report.Discarded, "a second boot has nothing left to do")
		})
	}
}

func TestAFullDiskLeavesTheLogAsItWas(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, batches := filled(t, disk, 2)
	disk.Limit(disk.UsedBytes() + 50)
	b := batch(l, 90)
	require.ErrorIs(t, l.Append(b), storage.ErrFull)
	assert.Equal(t, batches, scan(t, l))
	disk.Limit(0)
	require.NoError(t, l.Append(b))
	assert.Equal(t, append(batches, b), scan(t, l))

	for l.Bytes()+170 <= config.SegmentBytes {
		require.NoError(t, l.Append(batch(l, 90)))
	}
	disk.Limit(disk.UsedBytes() + 50)
	mark := l.Mark()
	require.ErrorIs(t, l.Append(batch(l, 90)), storage.ErrFull, "in a new segment")
	assert.Equal(t, mark, l.Mark())
	assert.Zero(t, l.Retain(segment.Retention{Bytes: 1, Hold: math.MaxUint64}), "it is the last")
	disk.Limit(0)
	require.NoError(t, l.Append(batch(l, 90)))
	assert.Greater(t, l.Mark().Last, mark.Last)
}

// A replica that has written what another one never had to write has the same files afterwards.
func TestWhatIsSkippedCountsAsWrittenAndPurged(t *testing.T) {
	t.Parallel()
	diskA, diskB := memdisk.New(1), memdisk.New(1)
	a, _ := open(t, diskA, segment.Mark{})
	b, _ := open(t, diskB, segment.Mark{})
	for range 9 {
		dropped := batch(a, 90)
		require.NoError(t, a.Append(dropped))
		require.NoError(t, b.Skip(dropped))
	}
	a.Purge()
	require.Equal(t, a.Mark(), b.Mark())
	require.Error(t, b.Skip(segment.Batch{Op: 99, Offset: 1, Messages: 1}), "a gap")
	require.Equal(t, a.Mark(), b.Mark())
	for range 9 {
		kept := batch(a, 90)
		require.NoError(t, a.Append(kept))
		require.NoError(t, b.Append(kept))
	}
	for _, l := range []*segment.Log{a, b} {
		require.NoError(t, l.Sync())
		require.NoError(t, l.Trim())
	}
	require.Equal(t, a.Mark(), b.Mark())
	namesA, err := diskA.List(directory)
	require.NoError(t, err)
	namesB, err := diskB.List(directory)
	require.NoError(t, err)
	require.Equal(t, namesA, namesB)
	for _, name := range namesA {
		require.Equal(t, content(t, diskA, name), content(t, diskB, name), name)
	}
}

// A model of a slice: batches, and which of them are kept.
func TestALogIsASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		disk := memdisk.New(rapid.Uint64().Draw(t, "seed"))
		l, _ := open(t, disk, segment.Mark{})
		var all, durable []segment.Batch // durable are those of the mark.
		var mark segment.Mark
		kept := func(batches []segment.Batch, m segment.Mark) []segment.Batch {
			return slices.DeleteFunc(slices.Clone(batches), func(b segment.Batch) bool {
				return b.Offset < m.Start
			})
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				b := batch(l, rapid.IntRange(0, 900).Draw(t, "bytes"))
				if b.Op > 1 && rapid.Bool().Draw(t, "same op") {
					b.Op--
				}
				require.NoError(t, l.Append(b))
				all = append(all, b)
			},
			"retain": func(t *rapid.T) {
				l.Retain(segment.Retention{
					Now: l.Mark().Timestamp, Age: rapid.Uint64Range(0, 90).Draw(t, "age"),
					Bytes: rapid.Int64Range(0, 3000).Draw(t, "kept"), Hold: math.MaxUint64,
				})
			},
			"purge": func(*rapid.T) { l.Purge() },
			"skip": func(t *rapid.T) {
				require.NoError(t, l.Skip(batch(l, 90)))
			},
			"release": func(t *rapid.T) {
				m := l.Mark()
				offset := rapid.Uint64Range(0, m.Next).Draw(t, "below")
				l.ReleaseBelow(offset)
				require.LessOrEqual(t, l.Mark().Start, max(offset, m.Start))
			},
			"checkpoint": func(t *rapid.T) {
				require.NoError(t, l.Sync())
				mark, durable = l.Mark(), slices.Clone(all)
				require.NoError(t, l.Trim())
			},
			"crash": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "power") {
					disk.PowerLoss(nil)
				} else {
					disk.Kill()
				}
				l, _ = open(t, disk, mark)
				all = slices.Clone(durable)
			},
			"read": func(t *rapid.T) {
				m := l.Mark()
				if m.Start == m.Next {
					return
				}
				offset := rapid.Uint64Range(m.Start, m.Next-1).Draw(t, "offset")
				got, err := l.Read(offset, 1)
				require.NoError(t, err)
				i := slices.IndexFunc(all, func(b segment.Batch) bool {
					return b.Offset+uint64(b.Messages) > offset
				})
				require.Equal(t, all[i].Op, got[0].Op)
				time := rapid.Uint64Range(0, m.Timestamp+1).Draw(t, "timestamp")
				found, err := l.Find(time)
				require.NoError(t, err)
				want := m.Next
				for _, b := range slices.Backward(kept(all, m)) {
					if b.Timestamp >= time {
						want = b.Offset
					}
				}
				require.Equal(t, want, found)
			},
			"": func(t *rapid.T) {
				want, got := kept(all, l.Mark()), scan(t, l)
				require.Len(t, got, len(want))
				for i := range want {
					require.Equal(t, want[i].Op, got[i].Op)
					require.True(t, bytes.Equal(want[i].Body, got[i].Body))
				}
			},
		})
	})
}

func BenchmarkAppend(b *testing.B) { benchmark(b, func(*segment.Log) {}) }

func BenchmarkScan(b *testing.B) {
	benchmark(b, func(l *segment.Log) {
		b.ResetTimer()
		require.NoError(b, l.Scan(func(segment.Batch) bool { return true }))
	})
}

func benchmark(b *testing.B, then func(*segment.Log)) {
	disk, err := storage.OpenDirectory(b.TempDir())
	require.NoError(b, err)
	l, _, err := segment.Open(disk, segment.DefaultConfig(directory, 5), segment.Mark{})
	require.NoError(b, err)
	body := make([]byte, 4096)
	b.SetBytes(int64(len(body)))
	b.ResetTimer()
	for i := range b.N {
		require.NoError(b, l.Append(segment.Batch{
			Op: wire.Op(i + 1), Offset: uint64(i), Messages: 1, Body: body,
		}))
	}
	then(l)
	b.StopTimer()
	require.NoError(b, l.Close())
	require.NoError(b, disk.Close())
}
