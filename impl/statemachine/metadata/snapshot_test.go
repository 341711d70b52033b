package metadata_test

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	headerBytes   = 64
	checksumBytes = 16
)

// sample is a catalogue with one or two of everything.
func sample(t require.TestingT) *metadata.Machine {
	m := metadata.New(smallLimits)
	for i, s := range []struct {
		op   wire.Operation
		body []byte
	}{
		{opChangePassword, body(id(0), "", hashOne)},
		{opCreateStream, body("gone")},
		{opDeleteStream, body(named("gone"))},
		{opCreateStream, body("orders")},
		{opCreateTopic, body(id(2), uint32(2), "eu",
			option("durability", 2, text("persisted")),
			option("message_expiry", 12, uint64(60_000_000)))},
		{opCreateTopic, body(id(2), uint32(1), "us")},
		{opPurgeTopic, body(id(2), named("us"))},
		{opCreateGroup, body(id(2), id(1), "billing")},
		{opCreateUser, body("ann", hashTwo, uint8(1), uint8(1), uint32(23), body(
			make([]byte, 9), uint8(1), uint8(1), uint32(2), uint8(0), uint8(1), make([]byte, 4),
			uint8(0), uint8(0)))},
		{opCreateUser, body("bob", hashOne, uint8(2), uint8(0))},
		{opCreateToken, body("ci", uint64(0), credentials.DigestOf("vst_sample"))},
	} {
		code, _ := run(t, m, uint64(1000+i), s.op, s.body)
		require.Zero(t, code, "step %d", i)
	}
	return m
}

// The form of a snapshot is for ever: to change it takes another magic.
func TestGoldenSnapshot(t *testing.T) {
	t.Parallel()
	const file = "testdata/sample.hex"
	got := hexLines(sample(t).AppendSnapshot(nil))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
	b, err := hex.DecodeString(strings.ReplaceAll(string(want), "\n", ""))
	require.NoError(t, err)
	m := metadata.New(metadata.DefaultLimits())
	require.NoError(t, m.Restore(b))
	assert.Equal(t, look(t, sample(t)), look(t, m))
	assert.Equal(t, sample(t).Login("root"), m.Login("root"))
	assert.Equal(t, smallLimits, m.Limits())
}

func hexLines(b []byte) string {
	var lines strings.Builder
	for line := range slices.Chunk(b, 32) {
		lines.WriteString(hex.EncodeToString(line) + "\n")
	}
	return lines.String()
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

func TestEveryChangedBitAndEveryCutIsFound(t *testing.T) {
	t.Parallel()
	snapshot := sample(t).AppendSnapshot(nil)
	m := metadata.New(smallLimits)
	before := m.Checksum()
	for i := range snapshot {
		snapshot[i] ^= 1 << (i % 8)
		require.ErrorIs(t, m.Restore(snapshot), metadata.ErrDamaged)
		snapshot[i] ^= 1 << (i % 8)
		require.ErrorIs(t, m.Restore(snapshot[:i]), metadata.ErrDamaged)
	}
	assert.Equal(t, before, m.Checksum(), "a refused snapshot changes nothing")
}

// Whoever can compute a checksum can write anything behind it: what is accepted is written the
// same way again, and what is refused leaves the machine as it was.
func TestWhatIsSealedIsCheckedToo(t *testing.T) {
	t.Parallel()
	snapshot := sample(t).AppendSnapshot(nil)
	accepted := 0
	for i := 4; i < len(snapshot)-checksumBytes; i++ {
		for _, to := range []byte{0, 1, 2, 0x7f, 0xff, snapshot[i] + 1} {
			changed := reseal(append(slices.Clone(snapshot[:i]),
				append([]byte{to}, snapshot[i+1:]...)...))
			m := metadata.New(smallLimits)
			before := m.Checksum()
			if err := m.Restore(changed); err == nil {
				accepted++
				require.Equal(t, changed, m.AppendSnapshot(nil))
				look(t, m)
			} else {
				require.ErrorIs(t, err, metadata.ErrDamaged)
				require.NotContains(t, err.Error(), "\n")
				require.Equal(t, before, m.Checksum())
			}
		}
	}
	assert.Positive(t, accepted, "some bytes may be anything, such as those of a name")
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	whole := sample(t).AppendSnapshot(nil)
	at := func(s string) int { return strings.Index(string(whole), s) }
	for name, tc := range map[string]struct {
		at   int
		to   []byte
		text string
	}{
		"another magic":       {0, text("VMD1"), `begins with "VMD1"`},
		"a limit of 0":        {4, body(uint32(0)), "limit of streams is 0"},
		"no next group":       {40, body(uint64(0)), "next group is 0"},
		"too large a group":   {40, body(uint64(1 << 63)), "next group is 9223372036854775808"},
		"users without end":   {52, body(uint32(1 << 31)), "2147483648 users"},
		"a user above next":   {48, body(uint32(1)), "user 1, expected 1 to 0"},
		"no users":            {52, body(uint32(0)), "no active root"},
		"streams":             {60, body(uint32(9)), "9 streams"},
		"a stream above next": {56, body(uint32(2)), "stream 2, expected 0 to 1"},
		"a locked root": {
			headerBytes + 17, []byte{2}, "no active root",
		},
		"a password":             {at(hashTwo), text("$argon2i$"), "its password is not hashed"},
		"a status":               {at("ann") + 3, []byte{3}, "status is 3"},
		"a name twice":           {at("bob"), text("ann"), `name "ann" comes twice`},
		"a name that is no text": {at("ann"), []byte{0xff}, "bytes of UTF-8"},
		"a group of the catalogue": {
			at("message_expiry") + len("message_expiry") + 1 + 1 + 8 + 12,
			body(uint64(0)), "partition 0: group 0",
		},
		"a group twice": {
			at("message_expiry") + len("message_expiry") + 1 + 1 + 8 + 12,
			body(uint64(2)), "partition 1: group 2",
		},
		"an unknown option": {at("message_expiry"), text("n"), "its options are out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Positive(t, tc.at+1)
			changed := slices.Clone(whole)
			copy(changed[tc.at:], tc.to)
			err := metadata.New(smallLimits).Restore(reseal(changed))
			require.ErrorIs(t, err, metadata.ErrDamaged)
			require.ErrorContains(t, err, tc.text)
		})
	}
}

// What Restore may allocate for each byte, and besides. A name of two bytes costs a string, a
// place in a list and one in a map.
const allocatedPerByte, allocatedBesides = 64, 64 << 10

func FuzzRestore(f *testing.F) {
	whole := sample(f).AppendSnapshot(nil)
	f.Add(whole, false)
	f.Add(metadata.New(metadata.DefaultLimits()).AppendSnapshot(nil), false)
	f.Add([]byte{}, true)
	for _, cut := range []int{headerBytes, headerBytes + 40, len(whole) - checksumBytes - 1} {
		f.Add(append(whole[:cut:cut], make([]byte, checksumBytes)...), true)
	}
	f.Fuzz(func(t *testing.T, snapshot []byte, sealed bool) {
		if sealed { // Noise alone never passes the checksum.
			reseal(snapshot)
		}
		m := metadata.New(smallLimits)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := m.Restore(snapshot)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc,
			uint64(allocatedPerByte*len(snapshot)+allocatedBesides))
		if err == nil {
			require.Equal(t, snapshot, m.AppendSnapshot(nil))
			look(t, m)
		}
	})
}
