package refine

import (
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// disk is what a restart would find, in normal form: two disks that boot the same way now and
// after equal writes are equal. It is immutable.
type disk struct {
	superblock vsr.Superblock
	booted     bool
	logView    wire.View
	base       wire.PrepareID // below headers
	headers    []wire.PrepareHeader
	bodies     []*wire.Prepare // by identity
	// doubtful and untrusted are those of the newest state record (R15), wiped is the mark of a
	// disk that replaces a lost one (R16).
	doubtful         []wire.PrepareID
	untrusted, wiped bool
	// snapshots are the complete ones, oldest first, pairing is the one that the superblock names.
	snapshots []wire.PrepareID
	pairing   wire.PrepareID
}

// write is a write under way. Records of the log land in the order in which they were begun.
type write struct {
	prepare    *vsr.StorePrepare
	state      *vsr.StateRecord
	superblock *vsr.Superblock
	chunk      *vsr.StoreChunk
}

// done is what tells the replica that the write is durable.
func (w write) done() vsr.Input {
	switch {
	case w.prepare != nil:
		return vsr.PrepareStored{ID: w.prepare.Prepare.Header.ID()}
	case w.state != nil:
		return vsr.StateStored{LogView: w.state.LogView}
	case w.chunk != nil:
		return vsr.ChunkStored{
			Checkpoint: w.chunk.Checkpoint, Offset: w.chunk.Offset + uint64(len(w.chunk.Data)),
		}
	}
	return vsr.SuperblockStored{Superblock: *w.superblock}
}

// land returns the disk with a write on it. A state record replaces the log, a prepare extends
// it under the log view in force and an unbroken chain, a fill adds a body (R2, R14).
func (d disk) land(w write) disk {
	switch {
	case w.superblock != nil:
		d.superblock = *w.superblock
	case w.state != nil:
		d.logView, d.base = w.state.LogView, w.state.Base
		d.headers = slices.Clip(slices.Clone(w.state.Headers))
		d.doubtful, d.untrusted, d.wiped = w.state.Doubtful, w.state.Untrusted, false
	case w.prepare != nil:
		p := w.prepare.Prepare
		if !w.prepare.Fill {
			found := d.log()
			if !found.Extend(w.prepare.LogView, &p.Header) {
				return d
			}
			d.headers = found.Headers
		}
		at, found := slices.BinarySearchFunc(d.bodies, p.Header.ID(), compareBody)
		if !found {
			d.bodies = slices.Insert(slices.Clone(d.bodies), at, p)
		}
	}
	return d
}

// log is the log that the records give.
func (d disk) log() vsr.Recovered {
	return vsr.Recovered{LogView: d.logView, LogBase: d.base, Headers: slices.Clip(d.headers)}
}

func compareBody(p *wire.Prepare, id wire.PrepareID) int {
	a, b := appendID(nil, p.Header.ID()), appendID(nil, id)
	return slices.Compare(a, b)
}

// read returns the stored ones of the prepares asked for.
func (d disk) read(ids []wire.PrepareID) []*wire.Prepare {
	var prepares []*wire.Prepare
	for _, id := range ids {
		if at, found := slices.BinarySearchFunc(d.bodies, id, compareBody); found {
			prepares = append(prepares, d.bodies[at])
		}
	}
	return prepares
}

func (d disk) recovered() vsr.Recovered {
	found := d.log()
	found.Formatted, found.View = !d.booted, d.superblock.View
	found.Doubtful, found.Untrusted, found.Wiped = d.doubtful, d.untrusted, d.wiped
	for _, p := range d.bodies {
		found.Stored = append(found.Stored, p.Header.ID())
	}
	return found
}

func (d disk) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(d.superblock.View))
	dst = binary.AppendUvarint(dst, uint64(d.superblock.LogView))
	dst = binary.AppendUvarint(dst, uint64(d.logView))
	dst = appendID(dst, d.base)
	dst = binary.AppendUvarint(dst, uint64(len(d.headers)))
	for i := range d.headers {
		dst = appendID(dst, d.headers[i].ID())
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.bodies)))
	for _, p := range d.bodies {
		dst = appendID(dst, p.Header.ID())
	}
	dst = appendID(append(dst, flag(d.wiped), flag(d.untrusted)), d.pairing)
	return appendIDs(appendIDs(dst, d.doubtful), d.snapshots)
}

func (w write) appendKey(dst []byte) []byte {
	switch {
	case w.prepare != nil:
		dst = append(dst, 1, byte(w.prepare.LogView))
		if w.prepare.Fill {
			dst = append(dst, 1)
		}
		return appendID(dst, w.prepare.Prepare.Header.ID())
	case w.state != nil:
		dst = binary.AppendUvarint(append(dst, 2), uint64(w.state.LogView))
		dst = appendID(dst, w.state.Base)
		dst = binary.AppendUvarint(dst, uint64(len(w.state.Headers)))
		for i := range w.state.Headers {
			dst = appendID(dst, w.state.Headers[i].ID())
		}
		return appendIDs(append(dst, flag(w.state.Untrusted)), w.state.Doubtful)
	case w.chunk != nil:
		dst = appendID(append(dst, 4, byte(w.chunk.Offset)), w.chunk.Checkpoint)
		return append(dst, w.chunk.Data...)
	}
	dst = binary.AppendUvarint(append(dst, 3), uint64(w.superblock.View))
	return binary.AppendUvarint(dst, uint64(w.superblock.LogView))
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func appendIDs(dst []byte, ids []wire.PrepareID) []byte {
	dst = append(dst, byte(len(ids)))
	for _, id := range ids {
		dst = appendID(dst, id)
	}
	return dst
}

func appendID(dst []byte, id wire.PrepareID) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(id.Op))
	dst = binary.BigEndian.AppendUint64(dst, id.Checksum.Hi)
	return binary.BigEndian.AppendUint64(dst, id.Checksum.Lo)
}
