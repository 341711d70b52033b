package wire

import "fmt"

// Frames from and to clients. The layouts are upstream's; group is ours.

const (
	requestClient    = 128
	requestChecksum  = 144
	requestTimestamp = 160
	requestNumber    = 168
	requestOperation = 176
	requestSession   = 184
	requestUserID    = 192
	requestCode      = 196
	requestGroup     = 248
)

// View and replica mean nothing in a request, so that they are reserved too.
var requestReserved = []span{
	{offsetView, offsetView + 4},
	{offsetReplica, offsetReplica + 1},
	{177, 184},
	{200, 248},
}

func putRequest(frame []byte, m *Request) {
	putU128(frame, requestClient, Uint128(m.Client))
	putU128(frame, requestChecksum, Uint128(m.RequestChecksum))
	putU64(frame, requestTimestamp, m.Timestamp)
	putU64(frame, requestNumber, uint64(m.Number))
	frame[requestOperation] = uint8(m.Operation)
	putU64(frame, requestSession, uint64(m.Session))
	putU32(frame, requestUserID, m.UserID)
	putU32(frame, requestCode, m.Code)
	putGroup(frame, requestGroup, m.Group)
	copy(frame[HeaderBytes:], m.Body)
}

func getRequest(frame []byte) (Message, *FrameError) {
	if refused := checkBodyLimit(sizeOf(frame)); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, requestReserved); refused != nil {
		return nil, refused
	}
	m := &Request{
		Cluster:         clusterOf(frame),
		Group:           getGroup(frame, requestGroup),
		Client:          ClientID(getU128(frame, requestClient)),
		Session:         SessionNumber(getU64(frame, requestSession)),
		Number:          RequestNumber(getU64(frame, requestNumber)),
		RequestChecksum: Checksum(getU128(frame, requestChecksum)),
		Timestamp:       getU64(frame, requestTimestamp),
		Operation:       Operation(frame[requestOperation]),
		UserID:          getU32(frame, requestUserID),
		Code:            getU32(frame, requestCode),
		Body:            bodyOf(frame),
	}
	if refused := checkRequest(m); refused != nil {
		return nil, refused
	}
	return m, nil
}

// checkRequest holds the rules that upstream puts on each request, client-protocol section 3,
// save that a Register may carry a number (R18).
func checkRequest(m *Request) *FrameError {
	if m.Client.IsZero() {
		return refuse(ReasonRange, "client", 0, "nonzero")
	}
	if m.Operation == OperationNonReplicated {
		return nil
	}
	if m.Code != 0 {
		return refuse(ReasonReserved, "code", m.Code, "0 in operation "+m.Operation.String())
	}
	switch {
	case m.Operation == 0:
		return refuse(ReasonRange, "operation", 0, "nonzero")
	case m.Operation == OperationBatch:
		return refuse(ReasonRange, "operation", m.Operation, "that of one request")
	case m.Operation == OperationRegister:
		if m.Session != 0 {
			return refuse(ReasonRange, "session", m.Session, "0 in a register")
		}
	case m.Session == 0:
		return refuse(ReasonRange, "session", m.Session, "at least 1")
	case m.Number == 0:
		return refuse(ReasonRange, "request", m.Number, "at least 1")
	}
	return nil
}

const (
	replyChecksum  = 128
	replyClient    = 160
	replyOp        = 176
	replyCommit    = 184
	replyTimestamp = 192
	replyNumber    = 200
	replyOperation = 208
	replyStatus    = 216
	replyGroup     = 248
)

// The first span is upstream's context, which is always zero.
var replyReserved = []span{{144, 160}, {209, 216}, {220, 248}}

func putReply(frame []byte, m *Reply) {
	putU128(frame, replyChecksum, Uint128(m.RequestChecksum))
	putU128(frame, replyClient, Uint128(m.Client))
	putOp(frame, replyOp, m.Op)
	putOp(frame, replyCommit, m.Commit)
	putU64(frame, replyTimestamp, m.Timestamp)
	putU64(frame, replyNumber, uint64(m.Number))
	frame[replyOperation] = uint8(m.Operation)
	putU32(frame, replyStatus, m.Status)
	putGroup(frame, replyGroup, m.Group)
	copy(frame[HeaderBytes:], m.Body)
}

func getReply(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, replyReserved); refused != nil {
		return nil, refused
	}
	m := &Reply{
		Cluster:         clusterOf(frame),
		Group:           getGroup(frame, replyGroup),
		View:            viewOf(frame),
		Replica:         replicaOf(frame),
		Client:          ClientID(getU128(frame, replyClient)),
		Op:              getOp(frame, replyOp),
		Commit:          getOp(frame, replyCommit),
		Timestamp:       getU64(frame, replyTimestamp),
		Number:          RequestNumber(getU64(frame, replyNumber)),
		Operation:       Operation(frame[replyOperation]),
		Status:          getU32(frame, replyStatus),
		RequestChecksum: Checksum(getU128(frame, replyChecksum)),
		Body:            bodyOf(frame),
	}
	if m.Status != 0 && (m.Op != 0 || len(m.Body) != 0) {
		return nil, refuse(ReasonRange, "status", m.Status,
			fmt.Sprintf("0 in a reply with op %d and a body of %d bytes", m.Op, len(m.Body)))
	}
	return m, nil
}
