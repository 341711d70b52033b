package wire

import (
	"fmt"
	"slices"
)

// Encode returns the message as a frame of its own. See [AppendEncode].
func Encode(m Message) []byte { return AppendEncode(nil, m) }

// AppendEncode appends the message's frame to dst and returns the extended slice, which shares
// no memory with the message. It seals the frame, except for [*Prepare], whose own checksums
// go out as they are: a prepare is sealed once, by [Prepare.Seal].
//
// Encode does not judge: what breaks a rule of [Decode], such as a log view above the view, is
// written as it stands. What has no frame at all is the caller's bug and panics: a body above
// [MaxBodyBytes], a frame above [MaxFrameBytes], a prepare whose Size is not that of its body,
// Present, Nack or Faulty of another length than Headers, Wanted of another length than its
// range.
func AppendEncode(dst []byte, m Message) []byte {
	size := HeaderBytes + bodyBytes(m)
	if size > MaxFrameBytes {
		panic(fmt.Sprintf("encode %s: frame of %d bytes, max %d", m.Command(), size, MaxFrameBytes))
	}
	start := len(dst)
	if dst == nil {
		dst = make([]byte, size)
	} else {
		dst = slices.Grow(dst, size)[:start+size]
		clear(dst[start : start+HeaderBytes])
	}
	putFrame(dst[start:], m)
	return dst
}

func putFrame(frame []byte, m Message) {
	switch m := m.(type) {
	case *Prepare:
		putPrepare(frame, m)
		return // Sealed already; a new seal would hide damage.
	case *Request:
		putRequest(frame, m)
	case *Reply:
		putReply(frame, m)
	case *PrepareOK:
		putPrepareOK(frame, m)
	case *Commit:
		putCommit(frame, m)
	case *StartViewChange:
		putStartViewChange(frame, m)
	case *DoViewChange:
		putDoViewChange(frame, m)
	case *StartView:
		putStartView(frame, m)
	case *RequestStartView:
		putRequestStartView(frame, m)
	case *RequestPrepares:
		putRequestPrepares(frame, m)
	case *RepairPrepare:
		putRepairPrepare(frame, m)
	case *RequestCheckpoint:
		putRequestCheckpoint(frame, m)
	case *CheckpointChunk:
		putCheckpointChunk(frame, m)
	case *ConfirmView:
		putConfirm(frame, m.Group, m.Incarnation, m.Round)
	case *ConfirmViewOK:
		putConfirm(frame, m.Group, m.Incarnation, m.Round)
	}
	putShared(frame, m)
	seal(frame)
}

// putShared writes the fields that all headers share, the checksums excepted.
func putShared(frame []byte, m Message) {
	putU128(frame, offsetCluster, Uint128(m.ClusterID()))
	putU32(frame, offsetSize, uint32(len(frame)))
	putU32(frame, offsetView, uint32(m.InView()))
	frame[offsetCommand] = uint8(m.Command())
	if from := m.From(); from != NoReplica {
		frame[offsetReplica] = uint8(from)
	}
}

// bodyBytes returns the size of the message's body, after checking that it has a frame.
func bodyBytes(m Message) int {
	switch m := m.(type) {
	case *Request:
		checkBody(m, len(m.Body))
		return len(m.Body)
	case *Prepare:
		checkSealed(m)
		return len(m.Body)
	case *Reply:
		return len(m.Body)
	case *DoViewChange:
		n := len(m.Headers)
		if len(m.Present) != n || len(m.Nack) != n || len(m.Faulty) != n {
			panic(fmt.Sprintf("encode %s: %d headers, %d present bits, %d nack bits, "+
				"%d faulty bits", m.Command(), n, len(m.Present), len(m.Nack), len(m.Faulty)))
		}
		return doViewChangeBodyBytes(n)
	case *StartView:
		return len(m.Headers) * HeaderBytes
	case *RequestPrepares:
		want, ok := rangeLength(m.FromOp, m.ToOp)
		if !ok || len(m.Wanted) != want {
			panic(fmt.Sprintf("encode %s: ops %d to %d, %d wanted checksums",
				m.Command(), m.FromOp, m.ToOp, len(m.Wanted)))
		}
		return want * checksumBytes
	case *RepairPrepare:
		checkSealed(&m.Prepare)
		return HeaderBytes + len(m.Prepare.Body)
	case *CheckpointChunk:
		return len(m.Data)
	case *PrepareOK, *Commit, *StartViewChange, *RequestStartView, *ConfirmView,
		*ConfirmViewOK, *RequestCheckpoint:
		return 0
	}
	panic(fmt.Sprintf("encode message: %T is no message", m))
}

func checkBody(m Message, n int) {
	if n > MaxBodyBytes {
		panic(fmt.Sprintf("encode %s: body of %d bytes, max %d", m.Command(), n, MaxBodyBytes))
	}
}

func checkSealed(p *Prepare) {
	checkBody(p, len(p.Body))
	if int(p.Header.Size) != HeaderBytes+len(p.Body) {
		panic(fmt.Sprintf("encode prepare %d: not sealed: size %d, body of %d bytes",
			p.Header.Op, p.Header.Size, len(p.Body)))
	}
}
