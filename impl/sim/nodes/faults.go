package nodes

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// inject decides whether a fault happens, and counts it. There are none once all is healed. A
// kind that is switched on and has not happened by the middle of the run happens then.
func (s *simulation) inject(r random, kind string, rate, outOf int) bool {
	if !s.due(r, kind, rate, outOf) {
		return false
	}
	s.result.Injected[kind]++
	return true
}

// possible says that a kind of fault with this rate can happen now.
func (s *simulation) possible(rate int) bool { return !s.healed && rate != 0 }

// due decides whether a fault happens that is counted if it takes effect.
func (s *simulation) due(r random, kind string, rate, outOf int) bool {
	if !s.possible(rate) {
		return false
	}
	hit := r.chance(rate, outOf)
	return hit || 2*s.schedule.now > s.options.Ticks && s.result.Injected[kind] == 0
}

// injectFaults begins what is bound to neither a frame nor work of the disk.
func (s *simulation) injectFaults() {
	const outOf = 10_000
	r, chance, now := &s.plan.rates, s.chances.faults, s.schedule.now
	for _, p := range s.processes {
		if p.up && s.inject(chance, "kill", r.kill, outOf) {
			p.crash(false)
		}
		if s.possible(r.powerLoss) && p.up && s.plan.atlas.mayLosePower(p) &&
			s.inject(chance, "power_loss", r.powerLoss, outOf) {
			p.crash(true)
		}
	}
	if s.inject(chance, "kill_all", r.killAll, outOf) {
		for _, p := range s.processes {
			p.crash(false)
		}
	}
	if s.plan.atlas.everywhere && s.inject(chance, "power_loss_all", r.powerLossAll, outOf) {
		for _, p := range s.processes {
			p.crash(s.plan.atlas.mayLosePower(p))
		}
	}
	p := s.processes[chance.IntN(len(s.processes))]
	if s.inject(chance, "pause", r.pause, outOf) {
		p.pausedUntil = now + chance.skewed(300)
	}
	if p.up && p.fullUntil == 0 && s.inject(chance, "full_disk", r.fullDisk, outOf) {
		p.disk.Limit(p.disk.UsedBytes() + int64(chance.IntN(s.plan.shape.logFileBytes)))
		p.fullUntil = now + chance.skewed(400)
	}
	if p.up && s.inject(chance, "leave_view", r.leaveView, outOf) {
		h := p.hosts[chance.IntN(len(p.hosts))]
		p.run(h, h.LeaveView)
	}
	s.injectLoss()
}

// injectLoss lets a process lose something whose disk may.
func (s *simulation) injectLoss() {
	const outOf = 10_000
	r, chance := &s.plan.rates, s.chances.faults
	for _, p := range s.processes {
		if !s.plan.atlas.mayLose(p) {
			continue
		}
		if s.possible(r.rot) && p.mayRot() && s.inject(chance, "rot", r.rot, outOf) {
			s.rot(p)
		}
		s.decay(p)
		s.rotTail(p)
		if s.possible(r.rotFile) && p.up && s.plan.atlas.mayLoseDisk(p) &&
			s.inject(chance, "rot_file", r.rotFile, outOf) {
			s.rotFile(p)
		}
		if s.possible(r.wipe) && p.up && s.plan.atlas.mayLoseDisk(p) &&
			s.inject(chance, "wipe", r.wipe, outOf) {
			p.crash(false)
			p.newDisk()
			p.replaced = true
		}
	}
}

// rot flips a bit of the write-ahead log, in the page cache and on the disk.
func (s *simulation) rot(p *process) {
	name := p.logFile(s.chances.faults)
	if name == "" {
		return
	}
	p.rot()
	offset := int64(s.chances.faults.skewed(s.plan.shape.logFileBytes) - 1)
	if err := p.disk.Rot(name, offset, 1<<s.chances.faults.IntN(8)); err != nil {
		s.result.Injected["rot_beyond_end"]++
	}
}

// rotFile kills a process and flips a bit in a copy of its superblock, in both, or in a snapshot.
// Where the boot refuses what it finds, somebody gives the process another disk.
func (s *simulation) rotFile(p *process) {
	chance := s.chances.faults
	p.crash(false)
	p.replaced, p.suspect = true, true
	files := []string{superblock.FileA, superblock.FileB}
	if chance.chance(2, 3) {
		files = files[chance.IntN(2):][:1]
	}
	group := wire.GroupID(chance.IntN(len(s.plan.shape.policies)))
	names, err := p.disk.List(datadir.Snapshots(group))
	if err == nil && len(names) > 0 && chance.chance(1, 2) {
		files = []string{path.Join(datadir.Snapshots(group), names[chance.IntN(len(names))])}
	}
	for _, file := range files {
		offset := int64(chance.skewed(1<<12) - 1)
		for p.disk.Rot(file, offset, 1<<chance.IntN(8)) != nil && offset > 0 {
			offset /= 2 // it lies behind the end
		}
	}
}

// logFile returns one of the files of the write-ahead log, or "".
func (p *process) logFile(r random) string {
	names, err := p.disk.List(datadir.Log)
	if err != nil || len(names) == 0 {
		return ""
	}
	return path.Join(datadir.Log, names[r.IntN(len(names))])
}

// strike returns faults for the operations of one piece of work: from the n-th on nothing
// happens any more, as the process is dead; or the n-th fails alone.
func (p *process) strike(
	dies bool, operations int, struck *bool,
) func(memdisk.Operation) *memdisk.Fault {
	chance := p.s.chances.faults
	n, count := chance.IntN(operations), 0
	fault := memdisk.Fault{Err: errStruck, After: chance.chance(1, 2)}
	if chance.chance(1, 2) {
		fault.Bytes = memdisk.SectorBytes * chance.IntN(4) // what tears is torn at a sector
	}
	return func(op memdisk.Operation) *memdisk.Fault {
		count++
		if count-1 == n || dies && count-1 > n {
			if struck != nil {
				*struck = true
			}
			if !fault.After && fault.Bytes > 0 && op.Kind == memdisk.OperationWrite &&
				int64(fault.Bytes) < op.Bytes {
				p.s.result.Injected["torn_write"]++
			}
			return &fault
		}
		return nil
	}
}

// astray returns a fault for one piece of work of a victim's disk: it drops a write to the log,
// or puts it elsewhere, and nobody notices until the page cache is gone.
func (p *process) astray() func(memdisk.Operation) *memdisk.Fault {
	s, r := p.s, &p.s.plan.rates
	if !s.possible(r.lostWrite) && !s.possible(r.misdirectedWrite) {
		return nil
	}
	if !s.plan.atlas.mayLose(p) || p.owesWrite() || !p.mayRot() {
		return nil
	}
	chance, fault := s.chances.faults, memdisk.Fault{}
	switch {
	case s.inject(chance, "lost_write", r.lostWrite, 1000):
		fault.Lost = true
	case s.inject(chance, "misdirected_write", r.misdirectedWrite, 1000):
		fault.Elsewhere = &memdisk.Place{
			Path:   p.logFile(chance),
			Offset: int64(chance.IntN(s.plan.shape.logFileBytes/memdisk.SectorBytes)) * memdisk.SectorBytes,
		}
	default:
		return nil
	}
	p.rot()
	struck := false
	return func(op memdisk.Operation) *memdisk.Fault {
		if struck || op.Kind != memdisk.OperationWrite || path.Dir(op.Path) != datadir.Log {
			return nil
		}
		struck = true
		batches, _ := p.storage.Counts()
		p.owedUntil = batches + batchesAfterLoss
		return &fault
	}
}

// batchesAfterLoss is how many more batches a log has when a lost write shows as a hole: one
// that says that the lost one was flushed, and is flushed itself.
const batchesAfterLoss = 4

// owesWrite says that the disk has dropped a write, and that nothing shows it yet.
func (p *process) owesWrite() bool {
	if p.owedUntil == 0 {
		return false
	}
	if p.storage != nil {
		if batches, flushes := p.storage.Counts(); batches >= p.owedUntil && flushes > 0 {
			p.owedUntil = 0
		}
	}
	return p.owedUntil > 0
}
