package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusal damages the sealed frame of a sample and says what Decode must answer. Unless raw,
// the frame is sealed anew, so that the rule behind the seal is what refuses it.
type refusal struct {
	command Command
	damage  func(frame []byte) []byte
	raw     bool
	reason  Reason
	field   string
}

// set8 and its like change a field in place.
func set8(offset int, v uint8) func([]byte) []byte {
	return func(f []byte) []byte { f[offset] = v; return f }
}

func set32(offset int, v uint32) func([]byte) []byte {
	return func(f []byte) []byte { putU32(f, offset, v); return f }
}

func set64(offset int, v uint64) func([]byte) []byte {
	return func(f []byte) []byte { putU64(f, offset, v); return f }
}

func wipe(from, to int) func([]byte) []byte {
	return func(f []byte) []byte { clear(f[from:to]); return f }
}

// all applies several changes in order.
func all(changes ...func([]byte) []byte) func([]byte) []byte {
	return func(f []byte) []byte {
		for _, change := range changes {
			f = change(f)
		}
		return f
	}
}

// nested changes the bytes from 256*(i+1) on and seals the 256-byte header there.
func nested(i int, change func([]byte) []byte) func([]byte) []byte {
	return func(f []byte) []byte {
		h := f[HeaderBytes*(i+1):]
		change(h)
		putU128(h, 0, Uint128(ChecksumOf(h[16:HeaderBytes])))
		return f
	}
}

// resize cuts or pads the body and states the new size.
func resize(by int) func([]byte) []byte {
	return func(f []byte) []byte {
		size := len(f) + by
		f = append(f, make([]byte, max(0, by))...)[:size]
		putU32(f, offsetSize, uint32(size))
		return f
	}
}

func checkRefusals(t *testing.T, table map[string]refusal) {
	t.Helper()
	for name, tc := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frame := tc.damage(sampleFrame(tc.command))
			if !tc.raw {
				seal(frame)
			}
			m, err := Decode(frame)
			require.Nil(t, m)
			refused := requireRefused(t, err)
			assert.Equal(t, tc.reason.String(), refused.Reason.String(), err)
			assert.Equal(t, tc.field, refused.Field)
			assert.NotEmpty(t, refused.Got)
			assert.NotEmpty(t, refused.Want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestDecodeRefusesFramesThatAreNotWhole(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]refusal{
		"nothing at all": {5, func([]byte) []byte { return nil }, true, ReasonShort, "frame"},
		"half a header": {
			7, func(f []byte) []byte { return f[:128] }, true, ReasonShort, "frame",
		},
		"a size of nothing":    {7, set32(48, 0), true, ReasonSize, "size"},
		"a size below 256":     {7, set32(48, 255), true, ReasonSize, "size"},
		"a size above 64 MiB":  {7, set32(48, MaxFrameBytes+1), true, ReasonSize, "size"},
		"the largest size":     {7, set32(48, math.MaxUint32), true, ReasonSize, "size"},
		"a size beyond":        {7, set32(48, 257), true, ReasonSize, "size"},
		"all zeros":            {9, wipe(0, 256), true, ReasonSize, "size"},
		"an unsealed prepare":  {6, wipe(0, 32), true, ReasonChecksum, "checksum"},
		"an unsealed reply":    {8, wipe(0, 32), true, ReasonChecksum, "checksum"},
		"a half-sealed header": {5, wipe(0, 16), true, ReasonChecksum, "checksum"},
		"a changed body":       {5, set8(256, 0), true, ReasonChecksumBody, "checksum_body"},
		"command zero":         {7, set8(60, 0), false, ReasonCommand, "command"},
		"upstream's eviction":  {7, set8(60, 13), false, ReasonCommand, "command"},
		"an unknown command":   {7, set8(60, 255), false, ReasonCommand, "command"},
		"a release":            {7, set32(56, 1), false, ReasonReserved, "reserved byte 56"},
	})
}

func TestDecodeRefusesRequestsAndReplies(t *testing.T) {
	t.Parallel()
	replicated := all(set8(176, 160), set32(196, 0))
	checkRefusals(t, map[string]refusal{
		"no client": {
			5, all(set64(128, 0), set64(136, 0)), false, ReasonRange, "client",
		},
		"no operation": {
			5, all(set8(176, 0), set32(196, 0)), false, ReasonRange, "operation",
		},
		"a code in a replicated operation": {5, set8(176, 160), false, ReasonReserved, "code"},
		"a register with a session": {
			5, all(set8(176, 1), set32(196, 0)), false, ReasonRange, "session",
		},
		"no session": {
			5, all(replicated, set64(184, 0)), false, ReasonRange, "session",
		},
		"no request number": {
			5, all(replicated, set64(168, 0)), false, ReasonRange, "request",
		},
		"a batch": {
			5, all(replicated, set8(176, 32)), false, ReasonRange, "operation",
		},
		"a denial with an outcome": {8, set32(216, 58), false, ReasonRange, "status"},
	})
}

func TestDecodeRefusesPrepares(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]refusal{
		"op zero":                        {6, set64(176, 0), false, ReasonRange, "op"},
		"an op committed before it was":  {6, set64(184, 21), false, ReasonRange, "commit"},
		"no operation":                   {6, set8(208, 0), false, ReasonRange, "operation"},
		"prepare_ok of op zero":          {7, set64(160, 0), false, ReasonRange, "op"},
		"prepare_ok with a body":         {7, resize(1), false, ReasonBody, "size"},
		"commit with a body":             {9, resize(256), false, ReasonBody, "size"},
		"repair with no frame in it":     {19, resize(-261), false, ReasonShort, "prepare.frame"},
		"repair with half a frame in it": {19, resize(-1), false, ReasonSize, "prepare.size"},
		"repair with more than a frame":  {19, resize(1), false, ReasonSize, "prepare.size"},
		"repair with a damaged header": {
			19, set8(256+200, 1), false, ReasonChecksum, "prepare.checksum",
		},
		"repair with a damaged body": {
			19, set8(512, 0), false, ReasonChecksumBody, "prepare.checksum_body",
		},
		"repair with another command in it": {
			19, nested(0, set8(60, 7)), false, ReasonCommand, "prepare.command",
		},
		"repair with an unsealed request in it": {
			19, all(wipe(256, 288), set8(256+60, 5)), false,
			ReasonCommand, "prepare.command",
		},
		"repair of another group":   {19, set64(216, 1), false, ReasonNested, "prepare.group"},
		"repair of another cluster": {19, set64(32, 1), false, ReasonNested, "prepare.cluster"},
		"repair of op zero": {
			19, nested(0, set64(176, 0)), false, ReasonRange, "prepare.op",
		},
	})
}

func TestDecodeRefusesVotesAndLogs(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]refusal{
		"start_view_change with a body":  {10, resize(1), false, ReasonBody, "size"},
		"request_start_view with a body": {17, resize(1), false, ReasonBody, "size"},
		"a log view above the view":      {11, set32(152, 7), false, ReasonRange, "log_view"},
		"a commit above the head":        {11, set64(136, 23), false, ReasonRange, "commit"},
		"a head that is not the last":    {11, set64(128, 23), false, ReasonRange, "op"},
		"a header too many announced":    {11, set32(156, 4), false, ReasonBody, "header_count"},
		"four billion headers announced": {
			11, set32(156, math.MaxUint32), false, ReasonBody, "header_count",
		},
		"bits that are missing":     {11, resize(-1), false, ReasonBody, "header_count"},
		"a present bit beyond":      {11, set8(256*4, 0b1001), false, ReasonReserved, "present"},
		"a nack bit beyond":         {11, set8(256*4+1, 0b1010), false, ReasonReserved, "nack"},
		"a faulty bit beyond":       {11, set8(256*4+2, 0b1100), false, ReasonReserved, "faulty"},
		"a nack of what is present": {11, set8(256*4+1, 0b011), false, ReasonRange, "bits[0]"},
		"a trust that is no flag":   {11, set8(160, 2), false, ReasonRange, "untrusted"},
		"a damaged header": {
			11, set8(512+200, 1), false, ReasonChecksum, "headers[1].checksum",
		},
		"a gap": {
			11, nested(1, set64(176, 25)), false, ReasonOrder, "headers[1].op",
		},
		"an op twice": {
			12, nested(1, all(set64(176, 21), set64(184, 20))), false, ReasonOrder, "headers[1].op",
		},
		"a header of another group": {
			12, nested(0, set64(216, 1)), false, ReasonNested, "headers[0].group",
		},
		"a header of a cluster else": {
			12, nested(1, set8(32, 0)), false, ReasonNested, "headers[1].cluster",
		},
		"a header that is no prepare": {
			12, nested(1, set8(60, 7)), false, ReasonCommand, "headers[1].command",
		},
		"a header with a size below 256": {
			12, nested(1, set32(48, 255)), false, ReasonSize, "headers[1].size",
		},
		"a header of a body that no repair could carry": {
			12, nested(1, set32(48, MaxFrameBytes)), false, ReasonSize, "headers[1].size",
		},
		"a header with a reserved byte": {
			12, nested(0, set8(255, 1)), false, ReasonReserved, "headers[0].reserved byte 255",
		},
		"a commit below the base": {11, set64(136, 18), false, ReasonRange, "commit"},
		"a first header that is not above the base": {
			12, set64(152, 19), false, ReasonOrder, "headers[0].op",
		},
		"a base of op 0 with a checksum": {
			12, set64(152, 0), false, ReasonRange, "base_checksum",
		},
		"half a header in start_view": {12, resize(-128), false, ReasonBody, "body"},
		"start_view with a commit above its head": {
			12, set64(136, 23), false, ReasonRange, "commit",
		},
		"start_view without headers and another head": {
			12, resize(-512), false, ReasonRange, "op",
		},
	})
}

func TestDecodeRefusesRepairRanges(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]refusal{
		"from zero":           {18, set64(144, 0), false, ReasonRange, "from_op"},
		"from beyond to":      {18, set64(144, 22), false, ReasonRange, "from_op"},
		"all ops there are":   {18, set64(152, math.MaxUint64), false, ReasonRange, "from_op"},
		"a checksum missing":  {18, resize(-16), false, ReasonBody, "body"},
		"a checksum too many": {18, resize(16), false, ReasonBody, "body"},
		"half a checksum":     {18, resize(-8), false, ReasonBody, "body"},
	})
}

func TestDecodeRefusesConfirmations(t *testing.T) {
	t.Parallel()
	for _, command := range []Command{CommandConfirmView, CommandConfirmViewOK} {
		t.Run(command.String(), func(t *testing.T) {
			t.Parallel()
			checkRefusals(t, map[string]refusal{
				"a body":         {command, resize(1), false, ReasonBody, "size"},
				"round zero":     {command, set64(136, 0), false, ReasonRange, "round"},
				"no incarnation": {command, wipe(240, 256), false, ReasonRange, "incarnation"},
			})
		})
	}
}

// What is refused in a batch, and that a repair of it is refused alike. The second request
// begins at byte 77 of the body.
func TestDecodeRefusesBatches(t *testing.T) {
	t.Parallel()
	const second = HeaderBytes + 77
	for name, tc := range map[string]struct {
		damage func([]byte) []byte
		reason Reason
		field  string
	}{
		"no body":           {resize(-141), ReasonBody, "batch"},
		"half a count":      {resize(-137), ReasonBody, "batch"},
		"no request":        {set32(256, 0), ReasonRange, "batch.count"},
		"a reserved byte":   {set8(256+5, 1), ReasonReserved, "batch.reserved"},
		"a request missing": {set32(256, 3), ReasonBody, "batch.requests[2].size"},
		"four billion requests": {
			set32(256, math.MaxUint32), ReasonBody, "batch.requests[2].size",
		},
		"a request too many": {set32(256, 1), ReasonBody, "batch"},
		"a byte missing":     {resize(-1), ReasonBody, "batch.requests[1].size"},
		"a byte too many":    {resize(1), ReasonBody, "batch"},
		"a body beyond": {
			set32(second+48, 1), ReasonBody, "batch.requests[1].body_size",
		},
		"the largest body": {
			set32(264+48, math.MaxUint32), ReasonBody, "batch.requests[0].body_size",
		},
		"a reserved byte in a request": {
			set8(second+63, 1), ReasonReserved, "batch.requests[1].reserved byte 63",
		},
		"no client": {
			all(set64(second, 0), set64(second+8, 0)), ReasonRange, "batch.requests[1].client",
		},
		"no operation": {set8(second+56, 0), ReasonRange, "batch.requests[1].operation"},
		"a batch in it": {
			set8(second+56, 32), ReasonRange, "batch.requests[1].operation",
		},
		"what is not for the log": {
			set8(second+56, 2), ReasonRange, "batch.requests[1].operation",
		},
		"no session":             {set64(second+40, 0), ReasonRange, "batch.requests[1].session"},
		"no number":              {set64(second+32, 0), ReasonRange, "batch.requests[1].request"},
		"a client of the whole":  {set64(128, 1), ReasonReserved, "client"},
		"a session of the whole": {set64(232, 1), ReasonReserved, "client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sampleBatchPrepare()
			frame := tc.damage(Encode(&p))
			seal(frame)
			_, err := Decode(frame)
			refused := requireRefused(t, err)
			assert.Equal(t, tc.reason.String(), refused.Reason.String(), err)
			assert.Equal(t, tc.field, refused.Field)

			repair := make([]byte, HeaderBytes, HeaderBytes+len(frame))
			copy(repair, sampleFrame(CommandRepairPrepare)[:HeaderBytes])
			repair = append(repair, frame...)
			putU32(repair, offsetSize, uint32(len(repair)))
			seal(repair)
			_, err = Decode(repair)
			assert.Equal(t, "prepare."+tc.field, requireRefused(t, err).Field)
		})
	}
}

// Negative control of the tables above: undamaged and sealed anew, each frame is accepted.
func TestSamplesAreAcceptedWhenSealedAnew(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		frame := resize(0)(Encode(s.message))
		seal(frame)
		m, err := Decode(frame)
		require.NoError(t, err)
		assert.Equal(t, s.message, m)
	}
}

func TestErrorSaysWhatWhereAndWhatWasExpected(t *testing.T) {
	t.Parallel()
	frame := set32(152, 7)(sampleFrame(CommandDoViewChange))
	seal(frame)
	_, err := Decode(frame)
	require.EqualError(t, err, "decode frame: range: log_view is 7, want at most view 6")
}

func TestDecodePrepareHeader(t *testing.T) {
	t.Parallel()
	p := samplePrepare(21, "hello")
	b := AppendPrepareHeader(nil, &p.Header)
	h, err := DecodePrepareHeader(b)
	require.NoError(t, err)
	assert.Equal(t, p.Header, h)

	for name, tc := range map[string]struct {
		bytes  []byte
		reason Reason
	}{
		"too short":  {b[:255], ReasonShort},
		"too long":   {append(b[:256:256], 0), ReasonShort},
		"a bit lost": {set8(200, 8)(append([]byte(nil), b...)), ReasonChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := DecodePrepareHeader(tc.bytes)
			assert.Equal(t, tc.reason, requireRefused(t, err).Reason)
			assert.Equal(t, PrepareHeader{}, h)
		})
	}
}

// A body that fits a prepare must fit the repair of it, or the op could be lost for good.
func TestLargestPrepareCanBeRepaired(t *testing.T) {
	t.Parallel()
	p := samplePrepare(21, "")
	p.Body = make([]byte, MaxBodyBytes)
	p.Seal()
	frame := Encode(&RepairPrepare{
		Cluster: sampleCluster, Group: sampleGroup, View: 6, Replica: 2, Prepare: p,
	})
	require.Len(t, frame, MaxFrameBytes)
	m, err := Decode(frame)
	require.NoError(t, err)
	assert.Equal(t, p.Header.ID(), m.(*RepairPrepare).Prepare.Header.ID())

	over := append(frame[HeaderBytes:], 0) // the prepare alone, a byte longer
	putU32(over, offsetSize, uint32(len(over)))
	seal(over)
	_, err = Decode(over)
	assert.Equal(t, ReasonSize, requireRefused(t, err).Reason)

	copy(over, sampleFrame(CommandRequest)[:HeaderBytes])
	putU32(over, offsetSize, uint32(len(over)))
	clear(over[:offsetCluster])
	_, err = Decode(over)
	assert.Equal(t, ReasonSize, requireRefused(t, err).Reason)
}

// A stream must know where a frame ends before it can have read it, and must not be talked
// into waiting for 4 GiB.
func TestFrameSizeIsBounded(t *testing.T) {
	t.Parallel()
	header := sampleFrame(CommandCommit)
	for size, want := range map[uint32]Reason{
		255: ReasonSize, MaxFrameBytes + 1: ReasonSize, math.MaxUint32: ReasonSize,
	} {
		putU32(header, offsetSize, size)
		got, err := FrameSize(header)
		assert.Equal(t, want, requireRefused(t, err).Reason, size)
		assert.Zero(t, got)
	}
	for _, size := range []uint32{256, 257, MaxFrameBytes} {
		putU32(header, offsetSize, size)
		got, err := FrameSize(header)
		require.NoError(t, err)
		assert.Equal(t, int(size), got)
	}
	_, err := FrameSize(header[:HeaderBytes-1])
	assert.Equal(t, ReasonShort, requireRefused(t, err).Reason)
}

func TestEncodePanicsOnWhatHasNoFrame(t *testing.T) {
	t.Parallel()
	huge := make([]byte, MaxBodyBytes+1)
	unsealed := samplePrepare(21, "hello")
	unsealed.Body = nil
	headers := sampleHeaders(20, 21)
	for name, tc := range map[string]struct {
		run  func()
		want string
	}{
		"a request beyond the limit": {
			func() { Encode(&Request{Body: huge}) }, "encode request: body of 67108353 bytes",
		},
		"a reply beyond the limit": {
			func() { Encode(&Reply{Body: make([]byte, MaxFrameBytes)}) }, "encode reply: frame of",
		},
		"a prepare beyond the limit": {
			func() { (&Prepare{Body: huge}).Seal() }, "seal prepare 0: body of 67108353 bytes",
		},
		"a prepare that was changed": {
			func() { Encode(&unsealed) }, "prepare 21: not sealed: size 261, body of 0 bytes",
		},
		"a repair of an unsealed prepare": {
			func() { Encode(&RepairPrepare{}) }, "encode prepare 0: not sealed",
		},
		"a vote without bits": {
			func() { Encode(&DoViewChange{Headers: headers}) }, "2 headers, 0 present bits",
		},
		"a vote with bits of another log": {
			func() {
				Encode(&DoViewChange{Headers: headers, Present: NewBits(2), Nack: NewBits(3)})
			}, "2 headers, 2 present bits, 3 nack bits, 0 faulty bits",
		},
		"a question without checksums": {
			func() { Encode(&RequestPrepares{FromOp: 1, ToOp: 2}) }, "ops 1 to 2, 0 wanted",
		},
		"a question about no op": {
			func() { Encode(&RequestPrepares{}) }, "ops 0 to 0, 0 wanted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				text, ok := recover().(string)
				require.True(t, ok, "no panic")
				assert.Contains(t, text, tc.want)
			}()
			tc.run()
		})
	}
}

func TestDecodeRefusesCheckpoints(t *testing.T) {
	t.Parallel()
	checkRefusals(t, map[string]refusal{
		"a question for op 0":        {24, set64(136, 0), false, ReasonRange, "op"},
		"a question with a body":     {24, resize(1), false, ReasonBody, "size"},
		"a chunk of op 0":            {25, set64(136, 0), false, ReasonRange, "op"},
		"a chunk beyond its total":   {25, set64(176, 103), false, ReasonRange, "offset"},
		"a chunk that wraps around":  {25, set64(184, math.MaxUint64), false, ReasonRange, "offset"},
		"an empty chunk":             {25, resize(-5), false, ReasonRange, "offset"},
		"an offer with bytes behind": {25, set64(176, 0), false, ReasonRange, "total"},
	})
}
