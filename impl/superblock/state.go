package superblock

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// StateBytes is the encoded size of a [VsrState].
const StateBytes = 58

// Offsets in an encoded VsrState, as drawn in doc.go.
const (
	offsetReplica            = 16
	offsetReplicaCount       = 17
	offsetView               = 18
	offsetLogView            = 22
	offsetCommitMax          = 26
	offsetCheckpointOp       = 34
	offsetCheckpointChecksum = 42
)

// VsrState is what one replica of one group must not forget.
type VsrState struct {
	Cluster      wire.ClusterID
	Replica      wire.ReplicaID
	ReplicaCount uint8
	// View is the highest view that the replica has voted for or worked in, LogView the
	// last view in which its log was decided (R1, R2).
	View, LogView wire.View
	// CommitMax is a lower bound of what is committed.
	CommitMax wire.Op
	// Checkpoint is the op up to which a durable snapshot holds the state, with the
	// snapshot's checksum: the pairing (R17). Zero if there is none.
	Checkpoint wire.PrepareID
}

// check returns what is wrong with the state by itself.
func (s VsrState) check() error {
	switch {
	case s.LogView > s.View:
		return fmt.Errorf("log view %d, expected at most the view %d", s.LogView, s.View)
	case s.ReplicaCount == 0:
		return fmt.Errorf("replica count 0, expected 1 to 255")
	case uint8(s.Replica) >= s.ReplicaCount:
		return fmt.Errorf("replica %d, expected 0 to %d", s.Replica, s.ReplicaCount-1)
	case (s.Checkpoint.Op == 0) != s.Checkpoint.Checksum.IsZero():
		return fmt.Errorf("checkpoint %s, expected op and checksum, or neither", s.Checkpoint)
	}
	return nil
}

// AppendBinary appends the 58 bytes of the state. The error is always nil.
func (s VsrState) AppendBinary(b []byte) ([]byte, error) { return s.append(b), nil }

func (s VsrState) append(b []byte) []byte {
	b = appendUint128(b, wire.Uint128(s.Cluster))
	b = append(b, byte(s.Replica), s.ReplicaCount)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.View))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.LogView))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.CommitMax))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Checkpoint.Op))
	return appendUint128(b, wire.Uint128(s.Checkpoint.Checksum))
}

// UnmarshalBinary reads the state from exactly 58 bytes.
//
// Errors: another length; a state that AppendBinary cannot have been given: a log view
// above the view, a replica beyond its count, half a checkpoint. s is unchanged then.
func (s *VsrState) UnmarshalBinary(b []byte) error {
	if len(b) != StateBytes {
		return fmt.Errorf("decode state: %d bytes, expected %d", len(b), StateBytes)
	}
	read := VsrState{
		Cluster:      wire.ClusterID(getUint128(b)),
		Replica:      wire.ReplicaID(b[offsetReplica]),
		ReplicaCount: b[offsetReplicaCount],
		View:         wire.View(binary.LittleEndian.Uint32(b[offsetView:])),
		LogView:      wire.View(binary.LittleEndian.Uint32(b[offsetLogView:])),
		CommitMax:    wire.Op(binary.LittleEndian.Uint64(b[offsetCommitMax:])),
		Checkpoint: wire.PrepareID{
			Op:       wire.Op(binary.LittleEndian.Uint64(b[offsetCheckpointOp:])),
			Checksum: wire.Checksum(getUint128(b[offsetCheckpointChecksum:])),
		},
	}
	if err := read.check(); err != nil {
		return fmt.Errorf("decode state: %w", err)
	}
	*s = read
	return nil
}

func appendUint128(b []byte, u wire.Uint128) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, u.Lo), u.Hi)
}

func getUint128(b []byte) wire.Uint128 {
	_ = b[15]
	return wire.Uint128{
		Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:]),
	}
}
