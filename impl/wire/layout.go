package wire

import (
	"encoding/binary"
	"fmt"
)

// HeaderBytes is the size of every header.
const HeaderBytes = 256

// MaxFrameBytes is the largest frame, header included: 64 MiB, upstream's limit.
const MaxFrameBytes = 64 << 20

// MaxBodyBytes is the largest body of a request or a prepare. It leaves room for the second
// header that [RepairPrepare] puts around a prepare, so that each op can be repaired.
const MaxBodyBytes = MaxFrameBytes - 2*HeaderBytes

// checksumBytes is the size of a [Checksum] on the wire.
const checksumBytes = 16

// Offsets of the fields that all headers share, in bytes. They belong to the format: upstream
// reads the size at 48 and the command at 60. Those of the areas from 128 on stand with the
// code that reads and writes them.
const (
	offsetChecksum     = 0
	offsetChecksumBody = 16
	offsetCluster      = 32
	offsetSize         = 48
	offsetView         = 52
	offsetCommand      = 60
	offsetReplica      = 61
)

// span is a range of header bytes, the end excluded.
type span struct{ from, to int }

// reservedShared are the bytes that are zero in each frame: release, and all that stands
// between the shared fields and the area of the command.
var reservedShared = []span{{56, 60}, {62, 128}}

// checkReserved refuses a header that has a byte set in one of the spans, or in the shared
// ones.
func checkReserved(header []byte, spans []span) *FrameError {
	for _, list := range [...][]span{reservedShared, spans} {
		for _, s := range list {
			for i, b := range header[s.from:s.to] {
				if b != 0 {
					field := fmt.Sprintf("reserved byte %d", s.from+i)
					return refuse(ReasonReserved, field, b, "0")
				}
			}
		}
	}
	return nil
}

func getU32(b []byte, offset int) uint32    { return binary.LittleEndian.Uint32(b[offset:]) }
func getU64(b []byte, offset int) uint64    { return binary.LittleEndian.Uint64(b[offset:]) }
func putU32(b []byte, offset int, v uint32) { binary.LittleEndian.PutUint32(b[offset:], v) }
func putU64(b []byte, offset int, v uint64) { binary.LittleEndian.PutUint64(b[offset:], v) }

func getU128(b []byte, offset int) Uint128 {
	return Uint128{Lo: getU64(b, offset), Hi: getU64(b, offset+8)}
}

func putU128(b []byte, offset int, v Uint128) {
	putU64(b, offset, v.Lo)
	putU64(b, offset+8, v.Hi)
}

func getOp(b []byte, offset int) Op     { return Op(getU64(b, offset)) }
func putOp(b []byte, offset int, op Op) { putU64(b, offset, uint64(op)) }

// An identity is an op and, behind it, a checksum.
func getID(b []byte, offset int) PrepareID {
	return PrepareID{Op: getOp(b, offset), Checksum: Checksum(getU128(b, offset+8))}
}

func putID(b []byte, offset int, id PrepareID) {
	putOp(b, offset, id.Op)
	putU128(b, offset+8, Uint128(id.Checksum))
}

func getGroup(b []byte, offset int) GroupID    { return GroupID(getU64(b, offset)) }
func putGroup(b []byte, offset int, g GroupID) { putU64(b, offset, uint64(g)) }

// The shared fields of a frame whose header is complete.

func clusterOf(frame []byte) ClusterID { return ClusterID(getU128(frame, offsetCluster)) }
func sizeOf(frame []byte) uint32       { return getU32(frame, offsetSize) }
func viewOf(frame []byte) View         { return View(getU32(frame, offsetView)) }
func commandOf(frame []byte) Command   { return Command(frame[offsetCommand]) }
func replicaOf(frame []byte) ReplicaID { return ReplicaID(frame[offsetReplica]) }

// bodyOf returns what follows the header, nil if nothing does. It aliases the frame, with its
// capacity clipped, so that an append cannot write into the frame's surroundings.
func bodyOf(frame []byte) []byte {
	if len(frame) == HeaderBytes {
		return nil
	}
	return frame[HeaderBytes:len(frame):len(frame)]
}
