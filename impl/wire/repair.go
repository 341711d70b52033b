package wire

import "fmt"

// Frames of repair: RequestPrepares and its answer RepairPrepare (R9).

const (
	requestPreparesFrom  = 144
	requestPreparesTo    = 152
	requestPreparesGroup = 160
)

// The first span is upstream's nonce: an answer is judged by its checksum, not by its question.
var requestPreparesReserved = []span{{128, 144}, {168, 256}}

// maxRange is how many checksums fit into a frame.
const maxRange = (MaxFrameBytes - HeaderBytes) / checksumBytes

// rangeLength returns how many ops from..to are. It reports false for a range that is empty,
// begins at 0 or is longer than maxRange.
func rangeLength(from, to Op) (int, bool) {
	if from == 0 || to < from || to-from >= maxRange {
		return 0, false
	}
	return int(to-from) + 1, true
}

func putRequestPrepares(frame []byte, m *RequestPrepares) {
	putOp(frame, requestPreparesFrom, m.FromOp)
	putOp(frame, requestPreparesTo, m.ToOp)
	putGroup(frame, requestPreparesGroup, m.Group)
	for i, c := range m.Wanted {
		putU128(frame, HeaderBytes+i*checksumBytes, Uint128(c))
	}
}

func getRequestPrepares(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, requestPreparesReserved); refused != nil {
		return nil, refused
	}
	m := &RequestPrepares{
		Cluster: clusterOf(frame),
		Group:   getGroup(frame, requestPreparesGroup),
		View:    viewOf(frame),
		Replica: replicaOf(frame),
		FromOp:  getOp(frame, requestPreparesFrom),
		ToOp:    getOp(frame, requestPreparesTo),
	}
	count, ok := rangeLength(m.FromOp, m.ToOp)
	if !ok {
		return nil, refuse(ReasonRange, "from_op", m.FromOp, fmt.Sprintf(
			"1 to to_op %d, at most %d ops", m.ToOp, maxRange))
	}
	if body := len(frame) - HeaderBytes; body != count*checksumBytes {
		return nil, refuse(ReasonBody, "body", fmt.Sprintf("%d bytes", body),
			fmt.Sprintf("%d for %d ops", count*checksumBytes, count))
	}
	m.Wanted = make([]Checksum, count)
	for i := range m.Wanted {
		m.Wanted[i] = Checksum(getU128(frame, HeaderBytes+i*checksumBytes))
	}
	return m, nil
}

const repairPrepareGroup = 216 // where a prepare has it, as upstream

var repairPrepareReserved = []span{{128, 216}, {224, 256}}

func putRepairPrepare(frame []byte, m *RepairPrepare) {
	putGroup(frame, repairPrepareGroup, m.Group)
	body := frame[HeaderBytes:]
	clear(body[:HeaderBytes])
	putPrepare(body, &m.Prepare)
}

func getRepairPrepare(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, repairPrepareReserved); refused != nil {
		return nil, refused
	}
	m := &RepairPrepare{
		Cluster: clusterOf(frame),
		Group:   getGroup(frame, repairPrepareGroup),
		View:    viewOf(frame),
		Replica: replicaOf(frame),
	}
	inner := bodyOf(frame)
	refused := checkFrame(inner)
	if refused == nil {
		refused = getPrepareHeader(inner[:HeaderBytes], &m.Prepare.Header)
	}
	if refused == nil {
		refused = checkNested(&m.Prepare.Header, m.Cluster, m.Group)
	}
	if refused == nil {
		m.Prepare.Body = bodyOf(inner)
		refused = checkBatch(&m.Prepare)
	}
	if refused != nil {
		refused.Field = "prepare." + refused.Field
		return nil, refused
	}
	return m, nil
}
