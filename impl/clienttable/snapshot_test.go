package clienttable_test

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Offsets of the format, see the package comment.
const (
	headerBytes, rowBytes, replyBytes, checksumBytes = 32, 72, 44, 16
)

// threeSlots is a table with all that a snapshot has to hold: an empty slot, slots and newest
// ops in different orders, a rebind, a full ring, an empty body and one that was not kept.
func threeSlots(t require.TestingT) *table {
	c := config{Shape: clienttable.Numbered, Capacity: 3, Ring: 2, ReplyBytes: 5}
	made := clienttable.New(c)
	say := func(m message, body string) {
		op := made.Op() + 1
		require.Equal(t, clienttable.Execute, made.Execute(op, m).Outcome)
		made.Complete(op, []byte(body))
	}
	execute(made, register(1, 1))
	execute(made, register(2, 1))
	execute(made, register(3, 1))
	say(request(1, 1, 1), "first")
	say(request(1, 1, 2), "")
	execute(made, logout(2, 2))
	execute(made, register(1, 4))
	say(request(1, 7, 3), "third")
	say(request(3, 3, 1), "too long")
	return made
}

// fromHex reads hexadecimal text; what follows a # is for people.
func fromHex(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		before, _, _ := strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(before), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err)
	return b
}

// The bytes of a snapshot: whoever changes the layout finds out here.
func TestTheLayoutIsPinned(t *testing.T) {
	t.Parallel()
	want := fromHex(t, "testdata/three_slots.hex")
	made := threeSlots(t)
	assert.Equal(t, want, made.AppendSnapshot(nil))
	restored, err := clienttable.Restore(made.Config(), want)
	require.NoError(t, err)
	assert.Equal(t, rowsOf(made), rowsOf(restored))
	assert.Equal(t, wire.Op(9), restored.Op())
	clear(want) // The table keeps nothing of the bytes.
	assert.Equal(t, rowsOf(made), rowsOf(restored))
	assert.Equal(t, 3, restored.Capacity())
}

// A reply has the same bytes before and after, and the table goes on alike: whose turn it is
// to be evicted and which slot is free are in the snapshot.
func TestARestoredTableGoesOnAlike(t *testing.T) {
	t.Parallel()
	made := threeSlots(t)
	// Capacity and ring are the snapshot's; what the configuration says of the first is old.
	c := made.Config()
	c.Capacity = 1
	restored, err := clienttable.Restore(c, made.AppendSnapshot(nil))
	require.NoError(t, err)
	for _, m := range []message{
		request(1, 7, 2), request(1, 7, 3), request(1, 7, 1), request(3, 3, 1), register(1, 4),
		register(4, 1), register(5, 1), register(6, 1), request(1, 7, 4), resize(2),
	} {
		assert.Equal(t, made.Answer(m), restored.Answer(m))
		assert.Equal(t, execute(made, m), execute(restored, m))
		assert.Equal(t, made.AppendSnapshot(nil), restored.AppendSnapshot(nil))
	}
}

// reseal gives a changed snapshot the checksum that its bytes have.
func reseal(snapshot []byte) []byte {
	if len(snapshot) < checksumBytes {
		return snapshot
	}
	end := len(snapshot) - checksumBytes
	sum := wire.ChecksumOf(snapshot[:end])
	binary.LittleEndian.PutUint64(snapshot[end:], sum.Lo)
	binary.LittleEndian.PutUint64(snapshot[end+8:], sum.Hi)
	return snapshot
}

func TestEveryChangedBitIsFound(t *testing.T) {
	t.Parallel()
	made := threeSlots(t)
	snapshot := made.AppendSnapshot(nil)
	for i := range snapshot {
		for bit := range 8 {
			snapshot[i] ^= 1 << bit
			_, err := clienttable.Restore(made.Config(), snapshot)
			require.ErrorIs(t, err, clienttable.ErrDamaged)
			snapshot[i] ^= 1 << bit
		}
	}
	for cut := range snapshot {
		_, err := clienttable.Restore(made.Config(), snapshot[:cut])
		require.ErrorIs(t, err, clienttable.ErrDamaged)
	}
}

// put is a change of a snapshot: a number of so many bytes.
type put struct{ at, size, number int }

func (p put) to(snapshot []byte) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(p.number))
	copy(snapshot[p.at:p.at+p.size], b[:])
}

// Whoever can compute a checksum can write anything behind it.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	const (
		slots  = headerBytes
		first  = slots + 3
		reply0 = first + rowBytes        // of client 1: number 2, empty
		reply1 = reply0 + replyBytes     // number 3, 5 bytes
		second = reply1 + replyBytes + 5 // the row of client 3
		reply2 = second + rowBytes       // number 1, not kept
		end    = reply2 + replyBytes     // of the rows
	)
	for name, tc := range map[string]struct {
		puts []put
		text string
		is   error // ErrDamaged if nil
	}{
		"other magic": {puts: []put{{3, 1, '2'}}, text: `it begins with "VCT2"`},
		"another shape": {
			puts: []put{{4, 1, 2}}, text: "shape upstream, expected numbered",
			is: clienttable.ErrOtherConfig,
		},
		"reserved bytes": {puts: []put{{5, 1, 1}}, text: "reserved bytes are 010000"},
		"no slots":       {puts: []put{{8, 4, 0}}, text: "capacity is 0"},
		"too many slots": {puts: []put{{8, 4, 1 << 31}}, text: "capacity is 2147483648"},
		"more slots than bytes": {
			puts: []put{{8, 4, 60000}}, text: "expected at least 60144 for 60000 slots",
		},
		"another ring": {
			puts: []put{{12, 4, 3}}, text: "ring 3, expected 2", is: clienttable.ErrOtherConfig,
		},
		"other reply bytes": {
			puts: []put{{16, 4, 6}}, text: "reply bytes 6, expected 5",
			is: clienttable.ErrOtherConfig,
		},
		"more rows than bytes": {puts: []put{{20, 4, 1 << 31}}, text: "2147483648 rows"},
		"fewer rows than used slots": {
			puts: []put{{20, 4, 1}}, text: "slot 2 is used, expected 1",
		},
		"more rows than used slots": {
			puts: []put{{20, 4, 3}}, text: "2 slots are used, expected 3",
		},
		"an op below the rows'": {puts: []put{{24, 8, 8}}, text: "at most op 8"},
		"a mark that is none":   {puts: []put{{slots, 1, 2}}, text: "slot 0 is marked 2"},
		"client 0":              {puts: []put{{first, 8, 0}}, text: "client is 0"},
		"a client twice": {
			puts: []put{{first, 8, 3}}, text: "slots 0 and 2: both are of client",
		},
		"more replies than the ring": {puts: []put{{first + 20, 4, 3}}, text: "slot 0: 3 replies"},
		"replies without end": {
			puts: []put{{second + 20, 4, 2}}, text: "slot 2: 2 replies in 44 bytes",
		},
		"fewer replies than the watermark says": {
			puts: []put{{second + 48, 8, 2}}, text: "1 replies at watermark 2",
		},
		"born after the session": {puts: []put{{first + 40, 8, 8}}, text: "born is 8"},
		"born at op 0":           {puts: []put{{first + 40, 8, 0}}, text: "born is 0"},
		"bound above the watermark": {
			puts: []put{{first + 56, 8, 4}}, text: "bound watermark is 4",
		},
		"bound in the first session": {
			puts: []put{{second + 56, 8, 1}}, text: "bound watermark is 1 in the first",
		},
		"a newest that nothing has": {
			puts: []put{{first + 64, 8, 9}}, text: "newest is 9, expected 8",
		},
		"the newest of another row": {
			puts: []put{{second + 64, 8, 8}, {reply2 + 32, 8, 8}}, text: "both have newest 8",
		},
		"a reply before born": {
			puts: []put{{reply0, 8, 0}}, text: "reply 0: session is 0, expected 1 to 7",
		},
		"a gap between replies": {
			puts: []put{{reply0 + 8, 8, 1}}, text: "reply 1: number is 3 after 1",
		},
		"no reply of the watermark": {
			puts: []put{{reply0 + 8, 8, 1}, {reply1 + 8, 8, 2}},
			text: "the newest reply is that of 2, expected the watermark 3",
		},
		"a reply above the watermark": {
			puts: []put{{reply0 + 8, 8, 5}}, text: "reply 0: number is 5 after 0",
		},
		"a reply of no number": {puts: []put{{reply2 + 8, 8, 0}}, text: "reply 0: number is 0"},
		"ops that go down":     {puts: []put{{reply0 + 32, 8, 8}}, text: "reply 0: op is 8"},
		"a reply before its session": {
			puts: []put{{reply0 + 32, 8, 1}}, text: "reply 0: op is 1 after 0, in session 1",
		},
		"a body that is too large": {
			puts: []put{{reply1 + 40, 4, 6}}, text: "slot 0, reply 1: " +
				"not a snapshot of a client table: body of 6 bytes",
		},
		"a body beyond the end": {
			puts: []put{{reply2 + 40, 4, 5}}, text: "no more than the 0 left",
		},
		"a body that is too small": {puts: []put{{reply1 + 40, 4, 0}}, text: "slot 2:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := threeSlots(t)
			snapshot := made.AppendSnapshot(nil)
			require.Len(t, snapshot, end+checksumBytes)
			for _, p := range tc.puts {
				p.to(snapshot)
			}
			restored, err := clienttable.Restore(made.Config(), reseal(snapshot))
			assert.Nil(t, restored)
			if tc.is == nil {
				tc.is = clienttable.ErrDamaged
			}
			require.ErrorIs(t, err, tc.is)
			require.ErrorContains(t, err, tc.text)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	t.Run("bytes after the last row", func(t *testing.T) {
		t.Parallel()
		made := threeSlots(t)
		snapshot := slices.Insert(made.AppendSnapshot(nil), end, 0)
		_, err := clienttable.Restore(made.Config(), reseal(snapshot))
		require.ErrorContains(t, err, "1 bytes follow the last row")
	})
}
