package wire

import "fmt"

// Frames of the normal case: Prepare, PrepareOK, Commit. VRR 4.1.

const (
	prepareClient          = 128
	prepareParent          = 144
	prepareRequestChecksum = 160
	prepareOp              = 176
	prepareCommit          = 184
	prepareTimestamp       = 192
	prepareRequest         = 200
	prepareOperation       = 208
	prepareGroup           = 216
	prepareUserID          = 224
	prepareSession         = 232 // ours; reserved upstream
)

var prepareReserved = []span{{209, 216}, {228, 232}, {240, 256}}

// AppendPrepareHeader appends the 256 bytes of h, with the checksums that it carries.
func AppendPrepareHeader(dst []byte, h *PrepareHeader) []byte {
	start := len(dst)
	var zero [HeaderBytes]byte
	dst = append(dst, zero[:]...)
	putPrepareHeader(dst[start:], h)
	return dst
}

// putPrepareHeader writes all fields into a zeroed header.
func putPrepareHeader(b []byte, h *PrepareHeader) {
	_ = b[HeaderBytes-1]
	putU128(b, offsetChecksum, Uint128(h.Checksum))
	putU128(b, offsetChecksumBody, Uint128(h.ChecksumBody))
	putU128(b, offsetCluster, Uint128(h.Cluster))
	putU32(b, offsetSize, h.Size)
	putU32(b, offsetView, uint32(h.View))
	b[offsetCommand] = uint8(CommandPrepare)
	b[offsetReplica] = uint8(h.Replica)
	putU128(b, prepareClient, Uint128(h.Client))
	putU128(b, prepareParent, Uint128(h.Parent))
	putU128(b, prepareRequestChecksum, Uint128(h.RequestChecksum))
	putOp(b, prepareOp, h.Op)
	putOp(b, prepareCommit, h.Commit)
	putU64(b, prepareTimestamp, h.Timestamp)
	putU64(b, prepareRequest, uint64(h.Request))
	b[prepareOperation] = uint8(h.Operation)
	putGroup(b, prepareGroup, h.Group)
	putU32(b, prepareUserID, h.UserID)
	putU64(b, prepareSession, uint64(h.Session))
}

// DecodePrepareHeader reads the 256-byte header of a prepare without its body, as state
// records and votes hold it. All is verified as in [Decode], but for the body's checksum.
//
// Errors: always a [*FrameError]; the header is zero then.
func DecodePrepareHeader(b []byte) (PrepareHeader, error) {
	var h PrepareHeader
	if len(b) != HeaderBytes {
		return h, refuse(ReasonShort, "header", fmt.Sprintf("%d bytes", len(b)),
			fmt.Sprint(HeaderBytes))
	}
	if refused := getSealedHeader(b, &h); refused != nil {
		return PrepareHeader{}, refused
	}
	return h, nil
}

func getSealedHeader(b []byte, h *PrepareHeader) *FrameError {
	if refused := checkHeaderChecksum(b); refused != nil {
		return refused
	}
	return getPrepareHeader(b, h)
}

// getPrepareHeader reads and judges a header whose checksum has been verified.
func getPrepareHeader(b []byte, h *PrepareHeader) *FrameError {
	if c := commandOf(b); c != CommandPrepare {
		return refuse(ReasonCommand, "command", c, CommandPrepare.String())
	}
	if refused := checkReserved(b, prepareReserved); refused != nil {
		return refused
	}
	*h = PrepareHeader{
		Checksum:        Checksum(getU128(b, offsetChecksum)),
		ChecksumBody:    Checksum(getU128(b, offsetChecksumBody)),
		Cluster:         clusterOf(b),
		Size:            sizeOf(b),
		View:            viewOf(b),
		Replica:         replicaOf(b),
		Group:           getGroup(b, prepareGroup),
		Client:          ClientID(getU128(b, prepareClient)),
		Parent:          Checksum(getU128(b, prepareParent)),
		RequestChecksum: Checksum(getU128(b, prepareRequestChecksum)),
		Op:              getOp(b, prepareOp),
		Commit:          getOp(b, prepareCommit),
		Timestamp:       getU64(b, prepareTimestamp),
		Request:         RequestNumber(getU64(b, prepareRequest)),
		Session:         SessionNumber(getU64(b, prepareSession)),
		Operation:       Operation(b[prepareOperation]),
		UserID:          getU32(b, prepareUserID),
	}
	return checkPrepareHeader(h)
}

func checkPrepareHeader(h *PrepareHeader) *FrameError {
	if refused := checkBodyLimit(h.Size); refused != nil {
		return refused
	}
	if refused := checkOp(h.Op); refused != nil {
		return refused
	}
	if h.Commit >= h.Op {
		return refuse(ReasonRange, "commit", h.Commit, fmt.Sprintf("below op %d", h.Op))
	}
	if h.Operation == 0 {
		return refuse(ReasonRange, "operation", 0, "nonzero")
	}
	return nil
}

func putPrepare(frame []byte, m *Prepare) {
	putPrepareHeader(frame, &m.Header)
	copy(frame[HeaderBytes:], m.Body)
}

func getPrepare(frame []byte) (Message, *FrameError) {
	m := &Prepare{Body: bodyOf(frame)}
	if refused := getPrepareHeader(frame[:HeaderBytes], &m.Header); refused != nil {
		return nil, refused
	}
	if refused := checkBatch(m); refused != nil {
		return nil, refused
	}
	return m, nil
}

const (
	prepareOKParent   = 128
	prepareOKChecksum = 144
	prepareOKOp       = 160
	prepareOKCommit   = 168
	prepareOKGroup    = 200
)

// The first span is upstream's timestamp, request and operation: the checksum implies them.
var prepareOKReserved = []span{{176, 200}, {208, 256}}

func putPrepareOK(frame []byte, m *PrepareOK) {
	putU128(frame, prepareOKParent, Uint128(m.Parent))
	putU128(frame, prepareOKChecksum, Uint128(m.PrepareChecksum))
	putOp(frame, prepareOKOp, m.Op)
	putOp(frame, prepareOKCommit, m.Commit)
	putGroup(frame, prepareOKGroup, m.Group)
}

func getPrepareOK(frame []byte) (Message, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, prepareOKReserved); refused != nil {
		return nil, refused
	}
	m := &PrepareOK{
		Cluster:         clusterOf(frame),
		Group:           getGroup(frame, prepareOKGroup),
		View:            viewOf(frame),
		Replica:         replicaOf(frame),
		Op:              getOp(frame, prepareOKOp),
		PrepareChecksum: Checksum(getU128(frame, prepareOKChecksum)),
		Parent:          Checksum(getU128(frame, prepareOKParent)),
		Commit:          getOp(frame, prepareOKCommit),
	}
	if refused := checkOp(m.Op); refused != nil {
		return nil, refused
	}
	return m, nil
}

const (
	commitCommit = 152
	commitGroup  = 168
)

// Upstream has a checksum and a timestamp before commit and a checkpoint's op behind it.
var commitReserved = []span{{128, 152}, {160, 168}, {176, 256}}

func putCommit(frame []byte, m *Commit) {
	putOp(frame, commitCommit, m.Commit)
	putGroup(frame, commitGroup, m.Group)
}

func getCommit(frame []byte) (Message, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, commitReserved); refused != nil {
		return nil, refused
	}
	return &Commit{
		Cluster: clusterOf(frame),
		Group:   getGroup(frame, commitGroup),
		View:    viewOf(frame),
		Replica: replicaOf(frame),
		Commit:  getOp(frame, commitCommit),
	}, nil
}
