package sim

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// disk is one replica's storage: a write-ahead log of prepares and state records, and a
// superblock. Records lie in the order in which they were begun; each is durable or not.
type disk struct {
	records    []walRecord
	superblock vsr.Superblock
	booted     bool // a replica has run on it
	wiped      bool // it replaces one that was lost: a durable mark until a log is adopted (R16)
	// bodies are the durable prepares by identity.
	bodies map[wire.PrepareID]*wire.Prepare
	// settled is what the records say up to the first that is not durable.
	settled placement
}

type walRecord struct {
	prepare *vsr.StorePrepare
	state   *vsr.StateRecord
	durable bool
}

// write is a write under way.
type write struct {
	record     int // position in the disk's records, or -1 for the superblock
	superblock vsr.Superblock
	done       vsr.Input
}

func (d *disk) beginPrepare(p vsr.StorePrepare) write {
	d.records = append(d.records, walRecord{prepare: &p})
	return write{
		record: len(d.records) - 1, done: vsr.PrepareStored{ID: p.Prepare.Header.ID()},
	}
}

func (d *disk) beginState(s *vsr.StateRecord) write {
	d.records = append(d.records, walRecord{state: s})
	return write{record: len(d.records) - 1, done: vsr.StateStored{LogView: s.LogView}}
}

func (d *disk) beginSuperblock(s vsr.Superblock) write {
	return write{record: -1, superblock: s, done: vsr.SuperblockStored{Superblock: s}}
}

// finish makes a write durable.
func (d *disk) finish(w write) {
	if w.record < 0 {
		d.superblock = w.superblock
		return
	}
	r := &d.records[w.record]
	r.durable = true
	d.wiped = d.wiped && r.state == nil
	if r.prepare != nil {
		if d.bodies == nil {
			d.bodies = map[wire.PrepareID]*wire.Prepare{}
		}
		d.bodies[r.prepare.Prepare.Header.ID()] = r.prepare.Prepare
	}
}

// lose forgets what is not durable.
func (d *disk) lose() {
	d.records = slices.DeleteFunc(d.records, func(r walRecord) bool { return !r.durable })
}

// read returns a durable prepare by its identity (R3), or nil.
func (d *disk) read(id wire.PrepareID) *wire.Prepare { return d.bodies[id] }

// recover replays the log (R2, R14): a state record replaces the log, a prepare extends it
// under the log view in force and an unbroken chain, a fill adds a body. It returns what a
// replica boots with and how many records it did not adopt.
func (d *disk) recover() (vsr.Recovered, int, error) {
	out := vsr.Recovered{Formatted: !d.booted, Wiped: d.wiped, View: d.superblock.View}
	discarded := 0
	for i := range d.records {
		r := &d.records[i]
		switch {
		case r.state != nil:
			// Clipped, so that what extends it leaves the record alone.
			out.LogView, out.Headers = r.state.LogView, slices.Clip(r.state.Headers)
			out.Doubtful = r.state.Doubtful
		case r.prepare.Fill:
			out.Stored = append(out.Stored, r.prepare.Prepare.Header.ID())
		case extends(out, r.prepare):
			out.Headers = append(out.Headers, r.prepare.Prepare.Header)
			out.Stored = append(out.Stored, r.prepare.Prepare.Header.ID())
		default:
			discarded++
		}
	}
	if d.superblock.LogView > out.LogView {
		return out, discarded, fmt.Errorf("superblock log view %d: expected at most %d, the WAL's",
			d.superblock.LogView, out.LogView)
	}
	return out, discarded, nil
}

func extends(log vsr.Recovered, p *vsr.StorePrepare) bool {
	h := &p.Prepare.Header
	if p.LogView != log.LogView || h.Op != wire.Op(len(log.Headers)+1) {
		return false
	}
	return len(log.Headers) == 0 || h.Parent == log.Headers[len(log.Headers)-1].Checksum
}
