package wire

import (
	"fmt"
	"slices"
)

// The body of a prepare that several requests share (operation [OperationBatch]): one op of the
// log, one body to store and to acknowledge. All integers little-endian:
//
//	0  count     4   of requests, at least 1
//	4  reserved  4   zero
//	8  requests, one behind the other, each:
//	     0  client            16
//	    16  request_checksum  16
//	    32  request            8
//	    40  session            8
//	    48  body_size          4
//	    52  user_id            4
//	    56  operation          1   none of which register, logout, the batch's own, non_replicated
//	    57  reserved           7   zero
//	    64  body, body_size bytes
//
// The prepare's own client, session, request, request checksum and user are zero. What a request
// may be is what a frame of one may be. The prepare's checksum covers it all.
const (
	batchHeaderBytes = 8
	// BatchRequestBytes is what a request takes in a batch beside its body.
	BatchRequestBytes = 64

	batchReserved = 4

	batchClient    = 0
	batchChecksum  = 16
	batchNumber    = 32
	batchSession   = 40
	batchBodySize  = 48
	batchUserID    = 52
	batchOperation = 56
	batchBlank     = 57
)

// BatchBytes is the size of a batch of requests whose bodies have this many bytes altogether.
func BatchBytes(requests, bodyBytes int) int {
	return batchHeaderBytes + requests*BatchRequestBytes + bodyBytes
}

// AppendBatch appends the body of a prepare that these requests share, in this order, and
// returns it. It does not judge, as [Encode].
func AppendBatch(dst []byte, requests []*Request) []byte {
	bodies := 0
	for _, m := range requests {
		bodies += len(m.Body)
	}
	dst = slices.Grow(dst, BatchBytes(len(requests), bodies))
	var header [batchHeaderBytes]byte
	putU32(header[:], 0, uint32(len(requests)))
	dst = append(dst, header[:]...)
	for _, m := range requests {
		var b [BatchRequestBytes]byte
		putU128(b[:], batchClient, Uint128(m.Client))
		putU128(b[:], batchChecksum, Uint128(m.RequestChecksum))
		putU64(b[:], batchNumber, uint64(m.Number))
		putU64(b[:], batchSession, uint64(m.Session))
		putU32(b[:], batchBodySize, uint32(len(m.Body)))
		putU32(b[:], batchUserID, m.UserID)
		b[batchOperation] = uint8(m.Operation)
		dst = append(append(dst, b[:]...), m.Body...)
	}
	return dst
}

// Unbatch returns the requests of a prepare, in the order in which they are executed: of a batch
// each as a prepare of its own, of any other the prepare itself. They have the op, the time and
// the identity of p and share its body; they are to be executed, never stored or sent.
//
// Errors: always a [*FrameError], if the body is no batch. [Decode] refuses such a prepare, so
// that none gets into a log.
func Unbatch(p *Prepare) ([]*Prepare, error) {
	if p.Header.Operation != OperationBatch {
		return []*Prepare{p}, nil
	}
	var requests []*Prepare
	err := EachRequest(p, func(q *Prepare) {
		one := *q
		requests = append(requests, &one)
	})
	if err != nil {
		return nil, err
	}
	return requests, nil
}

// EachRequest yields what [Unbatch] returns, one after the other. Each is the callee's for the
// call, its body for as long as p's.
//
// Errors: those of [Unbatch]; the requests before the one that is none have been yielded.
func EachRequest(p *Prepare, yield func(*Prepare)) error {
	if p.Header.Operation != OperationBatch {
		yield(p)
		return nil
	}
	one := Prepare{Header: p.Header}
	refused := eachBatched(p.Body, func(m *Request) {
		h := &one.Header
		h.Client, h.Session, h.Request = m.Client, m.Session, m.Number
		h.RequestChecksum, h.Operation, h.UserID = m.RequestChecksum, m.Operation, m.UserID
		one.Body = m.Body
		yield(&one)
	})
	if refused != nil {
		return refused
	}
	return nil
}

// RequestsOf returns how many requests a prepare says that it has: one, but for a batch. Only
// reading them tells whether it is right, so it is never more than the body has room for.
func RequestsOf(p *Prepare) int {
	if p.Header.Operation != OperationBatch {
		return 1
	}
	if len(p.Body) < batchHeaderBytes {
		return 0
	}
	return int(min(int64(getU32(p.Body, 0)), int64(len(p.Body)/BatchRequestBytes)))
}

// MayShareOp says whether a request of this operation may share a prepare with others: those
// that bind and end sessions have an op of their own, which is the session's name (R18).
func MayShareOp(operation Operation) bool {
	return operation != OperationRegister && operation != OperationLogout
}

// eachBatched reads a batch and yields its requests, which are the callee's for the call.
func eachBatched(b []byte, yield func(*Request)) *FrameError {
	if len(b) < batchHeaderBytes {
		return refuse(ReasonBody, "batch", fmt.Sprintf("%d bytes", len(b)), "a count of requests")
	}
	count := getU32(b, 0)
	if count == 0 {
		return refuse(ReasonRange, "batch.count", 0, "at least 1")
	}
	if reserved := getU32(b, batchReserved); reserved != 0 {
		return refuse(ReasonReserved, "batch.reserved", reserved, "0")
	}
	b = b[batchHeaderBytes:]
	var m Request // One for all: it escapes.
	for i := range count {
		size, refused := batchedSize(b)
		if refused == nil {
			m = getBatched(b[:size:size])
			refused = checkBatched(b, &m)
		}
		if refused != nil {
			refused.Field = fmt.Sprintf("batch.requests[%d].%s", i, refused.Field)
			return refused
		}
		yield(&m)
		b = b[size:]
	}
	if len(b) != 0 {
		return refuse(ReasonBody, "batch", fmt.Sprintf("%d bytes longer", len(b)),
			fmt.Sprintf("%d requests", count))
	}
	return nil
}

// batchedSize is how many of the bytes the first request takes, its body included.
func batchedSize(b []byte) (int, *FrameError) {
	if len(b) < BatchRequestBytes {
		return 0, refuse(ReasonBody, "size", len(b), fmt.Sprintf("at least %d", BatchRequestBytes))
	}
	body, left := getU32(b, batchBodySize), len(b)-BatchRequestBytes
	if int64(body) > int64(left) {
		return 0, refuse(ReasonBody, "body_size", body, fmt.Sprintf("at most %d", left))
	}
	return BatchRequestBytes + int(body), nil
}

func getBatched(b []byte) Request {
	m := Request{
		Client:          ClientID(getU128(b, batchClient)),
		RequestChecksum: Checksum(getU128(b, batchChecksum)),
		Number:          RequestNumber(getU64(b, batchNumber)),
		Session:         SessionNumber(getU64(b, batchSession)),
		UserID:          getU32(b, batchUserID),
		Operation:       Operation(b[batchOperation]),
	}
	if len(b) > BatchRequestBytes {
		m.Body = b[BatchRequestBytes:]
	}
	return m
}

func checkBatched(b []byte, m *Request) *FrameError {
	for i, blank := range b[batchBlank:BatchRequestBytes] {
		if blank != 0 {
			return refuse(ReasonReserved, fmt.Sprintf("reserved byte %d", batchBlank+i), blank, "0")
		}
	}
	if m.Operation == OperationNonReplicated || !MayShareOp(m.Operation) {
		return refuse(ReasonRange, "operation", m.Operation, "one of the log that may share its op")
	}
	return checkRequest(m)
}

// checkBatch refuses a prepare that says it is a batch, and is none.
func checkBatch(p *Prepare) *FrameError {
	if p.Header.Operation != OperationBatch {
		return nil
	}
	h := &p.Header
	if !h.Client.IsZero() || h.Session != 0 || h.Request != 0 || h.UserID != 0 ||
		h.RequestChecksum != (Checksum{}) {
		return refuse(ReasonReserved, "client", h.Client, "none of one request in a batch")
	}
	return eachBatched(p.Body, func(*Request) {})
}
