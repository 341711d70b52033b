package memdisk_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// plain is a file as slices of all its bytes, and a set of dirty sectors.
type plain struct {
	cached, stable []byte
	dirty          map[int]bool
	sizes          []int
}

func (f *plain) touch(from, to int) {
	for s := from / sector; s*sector < to; s++ {
		f.dirty[s] = true
	}
}

func (f *plain) resize(size int) {
	if old := len(f.cached); size != old {
		f.cached = plainResized(f.cached, size)
		f.touch(min(old, size), max(old, size))
		f.sizes = append(f.sizes, size)
	}
}

func (f *plain) write(p []byte, offset int) {
	f.resize(max(len(f.cached), offset+len(p)))
	copy(f.cached[offset:], p)
	f.touch(offset, offset+len(p))
}

func (f *plain) land() {
	for _, size := range f.sizes {
		f.stable = plainResized(f.stable, size)
	}
	for s := range f.dirty {
		for at := s * sector; at < min((s+1)*sector, len(f.stable)); at++ {
			f.stable[at] = 0
			if at < len(f.cached) {
				f.stable[at] = f.cached[at]
			}
		}
	}
	f.sizes, f.dirty = nil, map[int]bool{}
}

func plainResized(b []byte, size int) []byte {
	b = bytes.Clone(b)
	return append(b, make([]byte, max(0, size-len(b)))...)[:size]
}

// A file is stored without the zeros at its end, and its dirty sectors as bits; nobody sees that.
func TestAFileIsWhatPlainBytesWouldBe(t *testing.T) {
	t.Parallel()
	const most = 70 * sector // more sectors than a word has bits
	rapid.Check(t, func(t *rapid.T) {
		disk := memdisk.New(1)
		f, err := disk.Create("d/f")
		require.NoError(t, err)
		require.NoError(t, disk.SyncDir("d"))
		want := &plain{dirty: map[int]bool{}}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			offset := rapid.IntRange(0, most).Draw(t, "offset")
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0, 1:
				p := bytes.Repeat([]byte{byte(rapid.IntRange(0, 2).Draw(t, "byte"))},
					rapid.IntRange(0, 3*sector).Draw(t, "bytes"))
				_, err = f.WriteAt(p, int64(offset))
				want.write(p, offset)
			case 2:
				err = f.Truncate(int64(offset))
				want.resize(offset)
			case 3:
				err = f.Allocate(int64(offset))
				want.resize(max(offset, len(want.cached)))
			case 4:
				err = f.Sync()
				want.land()
			case 5:
				rot := disk.Rot("d/f", int64(offset), 4)
				require.Equal(t, offset < len(want.cached), rot == nil)
				for _, b := range [][]byte{want.cached, want.stable} {
					if rot == nil && offset < len(b) {
						b[offset] ^= 4
					}
				}
			case 6:
				require.NoError(t, disk.Tear("d/f", int64(offset)))
				want.cached = want.cached[:min(offset, len(want.cached))]
				want.stable = want.stable[:min(offset, len(want.stable))]
			default:
				disk.PowerLoss(memdisk.Nothing)
				want.cached, want.sizes, want.dirty = bytes.Clone(want.stable), nil, map[int]bool{}
				f, err = disk.Open("d/f")
			}
			require.NoError(t, err)
			require.True(t, bytes.Equal(want.cached, read(t, disk, "d/f")))
			needle := want.cached[:min(offset, len(want.cached))]
			needle = needle[max(0, len(needle)-40):]
			require.True(t, disk.Holds("d", needle, false, nil), "%x", needle)
			needle = append(bytes.Clone(needle), 3) // a byte that no file has
			require.False(t, disk.Holds("d", needle, false, nil), "%x", needle)
			for _, stable := range []bool{false, true} {
				zeros := make([]byte, 600)
				has := map[bool][]byte{false: want.cached, true: want.stable}[stable]
				require.Equal(t, bytes.Contains(has, zeros), disk.Holds("d", zeros, stable, nil))
			}
		}
	})
}

func TestAFileFullOfZerosCostsNothingUntilItIsWritten(t *testing.T) {
	t.Parallel()
	const huge = 1 << 20
	bytesOf := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			disk := memdisk.New(1)
			f := create(t, disk, "f")
			if f.Allocate(huge) != nil || f.Sync() != nil {
				b.Fatal("a file of zeros is refused")
			}
		}
	}).AllocedBytesPerOp()
	assert.Less(t, bytesOf, int64(huge/100))
}
