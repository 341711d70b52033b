package storage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// logOf returns the log with the given headers.
func logOf(headers []uint8) JournalLog {
	var l JournalLog
	for _, h := range headers {
		l = l.add(h)
	}
	return l
}

// headersOf returns the headers of a log.
func headersOf(l JournalLog) []uint8 {
	headers := []uint8{}
	for o := uint8(1); o <= l.head(); o++ {
		headers = append(headers, l.at(o))
	}
	return headers
}

func TestALogIsTheSequenceOfItsHeaders(t *testing.T) {
	t.Parallel()
	header := rapid.Uint8Range(0, journalHeaders-1)
	rapid.Check(t, func(t *rapid.T) {
		headers := rapid.SliceOfN(header, 0, JournalOpMax).Draw(t, "headers")
		l := logOf(headers)
		require.Equal(t, headers, headersOf(l))
		n := rapid.Uint8Range(0, JournalOpMax+1).Draw(t, "n")
		cut := min(int(n), len(headers))
		assert.Equal(t, headers[:cut], headersOf(l.prefix(n)))
		assert.Equal(t, headers[cut:], headersOf(l.suffix(n)))
		assert.Equal(t, l, l.prefix(n).then(l.suffix(n)))
		if len(headers) > 0 {
			op := rapid.IntRange(1, len(headers)).Draw(t, "op")
			other := header.Draw(t, "other")
			changed := append([]uint8{}, headers...)
			changed[op-1] = other
			assert.Equal(t, changed, headersOf(l.with(uint8(op), other)))
			assert.Equal(t, headers[len(headers)-1], l.last())
		}
		assert.True(t, l.prefix(n).fits(l, journalHeaders))
		assert.Equal(t, l.head() == 0, l.fits(0, journalHeaders))
	})
}

func TestFitsTakesAnUnknownHeaderForAny(t *testing.T) {
	t.Parallel()
	const unknown = 2
	zero, one, open := logOf([]uint8{0}), logOf([]uint8{1}), logOf([]uint8{unknown})
	assert.False(t, zero.fits(one, unknown))
	assert.True(t, zero.fits(open, unknown))
	assert.True(t, open.fits(one, unknown))
	assert.False(t, open.fits(0, unknown))
	assert.True(t, open.holds(unknown))
	assert.False(t, zero.holds(unknown))
	assert.Equal(t, logOf([]uint8{0, unknown}), zero.pad(2, unknown))
}

func TestEveryLogHasItsNumber(t *testing.T) {
	t.Parallel()
	count := 0
	eachJournalLog(JournalOpMax, journalHeaders, func(l JournalLog) {
		assert.Equal(t, JournalLog(count), l)
		count++
	})
	assert.Equal(t, journalLogs, count)
	count = 0
	eachJournalLog(1, 2, func(JournalLog) { count++ })
	assert.Equal(t, 3, count)
	assert.Panics(t, func() { logOf([]uint8{0, 0, 0}) })
}

func TestMutantsAreNumberedInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	require.Len(t, JournalBugs(), int(journalBugs))
	for b, name := range map[journalBug]Bug{
		ackBeforeFlush: "ack_before_flush", staleRecycled: "stale_recycled",
		misdirectedIsEnd: "misdirected_is_end", fullOverwrites: "full_overwrites",
		superblockAnyValid: "superblock_any_valid",
	} {
		assert.Equal(t, name, JournalBugs()[b])
	}
}
