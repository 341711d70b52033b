package sim

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// disk is one replica's storage: a write-ahead log of prepares and state records, a superblock
// and checkpoints. Records lie in the order in which they were begun; each is durable or not.
type disk struct {
	records    []*walRecord
	superblock vsr.Superblock
	booted     bool // a replica has run on it
	wiped      bool // it replaces one that was lost: a durable mark until a log is adopted (R16)
	torn       bool // the end of its log is lost, and no state record has been stored since (R15)
	// bodies are the durable prepares by identity.
	bodies map[wire.PrepareID]*wire.Prepare
	// settled is what the records say up to the first that is not durable.
	settled placement
	// snapshots are the complete checkpoints in the order of their ops, pairing the one that the
	// superblock names; zero if there is none (R17).
	snapshots []*snapshot
	pairing   wire.PrepareID
}

type walRecord struct {
	prepare *vsr.StorePrepare
	state   *vsr.StateRecord
	durable bool
	rotten  bool // its body cannot be read any more; an index says what it was (R14)
}

// write is a write under way. Which fields count depends on the kind.
type write struct {
	kind       writeKind
	record     *walRecord
	superblock vsr.Superblock
	snapshot   *snapshot
	install    bool // of a checkpoint that was fetched, not of an own one
	chunk      *vsr.StoreChunk
	// done is what the core hears of it; nil if another step follows first.
	done vsr.Input
}

type writeKind uint8

const (
	writeRecord writeKind = iota + 1
	writeSuperblock
	writeSnapshot
	writePairing
	writeChunk
	writeNothing // only the answer takes its time
)

func (d *disk) beginPrepare(p vsr.StorePrepare) write {
	done := vsr.PrepareStored{ID: p.Prepare.Header.ID()}
	return d.begin(&walRecord{prepare: &p}, done)
}

func (d *disk) beginState(s *vsr.StateRecord) write {
	return d.begin(&walRecord{state: s}, vsr.StateStored{LogView: s.LogView})
}

func (d *disk) begin(r *walRecord, done vsr.Input) write {
	d.records = append(d.records, r)
	return write{kind: writeRecord, record: r, done: done}
}

func (d *disk) beginSuperblock(s vsr.Superblock) write {
	return write{
		kind: writeSuperblock, superblock: s, done: vsr.SuperblockStored{Superblock: s},
	}
}

// finish makes a write durable.
func (d *disk) finish(w write) {
	switch w.kind {
	case writeSuperblock:
		d.superblock = w.superblock
	case writeRecord:
		w.record.durable = true
		d.wiped = d.wiped && w.record.state == nil
		d.torn = d.torn && (w.record.state == nil || w.record.state.Untrusted)
		if p := w.record.prepare; p != nil {
			if d.bodies == nil {
				d.bodies = map[wire.PrepareID]*wire.Prepare{}
			}
			d.bodies[p.Prepare.Header.ID()] = p.Prepare
		}
	case writeSnapshot:
		d.addSnapshot(w.snapshot)
	case writePairing:
		d.pair(w.snapshot.id)
	case writeChunk, writeNothing:
	}
}

// lose forgets what is not durable.
func (d *disk) lose() {
	d.records = slices.DeleteFunc(d.records, func(r *walRecord) bool { return !r.durable })
}

// rot makes the body of a durable prepare unreadable. It returns its identity, zero if there is
// no such prepare.
func (d *disk) rot(op wire.Op) wire.PrepareID {
	for _, r := range slices.Backward(d.records) {
		if r.prepare == nil || !r.durable || r.rotten || r.prepare.Prepare.Header.Op != op {
			continue
		}
		r.rotten = true
		id := r.prepare.Prepare.Header.ID()
		delete(d.bodies, id)
		return id
	}
	return wire.PrepareID{}
}

// knows reports whether the log has a record of a prepare: on its way, stored, or rotten.
func (d *disk) knows(id wire.PrepareID) bool {
	return slices.ContainsFunc(d.records, func(r *walRecord) bool {
		return r.prepare != nil && r.prepare.Prepare.Header.ID() == id
	})
}

// read returns a durable prepare by its identity (R3), or nil.
func (d *disk) read(id wire.PrepareID) *wire.Prepare { return d.bodies[id] }

// keepBodies forgets the bodies whose records are gone.
func (d *disk) keepBodies() {
	d.bodies = map[wire.PrepareID]*wire.Prepare{}
	for _, r := range d.records {
		if r.prepare != nil && r.durable && !r.rotten {
			d.bodies[r.prepare.Prepare.Header.ID()] = r.prepare.Prepare
		}
	}
}

// recover replays the log (R2, R14): a state record replaces the log, a prepare extends it
// under the log view in force and an unbroken chain, a fill adds a body. What lies before the
// newest state record places nothing. It returns what a replica boots with and how many records
// it did not adopt; those are gone for good (R14), or a later state record would bring back a body
// that this boot does without. The newest complete checkpoint counts, also where the superblock
// does not name it yet (R17): then it does now.
func (d *disk) recover() (vsr.Recovered, int, error) {
	out := vsr.Recovered{Formatted: !d.booted, Wiped: d.wiped, View: d.superblock.View}
	out.Untrusted = d.torn
	if !d.pairing.IsZero() && d.snapshot(d.pairing) == nil {
		return out, 0, fmt.Errorf("superblock: expected a checkpoint %v, found none", d.pairing)
	}
	if newest := d.newestSnapshot(); newest != nil {
		d.pair(newest.id)
		out.Base, out.Timestamp = newest.id, newest.timestamp
	}
	placing, trusted := 0, -1
	for i, r := range d.records {
		if r.state != nil {
			placing = i
		}
		if r.state != nil && !r.state.Untrusted {
			trusted = i
		}
	}
	adopted := make([]*walRecord, 0, len(d.records))
	for i, r := range d.records {
		switch {
		case r.state != nil:
			out.Place(r.state)
		case r.prepare.Fill || out.Extend(r.prepare.LogView, &r.prepare.Prepare.Header) ||
			i < placing:
			if id := r.prepare.Prepare.Header.ID(); r.rotten {
				out.Faulty = append(out.Faulty, id)
				out.Untrusted = out.Untrusted || i > trusted
			} else {
				out.Stored = append(out.Stored, id)
			}
		default:
			continue
		}
		adopted = append(adopted, r)
	}
	discarded := len(d.records) - len(adopted)
	d.records, d.settled = adopted, placement{}
	d.keepBodies()
	if d.superblock.LogView > out.LogView {
		return out, discarded, fmt.Errorf("superblock log view %d: expected at most %d, the WAL's",
			d.superblock.LogView, out.LogView)
	}
	return out, discarded, nil
}
