package checkpoint

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Version is the only version of a snapshot that this package writes and reads.
const Version = 1

const (
	magic       = "VSCP"
	headerBytes = 104

	atMagic    = 16
	atVersion  = 20
	atReserved = 22
	atCluster  = 24
	atGroup    = 40
	atOp       = 48
	atPrepare  = 56
	atState    = 72
	atClients  = 80
	atMark     = 88
	atTime     = 96
)

// Snapshot is the state of a group after an op.
type Snapshot struct {
	Cluster wire.ClusterID
	Group   wire.GroupID
	// Prepare is the last op that the state has executed.
	Prepare wire.PrepareID
	// Timestamp is that op's: the log's time goes on from there.
	Timestamp uint64
	// State is the state machine's, Clients the client table's.
	State, Clients []byte
	// Segments is a partition's: how far its segments reach. Nil in other groups.
	Segments *segment.Mark
}

// encode returns the bytes of the file and their checksum, which is the pairing's.
func (s Snapshot) encode() ([]byte, wire.Checksum) {
	p := make([]byte, headerBytes)
	copy(p[atMagic:], magic)
	binary.LittleEndian.PutUint16(p[atVersion:], Version)
	put128(p[atCluster:], wire.Uint128(s.Cluster))
	binary.LittleEndian.PutUint64(p[atGroup:], uint64(s.Group))
	binary.LittleEndian.PutUint64(p[atOp:], uint64(s.Prepare.Op))
	put128(p[atPrepare:], wire.Uint128(s.Prepare.Checksum))
	binary.LittleEndian.PutUint64(p[atState:], uint64(len(s.State)))
	binary.LittleEndian.PutUint64(p[atClients:], uint64(len(s.Clients)))
	binary.LittleEndian.PutUint64(p[atTime:], s.Timestamp)
	p = append(append(p, s.State...), s.Clients...)
	if s.Segments != nil {
		binary.LittleEndian.PutUint64(p[atMark:], segment.MarkBytes)
		p, _ = s.Segments.AppendBinary(p) // Its error is always nil.
	}
	sum := wire.ChecksumOf(p[atMagic:])
	put128(p, wire.Uint128(sum))
	return p, sum
}

// decode reads a snapshot. Nothing is returned unless why is zero.
func decode(p []byte) (Snapshot, wire.Checksum, Why) {
	if len(p) < headerBytes || string(p[atMagic:atVersion]) != magic {
		return Snapshot{}, wire.Checksum{}, Damaged
	}
	sum := wire.Checksum(get128(p))
	if wire.ChecksumOf(p[atMagic:]) != sum {
		return Snapshot{}, wire.Checksum{}, Damaged
	}
	if binary.LittleEndian.Uint16(p[atVersion:]) != Version {
		return Snapshot{}, wire.Checksum{}, OtherVersion
	}
	s := Snapshot{
		Cluster: wire.ClusterID(get128(p[atCluster:])),
		Group:   wire.GroupID(binary.LittleEndian.Uint64(p[atGroup:])),
		Prepare: wire.PrepareID{
			Op:       wire.Op(binary.LittleEndian.Uint64(p[atOp:])),
			Checksum: wire.Checksum(get128(p[atPrepare:])),
		},
		Timestamp: binary.LittleEndian.Uint64(p[atTime:]),
	}
	rest := p[headerBytes:]
	for _, part := range []struct {
		at int
		to *[]byte
	}{{atState, &s.State}, {atClients, &s.Clients}} {
		n := binary.LittleEndian.Uint64(p[part.at:])
		if n > uint64(len(rest)) {
			return Snapshot{}, wire.Checksum{}, Invalid
		}
		*part.to, rest = slices.Clone(rest[:n]), rest[n:]
	}
	if len(rest) > 0 {
		s.Segments = &segment.Mark{}
		if s.Segments.UnmarshalBinary(rest) != nil {
			return Snapshot{}, wire.Checksum{}, Invalid
		}
	}
	if binary.LittleEndian.Uint64(p[atMark:]) != uint64(len(rest)) || s.Prepare.Op == 0 ||
		binary.LittleEndian.Uint16(p[atReserved:]) != 0 {
		return Snapshot{}, wire.Checksum{}, Invalid
	}
	return s, sum, 0
}

func put128(p []byte, u wire.Uint128) {
	binary.LittleEndian.PutUint64(p, u.Lo)
	binary.LittleEndian.PutUint64(p[8:], u.Hi)
}

func get128(p []byte) wire.Uint128 {
	return wire.Uint128{Lo: binary.LittleEndian.Uint64(p), Hi: binary.LittleEndian.Uint64(p[8:])}
}

// Why says what is wrong with a snapshot.
type Why uint8

// The reasons.
const (
	// Missing: the superblock names it, and it is not there.
	Missing Why = iota + 1
	// Damaged: it is torn, or does not verify.
	Damaged
	// Invalid: it verifies, and this package never writes such bytes.
	Invalid
	// OtherVersion: it verifies, in another version of the format.
	OtherVersion
	// Foreign: of another cluster or group, or of another op than its name says.
	Foreign
	// Unpaired: of the op that the superblock names, with another checksum.
	Unpaired
	// Superseded: older than the one that counts.
	Superseded
	// Unfinished: a temporary file that a crash has left.
	Unfinished
)

var whyNames = [...]string{
	Missing: "missing", Damaged: "damaged", Invalid: "invalid", OtherVersion: "other_version",
	Foreign: "foreign", Unpaired: "unpaired", Superseded: "superseded", Unfinished: "unfinished",
}

// String returns the name in snake_case, fit for a metric's label.
func (w Why) String() string {
	if w == 0 || int(w) >= len(whyNames) {
		return fmt.Sprintf("why(%d)", uint8(w))
	}
	return whyNames[w]
}
