package wire

import "fmt"

// Frames of state transfer: RequestCheckpoint and its answer CheckpointChunk (R21).

const (
	checkpointGroup = 128
	checkpointID    = 136 // op, then checksum
	requestOffset   = 160
	chunkSnapshot   = 160
	chunkTotal      = 176
	chunkOffset     = 184
)

var (
	requestCheckpointReserved = []span{{168, 256}}
	checkpointChunkReserved   = []span{{192, 256}}
)

func putRequestCheckpoint(frame []byte, m *RequestCheckpoint) {
	putGroup(frame, checkpointGroup, m.Group)
	putID(frame, checkpointID, m.Checkpoint)
	putU64(frame, requestOffset, m.Offset)
}

func getRequestCheckpoint(frame []byte) (Message, *FrameError) {
	if refused := checkNoBody(frame); refused != nil {
		return nil, refused
	}
	if refused := checkReserved(frame, requestCheckpointReserved); refused != nil {
		return nil, refused
	}
	m := &RequestCheckpoint{
		Cluster:    clusterOf(frame),
		Group:      getGroup(frame, checkpointGroup),
		View:       viewOf(frame),
		Replica:    replicaOf(frame),
		Checkpoint: getID(frame, checkpointID),
		Offset:     getU64(frame, requestOffset),
	}
	if refused := checkOp(m.Checkpoint.Op); refused != nil {
		return nil, refused
	}
	return m, nil
}

func putCheckpointChunk(frame []byte, m *CheckpointChunk) {
	putGroup(frame, checkpointGroup, m.Group)
	putID(frame, checkpointID, m.Checkpoint)
	putU128(frame, chunkSnapshot, Uint128(m.Snapshot))
	putU64(frame, chunkTotal, m.Total)
	putU64(frame, chunkOffset, m.Offset)
	copy(frame[HeaderBytes:], m.Data)
}

func getCheckpointChunk(frame []byte) (Message, *FrameError) {
	if refused := checkReserved(frame, checkpointChunkReserved); refused != nil {
		return nil, refused
	}
	m := &CheckpointChunk{
		Cluster:    clusterOf(frame),
		Group:      getGroup(frame, checkpointGroup),
		View:       viewOf(frame),
		Replica:    replicaOf(frame),
		Checkpoint: getID(frame, checkpointID),
		Snapshot:   Checksum(getU128(frame, chunkSnapshot)),
		Total:      getU64(frame, chunkTotal),
		Offset:     getU64(frame, chunkOffset),
		Data:       bodyOf(frame),
	}
	if refused := checkOp(m.Checkpoint.Op); refused != nil {
		return nil, refused
	}
	n := uint64(len(m.Data))
	switch {
	case m.IsOffer() && (n > 0 || m.Offset > 0 || !m.Snapshot.IsZero()):
		return nil, refuse(ReasonRange, "total", 0, "nothing but the identity in an offer")
	case !m.IsOffer() && (n == 0 || m.Offset > m.Total || n > m.Total-m.Offset):
		return nil, refuse(ReasonRange, "offset", m.Offset,
			fmt.Sprintf("at least 1 byte, %d here, within %d", n, m.Total))
	}
	return m, nil
}
