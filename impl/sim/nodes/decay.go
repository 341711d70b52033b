package nodes

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
)

// hurt says what the log of a disk has lost, of which a boot may speak.
type hurt struct {
	// ends are the batches that have lost one of their ends.
	ends map[batchPlace]bool
	// batches is how many were hit anywhere.
	batches int
	// elsewhere says that the log has lost anything else than ends.
	elsewhere bool
	// copies is how many updates the superblock had when a copy of it rotted, plus one; 0 if both
	// are whole. rotten is where each file of it rotted last. gone says that both are not whole.
	copies int
	rotten map[string]int64
	gone   bool
}

// batchPlace is where a batch lies.
type batchPlace struct {
	path          string
	offset, bytes int64
}

// recentMax is how many of the newest batches may rot.
const recentMax = 8

// rotMax bounds the batches of a disk that rot where it hurts: each costs its log the room of a
// repair, and of a doubt, and a run has small logs.
const rotMax = 2

// endBytes are those of a batch's ends that are part of an index for sure.
const endBytes = 32

// decay lets the newest that a victim has written rot: a batch of its log, or a copy of its
// superblock; or takes the superblock away.
func (s *simulation) decay(p *process) {
	const outOf = 10_000
	r, chance := &s.plan.rates, s.chances.decay
	if p.up && s.inject(chance, "rot_end", r.rotEnd, outOf) {
		p.rotEnd(chance)
	}
	rots := s.possible(r.rotBatch) && p.up && p.mayRot() && p.hurt.batches < rotMax
	if rots && s.inject(chance, "rot_batch", r.rotBatch, outOf) {
		p.rotBatch(chance)
	}
	if p.copiesWhole() && s.inject(chance, "rot_superblock", r.rotSuperblock, outOf) {
		p.rotCopy(chance)
	}
	if s.possible(r.superblockGone) && p.logFile(chance) != "" && s.plan.atlas.mayLoseDisk(p) &&
		s.inject(chance, "superblock_gone", r.superblockGone, outOf) {
		p.loseSuperblock(chance)
	}
}

// recent are the places of the newest batches of a log, oldest first.
func (p *process) recent() []batchPlace {
	all, _ := rawLog(p.disk)
	var places []batchPlace
	for _, b := range all[max(0, len(all)-recentMax):] {
		places = append(places, b.at)
	}
	return places
}

// rotEnd flips a bit in the index at one end of a recent batch, of which the other end is whole.
func (p *process) rotEnd(chance random) {
	recent := p.recent()
	if len(recent) == 0 {
		return
	}
	at := recent[chance.IntN(len(recent))]
	if p.hurt.ends[at] {
		return
	}
	if p.hurt.ends == nil {
		p.hurt.ends = map[batchPlace]bool{}
	}
	p.hurt.ends[at] = true
	offset := at.offset + int64(chance.IntN(endBytes))
	if chance.chance(1, 2) {
		offset = at.offset + at.bytes - 1 - int64(chance.IntN(endBytes))
	}
	p.rotAt(at.path, offset)
}

// rotBatch flips a bit anywhere in one of the two newest batches, or one in each of its sectors:
// then nothing of it is left.
func (p *process) rotBatch(chance random) {
	recent := p.recent()
	if len(recent) == 0 {
		return
	}
	at := recent[len(recent)-chance.between(1, min(2, len(recent)))]
	p.rot()
	p.hurt.batches++
	if chance.chance(1, 2) {
		p.rotAt(at.path, at.offset+int64(chance.IntN(int(at.bytes))))
		return
	}
	for sector := int64(0); sector < at.bytes; sector += memdisk.SectorBytes {
		within := min(memdisk.SectorBytes, at.bytes-sector)
		p.rotAt(at.path, at.offset+sector+int64(chance.IntN(int(within))))
	}
}

// rotAt flips a bit of a file, if it is still there by that name.
func (p *process) rotAt(name string, offset int64) {
	if err := p.disk.Rot(name, offset, 1<<p.s.chances.decay.IntN(8)); err != nil {
		p.s.result.Injected["rot_beyond_end"]++
	}
}

// copiesWhole reports whether both files of the superblock are whole: since one of them rotted
// the process has booted, which makes them equal, or has written both.
func (p *process) copiesWhole() bool {
	if p.storage != nil && p.hurt.copies > 0 && p.storage.Updates() > p.hurt.copies {
		p.hurt.copies = 0
	}
	return p.hurt.copies == 0
}

// rotCopy flips a bit of one of the two files of the superblock, which costs nothing (R16).
func (p *process) rotCopy(chance random) {
	name := []string{superblock.FileA, superblock.FileB}[chance.IntN(2)]
	p.hurt.copies = 1
	if p.storage != nil {
		p.hurt.copies = 1 + p.storage.Updates()
	}
	p.rotWithin(path.Join(datadir.Superblock, name), chance)
}

// copyBytes are the bytes of a superblock of which one rots. That of a new disk is shorter.
const copyBytes = 128

// rotWithin flips a bit of a copy of the superblock, if it is there. It leaves the byte that
// rotted last alone: its bit, flipped back, would make the copy whole.
func (p *process) rotWithin(name string, chance random) {
	offset := int64(chance.IntN(copyBytes))
	if size := int64(len(p.disk.Contents(name, false))); size > 0 {
		offset %= size
		if last, rotten := p.hurt.rotten[name]; rotten && last == offset {
			offset = (offset + 1) % size
		}
	}
	if p.hurt.rotten == nil {
		p.hurt.rotten = map[string]int64{}
	}
	p.hurt.rotten[name] = offset
	p.rotAt(name, offset)
}

// loseSuperblock ends a process and takes both files of its superblock away, or lets both rot.
func (p *process) loseSuperblock(chance random) {
	p.crash(false)
	p.hurt.gone, p.replaced = true, true
	missing := chance.chance(1, 2)
	for _, name := range []string{superblock.FileA, superblock.FileB} {
		at := path.Join(datadir.Superblock, name)
		if !missing {
			p.rotWithin(at, chance)
		} else if err := p.disk.Remove(at); err != nil {
			p.s.result.Injected["superblock_gone_already"]++
		}
	}
}

// withoutSuperblock starts a process whose superblock is gone: it must refuse, and gets an empty
// disk, as an operator would give it one.
func (p *process) withoutSuperblock() {
	if !p.hurt.gone {
		return
	}
	p.s.check.refused(p, p.open())
	p.newDisk()
	p.replaced = true
}
