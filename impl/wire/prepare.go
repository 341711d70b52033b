package wire

import (
	"fmt"
	"slices"
)

// PrepareHeader is the 256-byte header of a prepare, the unit of the log. It is fixed by the
// primary that prepared the op and never changes afterwards, whoever sends it in whatever
// view: Checksum covers all of it, so (Op, Checksum) is the prepare's identity.
type PrepareHeader struct {
	// Checksum covers header bytes 16 to 255, ChecksumBody the body. [Prepare.Seal] sets both.
	Checksum, ChecksumBody Checksum
	Cluster                ClusterID
	// Size counts header and body, in bytes.
	Size uint32
	// View and Replica are those of the primary that prepared the op, not of the sender.
	View    View
	Replica ReplicaID
	Group   GroupID
	// Client is zero where the cluster itself made the request.
	Client ClientID
	// Parent is the checksum of the prepare before; zero only in op 1.
	Parent          Checksum
	RequestChecksum Checksum
	Op              Op
	// Commit is commit max at the primary when it prepared the op, hence below Op.
	Commit Op
	// Timestamp is the primary's stamp in the unit of its clock, strictly rising along the log.
	Timestamp uint64
	Request   RequestNumber
	// Session is the request's (R18). Upstream's prepares have none and leave the bytes zero.
	Session   SessionNumber
	Operation Operation
	UserID    uint32
}

// ID returns the identity of the prepare.
func (h *PrepareHeader) ID() PrepareID { return PrepareID{Op: h.Op, Checksum: h.Checksum} }

// BodyBytes returns the size of the body, in bytes.
func (h *PrepareHeader) BodyBytes() int { return int(h.Size) - HeaderBytes }

// Prepare is one op of the log: header and body. As a message it travels from the primary to
// the backups, exactly as it is stored.
type Prepare struct {
	Header PrepareHeader
	Body   []byte
}

// Seal fills Size and ChecksumBody from the body and then Checksum over header bytes 16 to
// 255. Call it once, when all other fields are final: a later change breaks the identity.
//
// A body above [MaxBodyBytes] is the caller's bug and panics.
func (p *Prepare) Seal() {
	if len(p.Body) > MaxBodyBytes {
		panic(fmt.Sprintf("seal prepare %d: body of %d bytes, max %d",
			p.Header.Op, len(p.Body), MaxBodyBytes))
	}
	p.Header.Size = uint32(HeaderBytes + len(p.Body))
	p.Header.ChecksumBody = ChecksumOf(p.Body)
	var b [HeaderBytes]byte
	putPrepareHeader(b[:], &p.Header)
	p.Header.Checksum = ChecksumOf(b[offsetChecksumBody:])
}

// Clone returns a copy that shares no memory with p.
func (p *Prepare) Clone() *Prepare {
	return &Prepare{Header: p.Header, Body: slices.Clone(p.Body)}
}
