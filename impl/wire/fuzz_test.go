package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// How FuzzDecode seals its input: noise alone never passes a checksum, so that the rules
// behind the seal would stay untried.
const (
	sealNothing = iota // as it came
	sealFrame          // size and seal of the frame
	sealNested         // the headers or the prepare in the body as well
	sealModes
)

func FuzzDecode(f *testing.F) {
	for _, s := range samples() {
		for mode := range uint8(sealModes) {
			f.Add(Encode(s.message), mode)
		}
	}
	unsealedRequest := sampleFrame(CommandRequest)
	clear(unsealedRequest[:offsetCluster])
	f.Add(unsealedRequest, uint8(sealNothing))
	f.Add([]byte{}, uint8(sealNothing))
	f.Add(make([]byte, HeaderBytes), uint8(sealFrame))

	f.Fuzz(func(t *testing.T, frame []byte, mode uint8) {
		reseal(frame, mode%sealModes)
		before := bytes.Clone(frame)
		m, err := Decode(frame)
		require.Equal(t, before, frame, "decode wrote to the frame")
		if err != nil {
			require.Nil(t, m)
			require.NotEmpty(t, requireRefused(t, err).Field)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		again := Encode(m)
		if !unsealed(frame) {
			require.Equal(t, frame, again)
			return
		}
		require.Equal(t, CommandRequest, m.Command(), "only a request may be unsealed")
		require.Equal(t, frame[offsetCluster:], again[offsetCluster:])
	})
}

func reseal(frame []byte, mode uint8) {
	if mode == sealNothing || len(frame) < HeaderBytes {
		return
	}
	body := frame[HeaderBytes:]
	putU32(frame, offsetSize, uint32(len(frame)))
	if mode == sealNested {
		switch commandOf(frame) {
		case CommandDoViewChange, CommandStartView:
			for ; len(body) >= HeaderBytes; body = body[HeaderBytes:] {
				putU128(body, 0, Uint128(ChecksumOf(body[offsetChecksumBody:HeaderBytes])))
			}
		case CommandRepairPrepare:
			reseal(body, sealFrame)
		case CommandRequest, CommandPrepare, CommandPrepareOK, CommandReply, CommandCommit,
			CommandStartViewChange, CommandRequestStartView, CommandRequestPrepares,
			CommandConfirmView, CommandConfirmViewOK:
		}
	}
	seal(frame)
}
