package batch_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func build(t require.TestingT, messages ...batch.Message) []byte {
	var b batch.Builder
	for _, m := range messages {
		require.NoError(t, b.Append(m))
	}
	return slices.Clone(b.Bytes())
}

// two is a batch of two messages, the second with user headers.
func two(t require.TestingT) []byte {
	return build(t,
		batch.Message{ID: wire.Uint128{Lo: 1, Hi: 2}, Timestamp: 1000, Payload: []byte("first")},
		batch.Message{
			ID: wire.Uint128{Lo: 3}, Timestamp: 1005, Payload: []byte("second"),
			UserHeaders: []byte("k=v"),
		})
}

func collect(b batch.Batch) []batch.Message { return slices.Collect(b.Messages()) }

func TestTheBytesOfABatchStay(t *testing.T) {
	t.Parallel()
	p := two(t)
	batch.Stamp(p, 7, 40, 2000)
	header, frames := p[:batch.HeaderBytes], p[batch.HeaderBytes:]
	assert.Equal(t, goldenHeader, hex.EncodeToString(header[:52]))
	assert.Equal(t, make([]byte, batch.HeaderBytes-52), header[52:])
	assert.Equal(t, goldenFirst, hex.EncodeToString(frames[:53]))
	assert.Equal(t, goldenSecond, hex.EncodeToString(frames[53:]))
}

// The checksums, taken here as the layout says and not by the code under test.
func TestChecksumsCoverWhatTheLayoutSays(t *testing.T) {
	t.Parallel()
	p := two(t)
	batch.Stamp(p, 7, 40, 2000)
	first, second := p[256:309], p[309:]
	word := func(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
	assert.Equal(t, xxh3.Hash(first[8:]), word(first))
	assert.Equal(t, xxh3.Hash(second[8:]), word(second))
	covered := slices.Concat(p[:40], p[48:52], first[:8], second[:8])
	assert.Equal(t, xxh3.Hash(covered), word(p[40:]))
}

func TestABatchIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		origin := rapid.Uint64().Draw(t, "origin") / 2
		var want []batch.Message
		var b batch.Builder
		for i := range rapid.IntRange(1, 6).Draw(t, "messages") {
			m := batch.Message{
				ID:        wire.Uint128{Lo: rapid.Uint64().Draw(t, "id"), Hi: uint64(i)},
				Timestamp: origin + uint64(i)*uint64(rapid.Uint16().Draw(t, "later")),
				Payload:   rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "payload"),
				UserHeaders: rapid.SliceOfN(rapid.Byte(), 0, 20).
					Draw(t, "user headers"),
			}
			require.NoError(t, b.Append(m))
			want = append(want, m)
		}
		p := b.Bytes()
		require.Len(t, p, b.Size())
		base := rapid.Uint64Range(0, 1<<60).Draw(t, "base offset")
		batch.Stamp(p, 3, base, 9)
		got, err := batch.Decode(p)
		require.NoError(t, err)
		require.True(t, got.Fresh())
		require.Equal(t, base+uint64(len(want)), got.Next())
		for i, m := range collect(got) {
			want[i].Offset = base + uint64(i)
			require.Equal(t, fmt.Sprint(want[i]), fmt.Sprint(m))
		}
	})
}

// A part of a batch is a batch, and has the same messages.
func TestARangeOfABatchIsABatch(t *testing.T) {
	t.Parallel()
	var messages []batch.Message
	for i := range 5 {
		messages = append(messages, batch.Message{
			Timestamp: 1000 + uint64(i), Payload: fmt.Appendf(nil, "message %d", i),
		})
	}
	p := build(t, messages...)
	batch.Stamp(p, 1, 10, 50)
	whole, err := batch.Decode(p)
	require.NoError(t, err)
	for from := uint64(8); from < 17; from++ {
		for count := range uint32(7) {
			got, n := whole.AppendRange([]byte("before"), from, count)
			require.Equal(t, "before", string(got[:6]))
			want := slices.DeleteFunc(collect(whole), func(m batch.Message) bool {
				return m.Offset < from
			})
			want = want[:min(len(want), int(count))]
			require.Len(t, want, int(n))
			if n == 0 {
				require.Len(t, got, 6)
				continue
			}
			part, err := batch.Decode(got[6:])
			require.NoError(t, err)
			require.Equal(t, want, collect(part))
			require.Equal(t, want[0].Offset == 10, part.Fresh())
			again, n := part.AppendRange(nil, from, count)
			require.Equal(t, got[6:], again, "%d messages", n)
		}
	}
}

func TestSeveralBatchesAreReadOneAfterTheOther(t *testing.T) {
	t.Parallel()
	a, b := two(t), build(t, batch.Message{Payload: []byte("third")})
	first, rest, err := batch.DecodeFirst(slices.Concat(a, b))
	require.NoError(t, err)
	assert.Equal(t, a, first.Bytes())
	second, rest, err := batch.DecodeFirst(rest)
	require.NoError(t, err)
	assert.Equal(t, b, second.Bytes())
	assert.Empty(t, rest)
	viewed, rest := batch.View(slices.Concat(a, b))
	assert.Equal(t, first, viewed)
	assert.Equal(t, b, rest)
}

func TestNoFlippedBitIsAccepted(t *testing.T) {
	t.Parallel()
	p := two(t)
	reasons := map[batch.Reason]int{}
	for bit := range 8 * len(p) {
		p[bit/8] ^= 1 << (bit % 8)
		_, err := batch.Decode(p)
		var refused *batch.Error
		require.ErrorAs(t, err, &refused, "bit %d", bit)
		reasons[refused.Reason]++
		p[bit/8] ^= 1 << (bit % 8)
	}
	t.Logf("%d flips: %v", 8*len(p), reasons)
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	put := func(at int, x uint64, bytes int) func([]byte) []byte {
		return func(p []byte) []byte {
			for i := range bytes {
				p[at+i] = byte(x >> (8 * i))
			}
			return p
		}
	}
	cut := func(bytes int) func([]byte) []byte {
		return func(p []byte) []byte { return put(32, uint64(bytes), 8)(p[:bytes]) }
	}
	// reseal makes the frame at a place verify again, so that what lies behind is looked at.
	reseal := func(at, size int, change func([]byte) []byte) func([]byte) []byte {
		return func(p []byte) []byte {
			p = change(p)
			binary.LittleEndian.PutUint64(p[at:], xxh3.Hash(p[at+8:at+size]))
			return p
		}
	}
	for name, tc := range map[string]struct {
		harm func([]byte) []byte
		want batch.Reason
		at   uint64
	}{
		"nothing":                     {func([]byte) []byte { return nil }, batch.Short, 0},
		"less than a header":          {func(p []byte) []byte { return p[:255] }, batch.Short, 0},
		"less than it says":           {func(p []byte) []byte { return p[:len(p)-1] }, batch.Short, 0},
		"more than it says":           {func(p []byte) []byte { return append(p, 0) }, batch.Long, 366},
		"a length below a header":     {put(32, 255, 8), batch.Length, 32},
		"a length beyond any prepare": {put(32, batch.BytesMax+1, 8), batch.Length, 32},
		"a length of 64 bits":         {put(32, math.MaxUint64, 8), batch.Length, 32},
		"a reserved byte":             {put(255, 1, 1), batch.Reserved, 255},
		"a reserved byte in a frame":  {put(256+47, 1, 1), batch.Reserved, 296},
		"no messages":                 {cut(256), batch.Tiling, 48},
		"another count":               {put(48, 3, 4), batch.Tiling, 48},
		"a frame beyond the end":      {put(309+36, math.MaxUint32, 4), batch.Tiling, 309},
		"a frame cut short":           {cut(356), batch.Tiling, 309},
		"a changed payload":           {put(256+48, 'F', 1), batch.FrameChecksum, 256},
		"a changed frame checksum":    {put(256, 0, 8), batch.FrameChecksum, 256},
		"a changed batch checksum":    {put(40, 0, 8), batch.BatchChecksum, 40},
		"a changed origin":            {put(24, 1, 8), batch.BatchChecksum, 40},
		"an offset twice": {
			reseal(309, 57, put(309+24, 0, 4)), batch.Deltas, 309 + 24,
		},
		"a gap in the offsets": {
			reseal(309, 57, put(309+24, 2, 4)), batch.Deltas, 309 + 24,
		},
		"offsets beyond 64 bits": {put(8, math.MaxUint64-1, 8), batch.Deltas, 309 + 24},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := batch.Decode(tc.harm(two(t)))
			var refused *batch.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tc.want, refused.Reason, "%v", err)
			assert.Equal(t, tc.at, refused.At, "%v", err)
			assert.ErrorContains(t, err, refused.Reason.String())
		})
	}
}

func TestABuilderRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	var b batch.Builder
	assert.Nil(t, b.Bytes())
	require.NoError(t, b.Append(batch.Message{Timestamp: 100}))
	before := slices.Clone(b.Bytes())
	for name, m := range map[string]batch.Message{
		"older than the first":        {Timestamp: 99},
		"much younger than the first": {Timestamp: 100 + math.MaxUint32 + 1},
		"too large":                   {Timestamp: 100, Payload: make([]byte, batch.BytesMax)},
	} {
		require.Error(t, b.Append(m), name)
		assert.Equal(t, before, b.Bytes(), name)
	}
	b.Reset()
	assert.Zero(t, b.Len())
	require.NoError(t, b.Append(batch.Message{Timestamp: 5, Payload: []byte("x")}))
	got, err := batch.Decode(b.Bytes())
	require.NoError(t, err)
	assert.Equal(t, uint64(5), got.Header().OriginTimestamp)
}

func TestReadingAllocatesNothing(t *testing.T) {
	p := two(t)
	sum := 0
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		b, err := batch.Decode(p)
		if err != nil {
			panic(err)
		}
		for m := range b.Messages() {
			sum += len(m.Payload)
		}
		batch.Stamp(p, 1, 2, 3)
	}))
	assert.Positive(t, sum)
}

// Whatever the bytes: no panic, and what is accepted is served, in parts, as what it is.
func FuzzDecode(f *testing.F) {
	f.Add(two(f))
	f.Add(make([]byte, 300))
	f.Fuzz(func(t *testing.T, p []byte) {
		b, rest, err := batch.DecodeFirst(p)
		if err != nil {
			var refused *batch.Error
			require.ErrorAs(t, err, &refused)
			return
		}
		require.Equal(t, p, slices.Concat(b.Bytes(), rest))
		messages := collect(b)
		require.Len(t, messages, int(b.Header().Messages))
		require.Equal(t, b.First(), messages[0].Offset)
		require.Equal(t, b.Next(), messages[len(messages)-1].Offset+1)
		part, n := b.AppendRange(nil, b.Next()-1, 9)
		require.EqualValues(t, 1, n)
		_, err = batch.Decode(part)
		require.NoError(t, err)
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, size := range []int{100, 1000} {
		p := hundred(b, size)
		b.Run(fmt.Sprintf("100x%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := batch.Decode(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStamp(b *testing.B) {
	p := hundred(b, 100)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		batch.Stamp(p, 1, 2, 3)
	}
}

func BenchmarkBuild(b *testing.B) {
	payload := make([]byte, 100)
	var builder batch.Builder
	b.SetBytes(100 * 100)
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset()
		for range 100 {
			if err := builder.Append(batch.Message{Payload: payload}); err != nil {
				b.Fatal(err)
			}
		}
		builder.Bytes()
	}
}

func hundred(b *testing.B, size int) []byte {
	messages := make([]batch.Message, 100)
	for i := range messages {
		messages[i].Payload = make([]byte, size)
	}
	return build(b, messages...)
}
