package nodes

import (
	"bytes"
	"path"
	"slices"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// tape is what the simulator knows of the log of a process: where it ends, and what of it the disk
// must have, whatever the next boot finds.
type tape struct {
	// next is where the batch behind the newest will lie; newest is that one.
	next   batchPlace
	newest rawBatch
	// oldest is the path of the oldest file.
	oldest string
	// flushed is the checksum of the newest batch that a flush covered; empty if none did.
	flushed string
	flushes int
	// doubted are the groups that were in doubt at the last boot by what their log says, by the
	// batch that was then the newest.
	doubted map[wire.GroupID]uint64
}

// follow reads on to the newest batch. Where the log goes on in another file it demands that the
// file before is flushed: no later flush would do it (R14).
func (c *checker) follow(p *process) {
	t := &p.tape
	for {
		b, ok := readBatch(t.next.path, p.disk.Contents(t.next.path, false), t.next.offset)
		if !ok {
			name := fileName(t.newest.sequence + 1)
			if name == t.next.path || p.disk.Contents(name, false) == nil {
				return
			}
			if !p.disk.Flushed(t.next.path) {
				c.s.fail(FailPromise, "process %d: its log goes on in file %s, and file %s is not "+
					"flushed", p.id, name, t.next.path)
			}
			t.next = batchPlace{path: name}
			continue
		}
		t.newest, t.next = b, batchPlace{path: b.at.path, offset: b.at.offset + b.at.bytes}
	}
}

// logged is called when the storage has done a piece of work on the log.
func (c *checker) logged(p *process) {
	if c.s.options.Calm {
		return
	}
	t := &p.tape
	c.follow(p)
	if _, flushes := p.storage.Counts(); flushes > t.flushes {
		t.flushes, t.flushed = flushes, t.newest.checksum
	}
	if files := liveFiles(p.disk); len(files) > 0 && files[0] != t.oldest {
		t.oldest = files[0]
		for group := range c.groups {
			c.recorded(p, wire.GroupID(group))
		}
	}
}

// recorded demands that the disk has a state record of the log view that the superblock of a
// process names (R2), which no file takes along that goes (R17).
func (c *checker) recorded(p *process, group wire.GroupID) {
	view := c.groups[group].durable[p.id].LogView
	if view == 0 || p.dying || c.s.options.Calm || c.s.plan.atlas.mayLose(p) {
		return
	}
	if !onDisk(p.disk, group, view) {
		c.s.fail(FailDurableFirst, "process %d, group %d: its superblock says log view %d, of which "+
			"its disk has no state record", p.id, group, view)
	}
}

// recovered compares what a boot has made of its disk with the bytes there, and with what was
// there before.
func (c *checker) recovered(p *process) {
	if c.s.options.Calm {
		return
	}
	c.mirrored(p)
	c.withinView(p)
	all, broken := rawLog(p.disk)
	if len(broken) > 0 {
		b := &broken[0]
		c.s.fail(FailBoot, "process %d: its log goes on with batch %d at offset %d of %s, which does "+
			"not follow the one before", p.id, b.sequence, b.at.offset, b.at.path)
	}
	if len(all) == 0 {
		c.s.fail(FailBoot, "process %d: boots, and its log is empty", p.id)
		return
	}
	c.kept(p)
	c.doubtKept(p, all)
	newest := all[len(all)-1]
	p.tape = tape{
		newest: newest, oldest: all[0].at.path, doubted: p.tape.doubted, flushed: newest.checksum,
		next: batchPlace{path: newest.at.path, offset: newest.at.offset + newest.at.bytes},
	}
	c.cleared(p, p.storage.Report().Discarded)
}

// mirrored demands that both files of the superblock are equal, and flushed, before anybody speaks
// for them (R16).
func (c *checker) mirrored(p *process) {
	var content []byte
	for i, file := range []string{superblock.FileA, superblock.FileB} {
		name := path.Join(datadir.Superblock, file)
		if i == 0 {
			content = p.disk.Contents(name, false)
		}
		if !p.disk.Flushed(name) || !bytes.Equal(p.disk.Contents(name, true), content) ||
			!bytes.Equal(p.disk.Contents(name, false), content) {
			c.s.fail(FailDurableFirst, "process %d: boots from a superblock that %s does not hold, or "+
				"not for sure", p.id, name)
		}
	}
}

// kept demands that the newest batch that a process had flushed is still in its log, or that it
// doubts all groups: rot, or a cut, has taken it (R15).
func (c *checker) kept(p *process) {
	if p.tape.flushed == "" ||
		p.disk.Holds(datadir.Log, []byte(p.tape.flushed), false, nil) {
		return
	}
	for _, group := range c.s.groups() {
		if now := p.state(group); !now.Untrusted && !now.Wiped {
			c.s.fail(FailPromise, "process %d, group %d: boots, without a doubt, and the batch that it "+
				"flushed last is gone", p.id, group)
		}
	}
}

// doubtKept demands that a group which was in doubt at the last boot is in doubt still, unless its
// log has got a state record since (R15).
func (c *checker) doubtKept(p *process, all []rawBatch) {
	report, doubted := p.storage.Report(), map[wire.GroupID]uint64{}
	newest := all[len(all)-1].sequence
	for _, group := range c.s.groups() {
		since, was := p.tape.doubted[group]
		if !report.InDoubt(group, !c.s.replicated(group)) {
			if was && !slices.ContainsFunc(all, func(b rawBatch) bool {
				return b.sequence > since && b.hasState(group, 0, true)
			}) {
				c.s.fail(FailPromise, "process %d, group %d: boots, without a doubt, after a boot in "+
					"doubt, and no state record has ended it", p.id, group)
			}
			continue
		}
		if p.state(group).Untrusted { // not of a group that is fresh
			doubted[group] = newest
		}
		if was { // the batches behind that one may be gone, and their numbers in use again
			doubted[group] = min(since, newest)
		}
	}
	p.tape.doubted = doubted
}

// cleared demands that nothing is left behind the end of the log where the boot has cut it.
func (c *checker) cleared(p *process, discarded []wal.Discard) {
	newest := &p.tape.newest
	cut := slices.ContainsFunc(discarded, func(d wal.Discard) bool {
		return d.File == path.Base(newest.at.path) && d.Offset >= newest.at.offset &&
			d.Reason != wal.Rot && d.Reason != wal.StaleRecycled
	})
	rest := p.disk.Contents(newest.at.path, false)[p.tape.next.offset:]
	if cut && len(bytes.Trim(rest, "\x00")) > 0 {
		c.s.fail(FailBoot, "process %d: what its boot has cut off is still behind batch %d in %s", p.id,
			newest.sequence, newest.at.path)
	}
}
