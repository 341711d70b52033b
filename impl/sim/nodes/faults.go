package nodes

import (
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
)

// inject decides whether a fault happens, and counts it. There are none once all is healed.
func (s *simulation) inject(kind string, rate, outOf int) bool {
	if s.healed || rate == 0 {
		return false
	}
	late := 2*s.schedule.now > s.options.Ticks && s.result.Injected[kind] == 0
	if !late && !s.random.chance(rate, outOf) {
		return false
	}
	s.result.Injected[kind]++
	return true
}

// mayLosePower says where power may be lost: what a quorum of a group of the policy replicated
// has acknowledged does not survive the loss of all its power, so that there one process may.
func (s *simulation) mayLosePower(p *process) bool {
	return s.plan.replicated() == 0 || p.id == s.plan.victim
}

// injectFaults begins and ends what is not bound to a frame or to work of the disk.
func (s *simulation) injectFaults() {
	const outOf = 10_000
	r, n, now := &s.plan.rates, &s.network, s.schedule.now
	if n.until != 0 && now >= n.until {
		n.healPartition()
	}
	if n.until == 0 && s.inject("partition", r.partition, outOf) {
		s.partition()
	}
	for _, p := range s.processes {
		if p.up && s.inject("kill", r.kill, outOf) {
			p.crash(false)
		}
		if p.up && s.mayLosePower(p) && s.inject("power_loss", r.powerLoss, outOf) {
			p.crash(true)
		}
	}
	if s.inject("kill_all", r.killAll, outOf) {
		for _, p := range s.processes {
			p.crash(false)
		}
	}
	if s.plan.replicated() == 0 && s.inject("power_loss_all", r.powerLossAll, outOf) {
		for _, p := range s.processes {
			p.crash(true)
		}
	}
	p := s.processes[s.random.IntN(processes)]
	if s.inject("pause", r.pause, outOf) {
		p.pausedUntil = now + s.random.skewed(300)
	}
	if p.up && p.fullUntil == 0 && s.inject("full_disk", r.fullDisk, outOf) {
		p.disk.Limit(p.disk.UsedBytes() + int64(s.random.IntN(logFileBytes)))
		p.fullUntil = now + s.random.skewed(400)
	}
	if p.up && s.inject("leave_view", r.leaveView, outOf) {
		h := p.hosts[s.random.IntN(len(p.hosts))]
		p.run(h, h.LeaveView)
	}
	s.injectLoss()
}

// injectLoss lets the one process whose disk may lose something lose it.
func (s *simulation) injectLoss() {
	const outOf = 10_000
	r, p := &s.plan.rates, s.processes[s.plan.victim]
	if s.inject("rot", r.rot, outOf) {
		s.rot(p)
	}
	if p.up && s.inject("wipe", r.wipe, outOf) {
		p.crash(false)
		p.newDisk()
		p.fullUntil = 0
	}
}

// rot flips a bit of the write-ahead log, in the page cache and on the disk.
func (s *simulation) rot(p *process) {
	names, err := p.disk.List(datadir.Log)
	if err != nil || len(names) == 0 {
		return
	}
	name := path.Join(datadir.Log, names[s.random.IntN(len(names))])
	offset := int64(s.random.skewed(logFileBytes) - 1)
	if err := p.disk.Rot(name, offset, 1<<s.random.IntN(8)); err != nil {
		s.result.Injected["rot_beyond_end"]++
	}
}
