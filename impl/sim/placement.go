package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// placement is the log that a prefix of a disk's records gives: which prepare stands at each
// op, and under which log view. It is what a boot would find, without its bodies.
type placement struct {
	records int // how many records it covers
	logView wire.View
	// base is the identity of the op below the log: up to there everything is committed.
	base wire.PrepareID
	// checksums are those of the log, base.Op+1 first.
	checksums []wire.Checksum
}

// apply takes one more durable record into account, as disk.recover does.
func (p *placement) apply(r *walRecord) {
	switch {
	case r.state != nil:
		p.logView, p.base = r.state.LogView, r.state.Base
		p.checksums = make([]wire.Checksum, len(r.state.Headers))
		for i := range r.state.Headers {
			p.checksums[i] = r.state.Headers[i].Checksum
		}
	case !r.prepare.Fill && p.extendedBy(r.prepare):
		p.checksums = append(p.checksums, r.prepare.Prepare.Header.Checksum)
	}
}

func (p *placement) extendedBy(prepare *vsr.StorePrepare) bool {
	h, below := &prepare.Prepare.Header, p.base.Checksum
	if n := len(p.checksums); n > 0 {
		below = p.checksums[n-1]
	}
	return prepare.LogView == p.logView && h.Op == p.head()+1 && h.Parent == below
}

// head is the highest op.
func (p *placement) head() wire.Op { return p.base.Op + wire.Op(len(p.checksums)) }

// placed returns the log that a boot would find if the replica crashed now and nothing under
// way reached the disk. The result is valid until the disk changes.
func (d *disk) placed() placement {
	for d.settled.records < len(d.records) && d.records[d.settled.records].durable {
		d.settled.apply(d.records[d.settled.records])
		d.settled.records++
	}
	now := d.settled
	if now.records == len(d.records) {
		return now
	}
	now.checksums = slices.Clip(now.checksums) // what extends it leaves the settled one alone
	for i := now.records; i < len(d.records); i++ {
		if d.records[i].durable {
			now.apply(d.records[i])
		}
	}
	return now
}

// at reports whether a boot would find this very prepare at its op.
func (p *placement) at(id wire.PrepareID) bool {
	return id.Op > p.base.Op && id.Op <= p.head() &&
		p.checksums[id.Op-p.base.Op-1] == id.Checksum
}

// reachesOver reports whether the log tells what follows a checkpoint: it has the op, or begins
// above it (R11).
func (p *placement) reachesOver(id wire.PrepareID) bool {
	return p.base.Op > id.Op || p.base == id || p.at(id)
}

// view is the view that a boot would find: the WAL counts where it is ahead (R2).
func (d *disk) view() wire.View {
	placed := d.placed()
	return max(d.superblock.View, placed.logView)
}
