package wire

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range Commands() {
		t.Run(c.String()+" comes back as it went", func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				m := drawMessage(t, c)
				require.Equal(t, c, m.Command())
				frame := Encode(m)
				size, err := FrameSize(frame[:HeaderBytes])
				require.NoError(t, err)
				require.Equal(t, len(frame), size)
				got, err := Decode(frame)
				require.NoError(t, err)
				require.Equal(t, m, got)
				require.Equal(t, m.From(), got.From())
				require.Equal(t, frame, Encode(got))
			})
		})
	}
}

func TestAccessorsNameTheSenderAndTheTarget(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		m := s.message
		assert.Equal(t, sampleCluster, m.ClusterID(), m.Command())
		assert.Equal(t, sampleGroup, m.GroupID(), m.Command())
		switch m := m.(type) {
		case *Request:
			assert.Equal(t, NoReplica, m.From())
			assert.Equal(t, View(0), m.InView())
		case *Prepare, *Reply:
			assert.Equal(t, ReplicaID(1), m.From())
			assert.Equal(t, View(3), m.InView())
		case *PrepareOK, *Commit, *StartViewChange, *DoViewChange, *StartView,
			*RequestStartView, *RequestPrepares, *RepairPrepare, *ConfirmView, *ConfirmViewOK,
			*RequestCheckpoint, *CheckpointChunk:
			assert.Equal(t, ReplicaID(2), m.From(), m.Command())
			assert.Equal(t, View(6), m.InView(), m.Command())
		}
	}
}

// The link is only as good as this: what one bit of noise touches is never believed.
func TestEverySingleBitFlipIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		frame := Encode(drawAny(t))
		for bit := range len(frame) * 8 {
			frame[bit/8] ^= 1 << (bit % 8)
			m, err := Decode(frame)
			frame[bit/8] ^= 1 << (bit % 8)
			require.Error(t, err, "bit %d of byte %d", bit%8, bit/8)
			require.Nil(t, m)
			refused := requireRefused(t, err)
			switch at := bit / 8; {
			case at >= offsetSize && at < offsetSize+4:
				require.Equal(t, ReasonSize, refused.Reason)
			case at < HeaderBytes:
				require.Equal(t, ReasonChecksum, refused.Reason)
			default:
				require.Equal(t, ReasonChecksumBody, refused.Reason)
			}
		}
	})
}

func TestEveryTruncationIsRefused(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		frame := Encode(s.message)
		for n := range frame {
			_, err := Decode(frame[:n])
			want := ReasonSize
			if n < HeaderBytes {
				want = ReasonShort
			}
			require.Equal(t, want, requireRefused(t, err).Reason, "%d bytes", n)
		}
		_, err := Decode(append(frame, 0))
		require.Equal(t, ReasonSize, requireRefused(t, err).Reason)
	}
}

func TestAppendEncodeLeavesWhatWasThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawAny(t)
		// Dirt beyond the length must not shine through.
		dst := append(make([]byte, 0, 8192), "before"...)
		dirt := dst[len(dst):cap(dst)]
		for i := range dirt {
			dirt[i] = 0xff
		}
		got := AppendEncode(dst, m)
		require.Equal(t, "before", string(got[:6]))
		require.Equal(t, Encode(m), got[6:])
	})
}

func TestBodyIsThePartOfTheFrameThatDecodeSharesAndNoMore(t *testing.T) {
	t.Parallel()
	body := func(m Message) []byte {
		switch m := m.(type) {
		case *Request:
			return m.Body
		case *Reply:
			return m.Body
		case *Prepare:
			return m.Body
		case *RepairPrepare:
			return m.Prepare.Body
		case *CheckpointChunk:
			return m.Data
		case *PrepareOK, *Commit, *StartViewChange, *DoViewChange, *StartView,
			*RequestStartView, *RequestPrepares, *ConfirmView, *ConfirmViewOK,
			*RequestCheckpoint:
		}
		return nil
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := append(Encode(drawAny(t)), "next frame"...)
		frame := stream[:len(stream)-len("next frame")]
		before := bytes.Clone(frame)
		m, err := Decode(frame)
		require.NoError(t, err)
		require.Equal(t, before, frame, "decode wrote to the frame")
		if b := body(m); b != nil {
			_ = append(b, "overwrite"...)
			require.Equal(t, "next frame", string(stream[len(frame):]))
			clone := bytes.Clone(b)
			frame[len(frame)-1] ^= 0xff
			require.NotEqual(t, clone, b, "the body is a copy")
			frame[len(frame)-1] ^= 0xff
		}
		again := Encode(m)
		clear(frame)
		if body(m) == nil {
			require.Equal(t, again, Encode(m), "something else shares the frame")
		}
	})
}

func TestUnsealedRequestIsTakenAndComesBackSealed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawRequest(t)
		sealed := Encode(m)
		frame := bytes.Clone(sealed)
		clear(frame[:offsetCluster])
		got, err := Decode(frame)
		require.NoError(t, err)
		require.Equal(t, m, got)
		require.Equal(t, sealed, Encode(got))
	})
}
