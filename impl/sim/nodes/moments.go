package nodes

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Faults at moments that chance alone seldom finds: each follows something closely, as the end of
// a process follows its last flush, or a second death the first.

// rotTail ends a victim, and both indexes of the batch rot that it has written last: the end of its
// log cannot be told from one that a death tore.
func (s *simulation) rotTail(p *process) {
	const outOf = 10_000
	chance := s.chances.moments
	if !p.up || p.hurt.batches >= rotMax || !p.mayRot() ||
		!s.inject(chance, "rot_tail", s.plan.rates.rotTail, outOf) {
		return
	}
	at := p.tape.newest.at
	p.crash(false)
	p.rot()
	p.hurt.batches++
	p.rotAt(at.path, at.offset+int64(chance.IntN(endBytes)))
	p.rotAt(at.path, at.offset+at.bytes-1-int64(chance.IntN(endBytes)))
}

// rotState ends a victim that has just flushed a state record, and the record rots: there is no
// other copy of it. It reports whether it did.
func (p *process) rotState() bool {
	s, t, chance := p.s, &p.tape, p.s.chances.moments
	if !s.plan.atlas.mayLose(p) || t.flushed != t.newest.checksum || p.hurt.batches >= rotMax ||
		!p.mayRot() {
		return false
	}
	for _, x := range t.newest.records {
		if x.kind != wal.KindState || x.bytes == 0 {
			continue
		}
		if !s.inject(chance, "rot_state", s.plan.rates.rotState, 100) {
			return false
		}
		at := t.newest.at
		p.crash(false)
		p.rot()
		p.hurt.batches++
		p.rotAt(at.path, x.offset+int64(chance.IntN(int(x.bytes))))
		return true
	}
	return false
}

// diesInRepair says that a process dies while its boot repairs its log.
func (p *process) diesInRepair() bool {
	return p.joined && p.mayDoubt() &&
		p.s.inject(p.s.chances.moments, "crash_in_repair", p.s.plan.rates.crashInRepair, 100)
}

// repairOperations are about how many operations a boot has from its first write to the log on.
const repairOperations = 10

// strikeRepair returns a fault for the operations of a boot: from the n-th on, counted from the
// first write to the log, nothing happens any more.
func (p *process) strikeRepair() func(memdisk.Operation) *memdisk.Fault {
	chance := p.s.chances.moments
	n, count := chance.IntN(repairOperations), -1
	fault := memdisk.Fault{Err: errStruck, After: chance.chance(1, 2)}
	return func(op memdisk.Operation) *memdisk.Fault {
		if count >= 0 || op.Kind == memdisk.OperationWrite && path.Dir(op.Path) == datadir.Log {
			count++
		}
		if count > n {
			return &fault
		}
		return nil
	}
}

// followBoot lets something happen to a process that has just booted.
func (p *process) followBoot() {
	s, chance := p.s, p.s.chances.moments
	if s.inject(chance, "crash_again", s.plan.rates.crashAgain, 100) {
		p.diesAt = s.schedule.now + chance.skewed(32)
	}
	if s.plan.atlas.mayLose(p) && p.hurt.batches < rotMax && p.mayRot() &&
		s.due(chance, "rot_waiting", s.plan.rates.rotWaiting, 100) {
		p.rotWaiting(chance)
	}
}

// dieAgain ends a process whose time has come.
func (p *process) dieAgain() {
	if p.diesAt == 0 || p.s.schedule.now < p.diesAt {
		return
	}
	p.diesAt = 0
	if !p.s.healed {
		p.crash(p.s.plan.atlas.mayLosePower(p) && p.s.chances.moments.chance(1, 2))
	}
}

// rotWaiting lets a body rot that a boot has found whole and that is yet to be executed (R6).
func (p *process) rotWaiting(chance random) {
	batches, _ := rawLog(p.disk)
	var waiting []rawRecord
	var where []string
	for i := range batches {
		for _, x := range batches[i].records {
			if x.kind == wal.KindPrepare && p.waits(x.group, x.op) {
				waiting, where = append(waiting, x), append(where, batches[i].at.path)
			}
		}
	}
	if len(waiting) == 0 {
		return
	}
	p.s.result.Injected["rot_waiting"]++
	p.rot()
	p.hurt.batches++
	i := chance.IntN(len(waiting))
	p.rotAt(where[i], waiting[i].offset+int64(chance.IntN(int(waiting[i].bytes))))
}

// waits says that a replica has an op in its log that it has not executed since its boot.
func (p *process) waits(group wire.GroupID, op wire.Op) bool {
	if uint64(group) >= uint64(len(p.hosts)) {
		return false
	}
	now := p.state(group)
	return op > now.CommitMin && op <= now.Head
}
