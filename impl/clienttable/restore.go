package clienttable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

var (
	// ErrDamaged means that the bytes are not a snapshot that a table wrote.
	ErrDamaged = errors.New("not a snapshot of a client table")
	// ErrOtherConfig means that the snapshot is whole, and of a group with another configuration.
	ErrOtherConfig = errors.New("a snapshot of another configuration")
)

// Restore returns the table that a snapshot is of. Its capacity is the snapshot's, since the
// log agreed on it; Config.Capacity does not count. The table keeps nothing of the bytes.
//
// The bytes may come from anywhere: whatever they are, Restore does not panic, and takes memory
// in proportion to their number. What it accepts, AppendSnapshot gives back to the byte.
//
// Errors: [ErrDamaged] with what is wrong and where; [ErrOtherConfig] if shape, ring or reply
// bytes are not those of c. There is no table then.
//
// A configuration that Validate refuses is the caller's bug and panics.
//
// Source: R17, R21; Sessions!RestartReplica, Sessions!InstallTable.
func Restore(c Config, snapshot []byte) (*Table, error) {
	t := New(c)
	r := reader{left: snapshot}
	if err := t.restore(&r); err != nil {
		return nil, fmt.Errorf("restore client table at byte %d of %d: %w",
			len(snapshot)-len(r.left), len(snapshot), err)
	}
	return t, nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func (t *Table) restore(r *reader) error {
	if len(r.left) < snapshotHeaderBytes+snapshotChecksumBytes {
		return damaged("%d bytes, expected at least %d",
			len(r.left), snapshotHeaderBytes+snapshotChecksumBytes)
	}
	if magic := r.left[:len(snapshotMagic)]; string(magic) != snapshotMagic {
		return damaged("it begins with %q, expected %q", magic, snapshotMagic)
	}
	end := len(r.left) - snapshotChecksumBytes
	tail := reader{left: r.left[end:]}
	want, got := wire.ChecksumOf(r.left[:end]), tail.checksum()
	if got != want {
		return damaged("checksum %v, expected %v", got, want)
	}
	r.left = r.left[len(snapshotMagic):end]
	rows, err := t.restoreHeader(r)
	if err != nil {
		return err
	}
	return t.restoreRows(r, rows)
}

// restoreHeader reads what is before the map of slots, and returns the number of rows.
func (t *Table) restoreHeader(r *reader) (int, error) {
	shape := Shape(r.bytes(1)[0])
	if reserved := r.bytes(3); !bytes.Equal(reserved, make([]byte, 3)) {
		return 0, damaged("reserved bytes are %x, expected zeros", reserved)
	}
	capacity, ring, replyBytes, rows := r.u32(), r.u32(), r.u32(), r.u32()
	t.op, t.inOp = wire.Op(r.u64()), BatchMax-1 // the next request has an op of its own
	c := t.config
	switch {
	case shape != c.Shape:
		return 0, fmt.Errorf("%w: shape %v, expected %v", ErrOtherConfig, shape, c.Shape)
	case int64(ring) != int64(c.Ring):
		return 0, fmt.Errorf("%w: ring %d, expected %d", ErrOtherConfig, ring, c.Ring)
	case int64(replyBytes) != int64(c.ReplyBytes):
		return 0, fmt.Errorf("%w: reply bytes %d, expected %d",
			ErrOtherConfig, replyBytes, c.ReplyBytes)
	case capacity < 1 || capacity > SlotsMax:
		return 0, damaged("capacity is %d, expected 1 to %d", capacity, SlotsMax)
	case int64(len(r.left)) < int64(capacity)+int64(rows)*snapshotRowBytes:
		return 0, damaged("%d bytes left, expected at least %d for %d slots and %d rows",
			len(r.left), int64(capacity)+int64(rows)*snapshotRowBytes, capacity, rows)
	}
	t.capacity = int(capacity)
	return int(rows), nil
}

// restoreRows reads the map of slots and the rows, which come in the order of slots.
func (t *Table) restoreRows(r *reader, count int) error {
	var found []*row
	for slot, used := range r.bytes(t.capacity) {
		switch {
		case used > 1:
			return damaged("slot %d is marked %d, expected 0 or 1", slot, used)
		case used == 0:
		case len(found) == count:
			return damaged("slot %d is used, expected %d used ones", slot, count)
		default:
			found = append(found, &row{slot: slot})
		}
	}
	if len(found) != count {
		return damaged("%d slots are used, expected %d", len(found), count)
	}
	for _, w := range found {
		if err := t.restoreRow(r, w); err != nil {
			return err
		}
	}
	if len(r.left) > 0 {
		return damaged("%d bytes follow the last row", len(r.left))
	}
	slices.SortFunc(found, func(a, b *row) int { return a.compareAge(&b.Row) })
	for i, w := range found {
		if i > 0 && found[i-1].compareAge(&w.Row) == 0 {
			return damaged("slots %d and %d: both have newest %d at place %d, expected different ones",
				found[i-1].slot, w.slot, w.Newest, w.Place)
		}
		if other := t.rows[w.Client]; other != nil {
			return damaged("slots %d and %d: both are of client %v", other.slot, w.slot, w.Client)
		}
		t.place(w, w.slot)
	}
	return nil
}

func (t *Table) restoreRow(r *reader, w *row) error {
	if len(r.left) < snapshotRowBytes {
		return damaged("slot %d: %d bytes left, expected a row of %d",
			w.slot, len(r.left), snapshotRowBytes)
	}
	w.Client = wire.ClientID{Lo: r.u64(), Hi: r.u64()}
	w.Owner = UserID(r.u32())
	replies := int64(r.u16())
	w.Place = r.u16()
	w.Registration = wire.RequestNumber(r.u64())
	w.Session = wire.SessionNumber(r.u64())
	w.Born = wire.SessionNumber(r.u64())
	w.Watermark = wire.RequestNumber(r.u64())
	w.BoundWatermark = wire.RequestNumber(r.u64())
	w.Newest = wire.Op(r.u64())
	if ring := int64(t.config.Ring); replies > ring ||
		int64(len(r.left)) < replies*snapshotReplyBytes {
		return damaged("slot %d: %d replies in %d bytes, expected at most %d of %d bytes or more",
			w.slot, replies, len(r.left), ring, snapshotReplyBytes)
	}
	if replies > 0 {
		w.Replies = make([]Reply, replies)
	}
	for i := range w.Replies {
		if err := t.restoreReply(r, &w.Replies[i]); err != nil {
			return fmt.Errorf("slot %d, reply %d: %w", w.slot, i, err)
		}
	}
	if err := t.checkRow(&w.Row); err != nil {
		return damaged("slot %d: %v", w.slot, err)
	}
	return nil
}

func (t *Table) restoreReply(r *reader, reply *Reply) error {
	if len(r.left) < snapshotReplyBytes {
		return damaged("%d bytes left, expected a reply of %d", len(r.left), snapshotReplyBytes)
	}
	reply.Session = wire.SessionNumber(r.u64())
	reply.Number = wire.RequestNumber(r.u64())
	reply.Checksum = r.checksum()
	reply.Op = wire.Op(r.u64())
	size := r.u32()
	switch {
	case size == omittedSize:
		reply.Omitted = true
	case int64(size) > int64(t.config.ReplyBytes) || int64(size) > int64(len(r.left)):
		return damaged("body of %d bytes, expected at most %d and no more than the %d left",
			size, t.config.ReplyBytes, len(r.left))
	case size > 0:
		reply.Body = bytes.Clone(r.bytes(int(size)))
	}
	return nil
}

// reader takes numbers off the front of bytes. The caller knows that they are there.
type reader struct{ left []byte }

func (r *reader) bytes(n int) []byte {
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) u16() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }
func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

func (r *reader) checksum() wire.Checksum { return wire.Checksum{Lo: r.u64(), Hi: r.u64()} }
