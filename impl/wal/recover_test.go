package wal_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The bytes of two records: whoever changes the layout finds out here.
func TestTheLayoutIsPinned(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/two_records.hex")
	require.NoError(t, err)
	want, err := hex.DecodeString(strings.Join(strings.Fields(string(golden)), ""))
	require.NoError(t, err)
	assert.Equal(t, want, image(t, wal.Record{Op: 41, Body: []byte("hello")}, wal.Record{Op: 42}))

	l, report := openImage(t, want)
	assert.Empty(t, report.Discarded)
	requireHolds(t, l, wal.Record{Op: 41, Body: []byte("hello")}, wal.Record{Op: 42})
}

// A kill or a power loss may stop a write anywhere: what is whole is adopted, what is
// not is cut, whatever the missing bytes read as.
func TestATornRecordIsCutAtEveryByte(t *testing.T) {
	t.Parallel()
	records := []wal.Record{record(1, 20), record(2, 0), record(3, 45)}
	whole := image(t, records...)
	starts := []int{0, 92, 164, len(whole)}
	for name, tc := range map[string]struct {
		first int
		rest  []byte // What is read where the write did not get to.
	}{
		"the file ends": {0, nil},
		"zeros follow":  {0, make([]byte, len(whole))},
		// Up to byte 40 both logs are the same, so that a cut there leaves the earlier one.
		"records of an earlier log follow, at the same places": {41, image(t,
			wal.Record{Op: 1, Body: bytes.Repeat([]byte{'#'}, 20)}, wal.Record{Op: 2},
			wal.Record{Op: 3, Body: bytes.Repeat([]byte{'#'}, 45)})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for cut := tc.first; cut < len(whole); cut++ {
				kept := 0
				for starts[kept+1] <= cut {
					kept++
				}
				torn := join(whole[:cut], tc.rest[min(cut, len(tc.rest)):])
				l, report := openImage(t, torn)
				requireHolds(t, l, records[:kept]...)
				requireRanges(t, report, int64(starts[kept]), int64(len(torn)))
				if tc.rest == nil && cut > starts[kept] {
					require.Equal(t, wal.TornTail, report.Discarded[0].Reason, "cut at %d", cut)
				}
			}
		})
	}
}

// Rot is never adopted: a flipped bit ends the log before the record that it is in.
func TestABitFlipAnywhereIsNeverAdopted(t *testing.T) {
	t.Parallel()
	records := []wal.Record{record(1, 20), record(2, 0), record(3, 45)}
	whole := image(t, records...)
	starts := []int{0, 92, 164, len(whole)}
	for i := range whole {
		hit := 0
		for starts[hit+1] <= i {
			hit++
		}
		for bit := range 8 {
			rotten := append([]byte{}, whole...)
			rotten[i] ^= 1 << bit
			l, report := openImage(t, rotten)
			requireHolds(t, l, records[:hit]...)
			requireRanges(t, report, int64(starts[hit]), int64(len(whole)))
		}
	}
}

func TestEachDiscardedRangeHasItsReason(t *testing.T) {
	t.Parallel()
	one, two, three := record(1, 20), record(2, 30), record(3, 40)
	whole := image(t, one, two, three)
	const end1, end2, end3 = 92, 92 + 102, 92 + 102 + 112
	other := image(t, record(1, 21), record(2, 31), record(3, 41))
	flip := func(at int) []byte {
		b := append([]byte{}, whole...)
		b[at] ^= 1
		return b
	}
	for name, tc := range map[string]struct {
		content []byte
		kept    int
		want    []wal.Discard
	}{
		"nothing to discard": {content: whole, kept: 3},
		"an empty file":      {content: nil, kept: 0},
		"half a header": {whole[:end2+30], 2, []wal.Discard{
			{Offset: end2, Bytes: 30, Reason: wal.TornTail},
		}},
		"two bytes of a header": {whole[:end2+2], 2, []wal.Discard{
			{Offset: end2, Bytes: 2, Reason: wal.TornTail},
		}},
		"half a body": {whole[:end3-1], 2, []wal.Discard{
			{Offset: end2, Bytes: 111, Reason: wal.TornTail},
		}},
		"a body that rots in the middle takes what is behind": {flip(end1 + 80), 1, []wal.Discard{
			{Offset: end1, Bytes: 102, Reason: wal.TornTail},
			{Offset: end2, Bytes: 112, Reason: wal.Orphaned, Records: 1, PayloadBytes: 40},
		}},
		"a header that rots in the middle hides what is behind": {flip(end1 + 10), 1, []wal.Discard{
			{Offset: end1, Bytes: 214, Reason: wal.TornTail},
		}},
		"magic that rots": {flip(end1), 1, []wal.Discard{
			{Offset: end1, Bytes: 214, Reason: wal.Foreign},
		}},
		"a size that rots to more than the file": {flip(end2 + 7), 2, []wal.Discard{
			{Offset: end2, Bytes: 112, Reason: wal.TornTail},
		}},
		"room that nobody wrote to": {join(whole, make([]byte, 100_000)), 3, []wal.Discard{
			{Offset: end3, Bytes: 100_000, Reason: wal.Unwritten},
		}},
		"a first sector that never came": {
			join(whole, make([]byte, 70_000), []byte("x")), 3,
			[]wal.Discard{{Offset: end3, Bytes: 70_001, Reason: wal.TornTail}},
		},
		"bytes of something else": {join(whole, []byte("{\"json\":1}")), 3, []wal.Discard{
			{Offset: end3, Bytes: 10, Reason: wal.Foreign},
		}},
		"a file of something else": {[]byte("#!/bin/sh"), 0, []wal.Discard{
			{Offset: 0, Bytes: 9, Reason: wal.Foreign},
		}},
		"records of another log": {
			join(whole[:end2], other[93:93+103], other[93+103:], []byte("?")), 2,
			[]wal.Discard{
				{Offset: end2, Bytes: 103 + 113, Reason: wal.BrokenChain, Records: 2, PayloadBytes: 72},
				{Offset: end2 + 103 + 113, Bytes: 1, Reason: wal.Foreign},
			},
		},
		"a log that starts in the middle": {whole[end1:], 0, []wal.Discard{
			{Offset: 0, Bytes: 214, Reason: wal.BrokenChain, Records: 2, PayloadBytes: 70},
		}},
		"a record that is there twice": {join(whole[:end2], whole[end1:]), 2, []wal.Discard{
			{Offset: end2, Bytes: 214, Reason: wal.BrokenChain, Records: 2, PayloadBytes: 70},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, report := openImage(t, tc.content)
			requireHolds(t, l, []wal.Record{one, two, three}[:tc.kept]...)
			assert.Equal(t, tc.want, report.Discarded)
			for _, d := range report.Discarded {
				assert.Contains(t, report.String(), d.String())
				assert.Contains(t, d.String(), d.Reason.String())
			}
		})
	}
}

// Chain and checksums alone do not make a record the next one. No code of ours writes
// these; a defect elsewhere might.
func TestARecordThatDoesNotFollowIsNotAdopted(t *testing.T) {
	t.Parallel()
	const size, op, sequence = 4, 8, 16 // Offsets in a header.
	first := image(t, record(5, 20))
	for name, tc := range map[string]struct {
		at    int // Of the field that is changed, in the second record.
		value byte
		want  wal.Reason
	}{
		"a sequence that skips one":        {sequence, 3, wal.BrokenChain},
		"a sequence that repeats":          {sequence, 1, wal.BrokenChain},
		"an op that skips one":             {op, 7, wal.BrokenChain},
		"an op that repeats":               {op, 5, wal.BrokenChain},
		"op zero":                          {op, 0, wal.BrokenChain},
		"a size below that of a header":    {size, wal.HeaderBytes - 1, wal.TornTail},
		"a size that runs beyond the file": {size, wal.HeaderBytes + 31, wal.TornTail},
		"a size that leaves out the end":   {size, wal.HeaderBytes + 29, wal.TornTail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := image(t, record(5, 20), record(6, 30))
			reseal(content[len(first):], tc.at, tc.value)
			l, report := openImage(t, content)
			requireHolds(t, l, record(5, 20))
			require.NotEmpty(t, report.Discarded)
			assert.Equal(t, tc.want, report.Discarded[0].Reason)
		})
	}
	t.Run("op zero in the first record", func(t *testing.T) {
		t.Parallel()
		content := image(t, record(5, 20))
		reseal(content, op, 0)
		l, _ := openImage(t, content)
		requireHolds(t, l)
	})
}

// reseal changes a byte of a record's header and makes its checksum fit.
func reseal(content []byte, at int, value byte) {
	content[at] = value
	sum := wire.ChecksumOf(content[:56])
	binary.LittleEndian.PutUint64(content[56:], sum.Lo)
	binary.LittleEndian.PutUint64(content[64:], sum.Hi)
}

// A client chooses its body; one that looks like a record must not become one.
func TestABodyThatLooksLikeARecordIsNotAdopted(t *testing.T) {
	t.Parallel()
	trojan := image(t, record(1, 20), record(2, 20))
	for cut := range len(trojan) {
		torn := image(t, record(1, 20), wal.Record{Op: 2, Body: trojan})[:92+wal.HeaderBytes+cut]
		l, _ := openImage(t, torn)
		requireHolds(t, l, record(1, 20))
		torn[92] ^= 1 // The header does not verify either: its length says nothing.
		l, _ = openImage(t, torn)
		requireHolds(t, l, record(1, 20))
	}
}

// R14: what was read may only have been in the page cache, so it is flushed before
// anybody can speak for it. A second crash right after Open finds the same log.
func TestOpenFlushesWhatItKeeps(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk)
	require.NoError(t, l.Append(record(1, 300), record(2, 300)))
	require.NoError(t, l.Append(record(3, 300)))
	require.NoError(t, disk.Tear(path, 3*(wal.HeaderBytes+300)-1))
	disk.Kill()
	before := len(disk.Operations())
	l, _ = open(t, disk)
	requireHolds(t, l, record(1, 300), record(2, 300))
	var changes []string
	for _, op := range disk.Operations()[before:] {
		if op.Kind != memdisk.OperationRead && op.Kind != memdisk.OperationOpen {
			changes = append(changes, op.String())
		}
	}
	assert.Equal(t, []string{
		"truncate partition/0/wal bytes=744", "sync partition/0/wal", "sync directory partition/0",
	}, changes)
	disk.PowerLoss(memdisk.Nothing)
	l, report := open(t, disk)
	assert.Empty(t, report.Discarded)
	requireHolds(t, l, record(1, 300), record(2, 300))
}

// The figures of seed 003 at one replica: 30 batches of 317 bytes, never synced, and
// then SIGKILL.
func TestRecoverToFrontierLosesWhatTheDiskHolds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		recovery  wal.Recovery
		published int // Records below the frontier.
		kept      int
		discarded []wal.Discard
	}{
		"seed 003: nothing was published": {
			wal.RecoverToFrontier, 0, 0,
			[]wal.Discard{{
				Offset: 0, Bytes: 30 * 389, Reason: wal.BeyondFrontier, Records: 30, PayloadBytes: 9510,
			}},
		},
		"a checkpoint published ten": {
			wal.RecoverToFrontier, 10, 10,
			[]wal.Discard{{
				Offset: 3890, Bytes: 20 * 389, Reason: wal.BeyondFrontier, Records: 20, PayloadBytes: 6340,
			}},
		},
		"all were published":           {wal.RecoverToFrontier, 30, 30, nil},
		"all that verifies is adopted": {wal.RecoverVerified, 0, 30, nil},
		"... whatever was published":   {wal.RecoverVerified, 10, 30, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk)
			for op := range wire.Op(30) {
				require.NoError(t, l.Append(record(op+1, 317)))
				if int(op)+1 == tc.published {
					require.NoError(t, l.PublishFrontier())
				}
			}
			disk.Kill()
			l, report := open(t, disk, wal.WithRecovery(tc.recovery))
			assert.Len(t, l.Records(), tc.kept)
			assert.Equal(t, tc.discarded, report.Discarded)
		})
	}
}

func TestADamagedFrontierStandsBeforeTheFirstRecord(t *testing.T) {
	t.Parallel()
	for at := range int64(32) {
		disk := memdisk.New(1)
		l, _ := open(t, disk)
		require.NoError(t, l.Append(record(1, 10)))
		require.NoError(t, l.PublishFrontier())
		require.NoError(t, disk.Rot(path+".frontier", at, 4))
		disk.Kill()
		l, _ = open(t, disk, wal.WithRecovery(wal.RecoverToFrontier))
		requireHolds(t, l)
	}
}

// Negative control of the torn records above: the mutant serves one.
func TestRecoverTornServesARecordThatDoesNotVerify(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk)
	require.NoError(t, l.Append(record(1, 100), record(2, 100)))
	id := l.Head()
	require.NoError(t, disk.Tear(path, 2*172-40))
	disk.Kill()
	l, report := open(t, disk, wal.WithRecovery(wal.RecoverTorn))
	assert.Empty(t, report.Discarded)
	assert.Equal(t, id, l.Head())
	body, err := l.Read(id)
	require.NoError(t, err)
	assert.NotEqual(t, record(2, 100).Body, body)
	require.NoError(t, l.Append(record(3, 100)))
	disk.Kill()
	l, report = open(t, disk)
	requireHolds(t, l, record(1, 100))
	assert.Equal(t, []wal.Discard{
		{Offset: 172, Bytes: 172, Reason: wal.TornTail},
		{Offset: 344, Bytes: 172, Reason: wal.Orphaned, Records: 1, PayloadBytes: 100},
	}, report.Discarded)
}

func TestNamesOfRecoveriesAndReasons(t *testing.T) {
	t.Parallel()
	for _, r := range []wal.Recovery{wal.RecoverVerified, wal.RecoverToFrontier, wal.RecoverTorn} {
		parsed, err := wal.ParseRecovery(r.String())
		require.NoError(t, err)
		assert.Equal(t, r, parsed)
	}
	for _, name := range []string{"", "Verified", "recovery(9)"} {
		_, err := wal.ParseRecovery(name)
		require.ErrorContains(t, err, "expected one of")
	}
	assert.Equal(t, "recovery(9)", wal.Recovery(9).String())
	assert.Equal(t, "reason(9)", wal.Reason(9).String())
}

// Whatever a file holds, Open makes a log of its beginning, and a second Open finds
// just that.
func TestAnyContentIsRecovered(t *testing.T) {
	t.Parallel()
	valid := image(t, record(1, 20), record(2, 0), record(3, 45))
	rapid.Check(t, func(t *rapid.T) {
		content := append([]byte{}, valid...)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(content)).Draw(t, "at")
			piece := rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "piece")
			if rapid.Bool().Draw(t, "of the log") {
				from := rapid.IntRange(0, len(valid)).Draw(t, "from")
				piece = valid[from:rapid.IntRange(from, len(valid)).Draw(t, "to")]
			}
			if rapid.Bool().Draw(t, "insert") {
				content = join(content[:at], piece, content[at:])
			} else {
				content = join(content[:at], piece, content[min(len(content), at+len(piece)):])
			}
		}
		l, report := openImage(t, content)
		n := len(l.Records())
		require.LessOrEqual(t, n, 3, "a record came from nowhere")
		for i, h := range l.Records() {
			require.Equal(t, wire.Op(i+1), h.Op)
		}
		requireRanges(t, report, report.Bytes, int64(len(content)))
		_, again := openImage(t, content[:report.Bytes])
		require.Empty(t, again.Discarded)
		require.Equal(t, n, again.Records)
	})
}

// requireRanges checks that the discarded ranges cover [from, to) without gaps.
func requireRanges(t require.TestingT, report wal.Report, from, to int64) {
	require.Equal(t, from, report.Bytes)
	require.Equal(t, to-from, report.DiscardedBytes())
	for _, d := range report.Discarded {
		require.Equal(t, from, d.Offset)
		require.Positive(t, d.Bytes)
		require.NotZero(t, d.Reason)
		from += d.Bytes
	}
	require.Equal(t, to, from)
}

// image returns the bytes of a log of these records.
func image(t *testing.T, records ...wal.Record) []byte {
	t.Helper()
	disk := memdisk.New(1)
	l, _ := open(t, disk)
	require.NoError(t, l.Append(records...))
	f, err := disk.Open(path)
	require.NoError(t, err)
	size, err := f.Size()
	require.NoError(t, err)
	content := make([]byte, size)
	_, err = f.ReadAt(content, 0)
	require.NoError(t, err)
	return content
}

// openImage opens a log whose file has this content.
func openImage(t require.TestingT, content []byte) (*wal.Log, wal.Report) {
	disk := memdisk.New(1)
	f, err := disk.Create(path)
	require.NoError(t, err)
	_, err = f.WriteAt(content, 0)
	require.NoError(t, err)
	l, report, err := wal.Open(disk, path)
	require.NoError(t, err)
	return l, report
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
