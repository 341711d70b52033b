package wire

import "fmt"

// Frames of a view change and of joining a view: StartViewChange, DoViewChange, StartView,
// RequestStartView. VRR 4.2.

const startViewChangeGroup = 128

var startViewChangeReserved = []span{{136, 256}}

func putStartViewChange(frame []byte, m *StartViewChange) {
	putGroup(frame, startViewChangeGroup, m.Group)
}

func getStartViewChange(frame []byte) (Message, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, startViewChangeReserved); refused != nil {
		return nil, refused
	}
	return &StartViewChange{
		Cluster: clusterOf(frame),
		Group:   getGroup(frame, startViewChangeGroup),
		View:    viewOf(frame),
		Replica: replicaOf(frame),
	}, nil
}

// DoViewChange and StartView share the first three fields.
const (
	logOp     = 128
	logCommit = 136
	logGroup  = 144
)

const (
	doViewChangeLogView = 152
	doViewChangeCount   = 156 // ours: how many headers the body has
	// ours: 1 if the sender's log is untrusted, else 0
	doViewChangeUntrusted = 160
	doViewChangeBase      = 168 // ours: op, then checksum
)

// The last 32 bytes are upstream's bit sets of 128 bits each; ours stand in the body.
var doViewChangeReserved = []span{{161, 168}, {192, 256}}

// doViewChangeBodyBytes is the size of n headers and three bit sets.
func doViewChangeBodyBytes(n int) int { return n*HeaderBytes + 3*bitsBytes(n) }

func putDoViewChange(frame []byte, m *DoViewChange) {
	n := len(m.Headers)
	putOp(frame, logOp, headOp(m.Headers, m.Base))
	putID(frame, doViewChangeBase, m.Base)
	putOp(frame, logCommit, m.Commit)
	putGroup(frame, logGroup, m.Group)
	putU32(frame, doViewChangeLogView, uint32(m.LogView))
	putU32(frame, doViewChangeCount, uint32(n))
	bits := putHeaders(frame[HeaderBytes:], m.Headers)
	clear(bits)
	m.Present.put(bits[:bitsBytes(n)])
	m.Nack.put(bits[bitsBytes(n) : 2*bitsBytes(n)])
	m.Faulty.put(bits[2*bitsBytes(n):])
	if m.Untrusted {
		frame[doViewChangeUntrusted] = 1
	}
}

func getDoViewChange(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, doViewChangeReserved); refused != nil {
		return nil, refused
	}
	m := &DoViewChange{
		Cluster: clusterOf(frame),
		Group:   getGroup(frame, logGroup),
		View:    viewOf(frame),
		Replica: replicaOf(frame),
		LogView: View(getU32(frame, doViewChangeLogView)),
		Commit:  getOp(frame, logCommit),
		Base:    getID(frame, doViewChangeBase),
	}
	if m.LogView > m.View {
		return nil, refuse(ReasonRange, "log_view", m.LogView,
			fmt.Sprintf("at most view %d", m.View))
	}
	if flag := frame[doViewChangeUntrusted]; flag > 1 {
		return nil, refuse(ReasonRange, "untrusted", flag, "0 or 1")
	}
	m.Untrusted = frame[doViewChangeUntrusted] == 1
	// The count must fit the body before anything of its size is computed or allocated.
	body, n := frame[HeaderBytes:], getU32(frame, doViewChangeCount)
	if n > MaxFrameBytes/HeaderBytes || len(body) != doViewChangeBodyBytes(int(n)) {
		return nil, refuse(ReasonBody, "header_count", n,
			fmt.Sprintf("the number of headers and bits in %d bytes", len(body)))
	}
	count := int(n)
	var refused *FrameError
	l := sentLog{frame, m.Cluster, m.Group, m.Base, m.Commit}
	if m.Headers, refused = l.headers(count); refused != nil {
		return nil, refused
	}
	if refused = getVoteBits(m, body[count*HeaderBytes:], count); refused != nil {
		return nil, refused
	}
	return m, nil
}

// getVoteBits reads the bit sets of a vote of n headers: nothing beyond them, and at most one
// bit an op.
func getVoteBits(m *DoViewChange, b []byte, n int) *FrameError {
	sets := []struct {
		name string
		bits *Bits
	}{{"present", &m.Present}, {"nack", &m.Nack}, {"faulty", &m.Faulty}}
	for i, set := range sets {
		var ok bool
		if *set.bits, ok = getBits(b[i*bitsBytes(n):(i+1)*bitsBytes(n)], n); !ok {
			return refuse(ReasonReserved, set.name, "set beyond the last header", "zero padding")
		}
	}
	for i := range n {
		if m.Present[i] && m.Nack[i] || m.Present[i] && m.Faulty[i] || m.Nack[i] && m.Faulty[i] {
			return refuse(ReasonRange, fmt.Sprintf("bits[%d]", i), "several",
				"at most one of present, nack and faulty")
		}
	}
	return nil
}

const (
	startViewBase        = 152 // ours: op, then checksum
	startViewIncarnation = 240
)

var startViewReserved = []span{{176, 240}}

func putStartView(frame []byte, m *StartView) {
	putOp(frame, logOp, headOp(m.Headers, m.Base))
	putOp(frame, logCommit, m.Commit)
	putGroup(frame, logGroup, m.Group)
	putID(frame, startViewBase, m.Base)
	putU128(frame, startViewIncarnation, Uint128(m.Incarnation))
	putHeaders(frame[HeaderBytes:], m.Headers)
}

func getStartView(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, startViewReserved); refused != nil {
		return nil, refused
	}
	body := len(frame) - HeaderBytes
	if body%HeaderBytes != 0 {
		return nil, refuse(ReasonBody, "body", fmt.Sprintf("%d bytes", body), "whole headers")
	}
	m := &StartView{
		Cluster:     clusterOf(frame),
		Group:       getGroup(frame, logGroup),
		View:        viewOf(frame),
		Replica:     replicaOf(frame),
		Commit:      getOp(frame, logCommit),
		Incarnation: Incarnation(getU128(frame, startViewIncarnation)),
		Base:        getID(frame, startViewBase),
	}
	var refused *FrameError
	l := sentLog{frame, m.Cluster, m.Group, m.Base, m.Commit}
	if m.Headers, refused = l.headers(body / HeaderBytes); refused != nil {
		return nil, refused
	}
	return m, nil
}

const (
	requestStartViewGroup       = 128
	requestStartViewHead        = 136 // ours
	requestStartViewIncarnation = 240
)

var requestStartViewReserved = []span{{144, 240}}

func putRequestStartView(frame []byte, m *RequestStartView) {
	putGroup(frame, requestStartViewGroup, m.Group)
	putOp(frame, requestStartViewHead, m.Head)
	putU128(frame, requestStartViewIncarnation, Uint128(m.Incarnation))
}

func getRequestStartView(frame []byte) (Message, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, requestStartViewReserved); refused != nil {
		return nil, refused
	}
	return &RequestStartView{
		Cluster:     clusterOf(frame),
		Group:       getGroup(frame, requestStartViewGroup),
		View:        viewOf(frame),
		Replica:     replicaOf(frame),
		Incarnation: Incarnation(getU128(frame, requestStartViewIncarnation)),
		Head:        getOp(frame, requestStartViewHead),
	}, nil
}

// headOp is the head of a log that is sent as a suffix: the last header's op, or the base if
// nothing is above it.
func headOp(headers []PrepareHeader, base PrepareID) Op {
	if len(headers) == 0 {
		return base.Op
	}
	return headers[len(headers)-1].Op
}

// putHeaders writes the headers, seals untouched, and returns what is left of dst.
func putHeaders(dst []byte, headers []PrepareHeader) []byte {
	clear(dst[:len(headers)*HeaderBytes])
	for i := range headers {
		putPrepareHeader(dst[:HeaderBytes], &headers[i])
		dst = dst[HeaderBytes:]
	}
	return dst
}

// sentLog is the log in a DoViewChange or a StartView.
type sentLog struct {
	frame   []byte
	cluster ClusterID
	group   GroupID
	base    PrepareID
	commit  Op
}

// headers reads the first count headers of the frame's body: each sealed, of the frame's own
// cluster and group, ops consecutive from the base up to the head that the frame names. The
// commit point is neither below the base nor above the head.
func (l sentLog) headers(count int) ([]PrepareHeader, *FrameError) {
	op := getOp(l.frame, logOp)
	switch {
	case l.base.Op == 0 && !l.base.Checksum.IsZero():
		return nil, refuse(ReasonRange, "base_checksum", l.base.Checksum, "zero at op 0")
	case l.commit < l.base.Op:
		return nil, refuse(ReasonRange, "commit", l.commit,
			fmt.Sprintf("at least the base %d", l.base.Op))
	case l.commit > op:
		return nil, refuse(ReasonRange, "commit", l.commit, fmt.Sprintf("at most op %d", op))
	}
	var headers []PrepareHeader
	if count > 0 {
		headers = make([]PrepareHeader, count)
	}
	below := l.base.Op
	for i := range headers {
		h, b := &headers[i], l.frame[HeaderBytes*(i+1):HeaderBytes*(i+2)]
		refused := getSealedHeader(b, h)
		if refused == nil {
			refused = checkNested(h, l.cluster, l.group)
		}
		if refused == nil && h.Op-1 != below {
			refused = refuse(ReasonOrder, "op", h.Op, fmt.Sprint(below+1))
		}
		if refused != nil {
			refused.Field = fmt.Sprintf("headers[%d].%s", i, refused.Field)
			return nil, refused
		}
		below = h.Op
	}
	if head := headOp(headers, l.base); head != op {
		return nil, refuse(ReasonRange, "op", op,
			fmt.Sprintf("the head %d of %d headers", head, count))
	}
	return headers, nil
}

// checkNested refuses a prepare of another cluster or group than the frame around it.
func checkNested(h *PrepareHeader, cluster ClusterID, group GroupID) *FrameError {
	if h.Cluster != cluster {
		return refuse(ReasonNested, "cluster", h.Cluster, cluster.String())
	}
	if h.Group != group {
		return refuse(ReasonNested, "group", uint64(h.Group), fmt.Sprint(uint64(group)))
	}
	return nil
}
