package wire

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestUint128Text(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "00000000000000020000000000000001", Uint128{Lo: 1, Hi: 2}.String())
	rapid.Check(t, func(t *rapid.T) {
		u := drawUint128(t, "u")
		got, err := ParseUint128(u.String())
		require.NoError(t, err)
		require.Equal(t, u, got)
		got, err = ParseUint128(strings.ToUpper(u.String()))
		require.NoError(t, err)
		require.Equal(t, u, got)
	})
}

func TestParseUint128(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Uint128{
		"0":                                {},
		"ff":                               {Lo: 255},
		"10000000000000000":                {Hi: 1},
		"ffffffffffffffffffffffffffffffff": {Lo: 1<<64 - 1, Hi: 1<<64 - 1},
	} {
		got, err := ParseUint128(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", " 1", "0x1", "-1", "+1", "g", "1_0", "\n", strings.Repeat("0", 33),
		"+" + strings.Repeat("0", 16), "0000000000000000+000000000000001",
	} {
		got, err := ParseUint128(text)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "\n")
		assert.Zero(t, got, text)
	}
}

func TestCompareIsNumerical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Uint64Range(0, 2)
		u := Uint128{Lo: small.Draw(t, "lo"), Hi: small.Draw(t, "hi")}
		v := Uint128{Lo: small.Draw(t, "lo"), Hi: small.Draw(t, "hi")}
		want := strings.Compare(u.String(), v.String())
		require.Equal(t, want, u.Compare(v))
		require.Equal(t, want, Checksum(u).Compare(Checksum(v)))
		require.Equal(t, want, ClientID(u).Compare(ClientID(v)))
	})
}

func TestZeroValuesAreAbsent(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ zero, other bool }{
		"uint128":     {Uint128{}.IsZero(), Uint128{Hi: 1}.IsZero()},
		"checksum":    {Checksum{}.IsZero(), Checksum{Lo: 1}.IsZero()},
		"cluster":     {ClusterID{}.IsZero(), ClusterID{Hi: 1}.IsZero()},
		"client":      {ClientID{}.IsZero(), ClientID{Lo: 1}.IsZero()},
		"incarnation": {Incarnation{}.IsZero(), Incarnation{Hi: 1}.IsZero()},
		"prepare id":  {PrepareID{}.IsZero(), PrepareID{Op: 1}.IsZero()},
	} {
		assert.True(t, tc.zero, name)
		assert.False(t, tc.other, name)
	}
	const digits = "00000000000000020000000000000001"
	assert.Equal(t, digits, Checksum{1, 2}.String())
	assert.Equal(t, digits, ClusterID{1, 2}.String())
	assert.Equal(t, digits, ClientID{1, 2}.String())
	assert.Equal(t, digits, Incarnation{1, 2}.String())
	assert.Equal(t, "21:"+digits, PrepareID{21, Checksum{1, 2}}.String())
}

// The digests are BLAKE3's published ones.
func TestChecksumIsTheFirstHalfOfBlake3(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":    "af1349b9f5f9a1a6a0404dea36dcc949",
		"abc": "6437b3ac38465133ffb63b75273a8db5",
	} {
		var b [16]byte
		putU128(b[:], 0, Uint128(ChecksumOf([]byte(input))))
		assert.Equal(t, want, hex.EncodeToString(b[:]), "%q", input)
	}
	assert.Equal(t, ClusterID(ChecksumOf([]byte("viewstamp"))), ClusterIDOf("viewstamp"))
}

func TestCommandNumbersAreUpstreams(t *testing.T) {
	t.Parallel()
	want := map[Command]string{
		5: "request", 6: "prepare", 7: "prepare_ok", 8: "reply", 9: "commit",
		10: "start_view_change", 11: "do_view_change", 12: "start_view",
		17: "request_start_view", 18: "request_prepares", 19: "repair_prepare",
		24: "request_checkpoint", 25: "checkpoint_chunk",
		40: "confirm_view", 41: "confirm_view_ok", // ours
	}
	for n := range 256 {
		c := Command(n)
		name, valid := want[c]
		assert.Equal(t, valid, c.Valid(), c)
		if valid {
			assert.Equal(t, name, c.String())
		}
	}
	assert.Len(t, Commands(), len(want))
	assert.Equal(t, "command(13)", Command(13).String())
}

func TestNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "register", OperationRegister.String())
	assert.Equal(t, "non_replicated", OperationNonReplicated.String())
	assert.Equal(t, "logout", OperationLogout.String())
	assert.Equal(t, "operation(160)", Operation(160).String())
	assert.Equal(t, "reason(0)", Reason(0).String())
	assert.Equal(t, "checksum_body", ReasonChecksumBody.String())
	for r := ReasonShort; r <= ReasonNested; r++ {
		assert.NotContains(t, r.String(), "(", "a reason without a name")
	}
}

func TestBits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		b := Bits(rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "bits"))
		packed := make([]byte, bitsBytes(n))
		b.put(packed)
		got, ok := getBits(packed, n)
		require.True(t, ok)
		require.Equal(t, b, got)
		count := 0
		for i := range n {
			require.Equal(t, b[i], got.Get(i))
			if b[i] {
				count++
			}
		}
		require.Equal(t, count, b.Count())
		require.False(t, b.Get(-1))
		require.False(t, b.Get(n))
		if n%8 != 0 {
			packed[n/8] |= 1 << (n % 8)
			_, ok = getBits(packed, n)
			require.False(t, ok, "padding is not checked")
		}
	})
}

func TestSealCoversEveryFieldAndTheBody(t *testing.T) {
	t.Parallel()
	want := samplePrepare(21, "hello")
	assert.Equal(t, PrepareID{21, want.Header.Checksum}, want.Header.ID())
	assert.Equal(t, 5, want.Header.BodyBytes())
	for name, change := range map[string]func(*Prepare){
		"cluster":          func(p *Prepare) { p.Header.Cluster.Lo++ },
		"view":             func(p *Prepare) { p.Header.View++ },
		"replica":          func(p *Prepare) { p.Header.Replica++ },
		"group":            func(p *Prepare) { p.Header.Group++ },
		"client":           func(p *Prepare) { p.Header.Client.Hi++ },
		"parent":           func(p *Prepare) { p.Header.Parent.Lo++ },
		"request_checksum": func(p *Prepare) { p.Header.RequestChecksum.Lo++ },
		"op":               func(p *Prepare) { p.Header.Op++ },
		"commit":           func(p *Prepare) { p.Header.Commit-- },
		"timestamp":        func(p *Prepare) { p.Header.Timestamp++ },
		"request":          func(p *Prepare) { p.Header.Request++ },
		"session":          func(p *Prepare) { p.Header.Session++ },
		"operation":        func(p *Prepare) { p.Header.Operation++ },
		"user_id":          func(p *Prepare) { p.Header.UserID++ },
		"body":             func(p *Prepare) { p.Body[0]++ },
		"body length":      func(p *Prepare) { p.Body = p.Body[:4] },
	} {
		p := want.Clone()
		change(p)
		p.Seal()
		assert.NotEqual(t, want.Header.Checksum, p.Header.Checksum, name)
	}
	again := want.Clone()
	again.Seal()
	assert.Equal(t, want, *again, "sealing twice changes nothing")
}
