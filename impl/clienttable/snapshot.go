package clienttable

import (
	"encoding/binary"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// ChecksumBytes is the size of the checksum at the end of a snapshot, which covers all before it.
const ChecksumBytes = 16

// The format is drawn in the package comment. These numbers belong to it and stay.
const (
	snapshotMagic = "VCT1"

	snapshotHeaderBytes   = 32
	snapshotRowBytes      = 72
	snapshotReplyBytes    = 44
	snapshotChecksumBytes = ChecksumBytes

	// omittedSize in place of a body's size stands for a body that was too large to be kept.
	omittedSize = 1<<32 - 1
)

// AppendSnapshot appends the snapshot of the table at [Table.Op] and returns it: all of the
// table, with slots, replies, order and capacity, but not the request under way. Equal tables
// have equal snapshots, to the byte.
//
// Source: R17, R21; Sessions!CheckpointTable.
func (t *Table) AppendSnapshot(dst []byte) []byte {
	start := len(dst)
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	dst = append(dst, snapshotMagic...)
	dst = append(dst, byte(t.config.Shape), 0, 0, 0)
	dst = u32(dst, uint32(t.capacity))
	dst = u32(dst, uint32(t.config.Ring))
	dst = u32(dst, uint32(t.config.ReplyBytes))
	dst = u32(dst, uint32(len(t.rows)))
	dst = u64(dst, uint64(t.op))
	for slot := range t.capacity {
		used := byte(0)
		if slot < len(t.slots) && t.slots[slot] != nil {
			used = 1
		}
		dst = append(dst, used)
	}
	for _, w := range t.slots {
		if w != nil {
			dst = appendRow(dst, w)
		}
	}
	return appendChecksum(dst, wire.ChecksumOf(dst[start:]))
}

func appendRow(dst []byte, w *row) []byte {
	u16 := binary.LittleEndian.AppendUint16
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	dst = u64(u64(dst, w.Client.Lo), w.Client.Hi)
	dst = u32(dst, uint32(w.Owner))
	dst = u16(u16(dst, uint16(len(w.Replies))), w.Place)
	dst = u64(dst, uint64(w.Registration))
	dst = u64(dst, uint64(w.Session))
	dst = u64(dst, uint64(w.Born))
	dst = u64(dst, uint64(w.Watermark))
	dst = u64(dst, uint64(w.BoundWatermark))
	dst = u64(dst, uint64(w.Newest))
	for i := range w.Replies {
		r := &w.Replies[i]
		dst = u64(dst, uint64(r.Session))
		dst = u64(dst, uint64(r.Number))
		dst = appendChecksum(dst, r.Checksum)
		dst = u64(dst, uint64(r.Op))
		if r.Omitted {
			dst = u32(dst, omittedSize)
			continue
		}
		dst = u32(dst, uint32(len(r.Body)))
		dst = append(dst, r.Body...)
	}
	return dst
}

func appendChecksum(dst []byte, c wire.Checksum) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, c.Lo)
	return binary.LittleEndian.AppendUint64(dst, c.Hi)
}
