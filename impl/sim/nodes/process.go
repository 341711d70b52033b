package nodes

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// process is one process with its disk, its storage and a host for each group.
type process struct {
	s     *simulation
	id    int
	disk  *memdisk.Disk
	disks uint64 // how many it has had
	// joined says that the disk has been run on: a process whose disk is new after that is one
	// that lost it.
	joined bool
	// replaced says that its disk is new, and that some of its replicas have not rejoined yet.
	replaced bool
	// suspect says that its superblock or a snapshot may have rotted since the last boot.
	suspect bool
	// latent says that its log has rotted, or lost a write, since the last boot: the next may doubt.
	latent bool
	// rotten says that its log has rotted, or lost a write, and that nobody has seen since that it
	// misses no body.
	rotten bool
	// marked says that its log has the mark of a new disk. The log may lose what it has behind that,
	// namely that it holds the others' logs again: the replica is then as wiped as before (R16).
	marked bool
	up     bool
	// boot counts crashes: what was under way for an earlier boot does not happen.
	boot    int
	kernel  uint64 // changes when power is lost
	storage *replica.Storage
	hosts   []*replica.Host
	// busy says that the disk is about to serve a lane.
	busy [3]bool
	// pausedUntil holds everything back: the process stands still and does not notice.
	pausedUntil int
	// fullUntil is when its disk has room again; 0 if it has.
	fullUntil int
	// dying says that an operation of its disk may fail now, and kill it: nobody else reads it.
	dying bool
	// fast says which way its clock is wrong, in runs with such clocks.
	fast bool
	// last is the message that was encoded last; nobody changes its frame. It was checked in the run
	// lastRun of runs, which count what hosts were let do: the disk is the same until the next one.
	last          wire.Message
	lastFrame     []byte
	lastRun, runs int
	// newest is where its log had what was looked for last.
	newest memdisk.Found
	// owedUntil is how many batches the log must have before a write that the disk dropped
	// shows; 0 if it dropped none.
	owedUntil int
	// hurt is what the disk has lost, tape what its log has.
	hurt hurt
	tape tape
	// diesAt is when it dies again, soon after a boot; 0 if it does not.
	diesAt int
}

func newProcess(s *simulation, id int) *process {
	p := &process{s: s, id: id, kernel: 1, fast: s.chances.shape.chance(1, 2)}
	p.newDisk()
	return p
}

// newDisk gives the process an empty disk, formatted.
func (p *process) newDisk() {
	p.disks++
	p.marked = p.disks > 1
	p.fullUntil, p.owedUntil, p.hurt, p.suspect = 0, 0, hurt{}, false
	p.rotten = false
	p.tape = tape{}
	p.s.check.forgets(p)
	p.disk = memdisk.New(p.s.options.Seed*31 + uint64(p.id)*7 + p.disks)
	p.disk.KeepNoLog()
	if err := replica.Format(p.disk, ClusterID); err != nil {
		p.s.fail(FailInternal, "format the disk of process %d: %v", p.id, err)
	}
}

// Send implements replica.Network.
func (p *process) Send(group wire.GroupID, to wire.ReplicaID, m wire.Message) {
	again := m == p.last // most go to several processes, as they are
	if !again || p.lastRun != p.runs {
		p.s.check.sent(p, group, m)
	}
	if !again {
		p.last, p.lastFrame = m, wire.Encode(m)
	}
	p.lastRun = p.runs
	p.s.send(packet{from: p.id, to: int(to), command: m.Command(), frame: p.lastFrame})
}

// Reply implements replica.Network.
func (p *process) Reply(m *wire.Reply) {
	p.s.check.replied(p, m)
	p.s.sendReply(p, m)
}

// start boots the process from its disk. It may die in the middle of that, too.
func (p *process) start() {
	s := p.s
	p.withoutSuperblock()
	if s.result.Failure != nil {
		return
	}
	dies := s.possible(s.plan.rates.crashInBoot) && p.mayDoubt() &&
		s.inject(s.chances.faults, "crash_in_boot", s.plan.rates.crashInBoot, 100)
	if dies {
		p.disk.Inject(p.strike(true, bootOperations, nil))
	} else if dies = p.diesInRepair(); dies {
		p.disk.Inject(p.strikeRepair())
	}
	var err error
	s.guard(p, func() { err = p.open() })
	p.disk.Inject(nil)
	switch {
	case dies && s.result.Failure == nil:
		p.up = true
		p.crash(s.plan.atlas.mayLosePower(p) && s.chances.faults.chance(1, 2))
	case err != nil && p.suspect && s.result.Failure == nil:
		s.result.Injected["disk_replaced"]++
		p.storage, p.hosts = nil, nil
		p.newDisk()
		p.replaced = true
		s.schedule.after(1, event{kind: eventRestart, process: p.id})
	case errors.Is(err, storage.ErrFull): // it ends, and is started again
		p.up = true
		p.crash(false)
	case err != nil:
		s.fail(FailBoot, "process %d: %v", p.id, err)
	}
}

// bootOperations and workOperations are about how many operations of the disk a boot has, and
// a piece of work; a host has a few when a partition flushes its files or a part of a checkpoint
// comes.
const (
	bootOperations = 40
	workOperations = 6
	hostOperations = 3
)

func (p *process) open() error {
	s := p.s
	var err error
	p.storage, err = replica.Open(p.disk, replica.Options{
		Cluster:     ClusterID,
		Incarnation: wire.Incarnation{Hi: uint64(p.id) + 1, Lo: uint64(p.boot) + 1},
		Kernel:      wire.Uint128{Lo: p.kernel},
		Log: wal.Config{
			FileBytes: int64(s.plan.shape.logFileBytes), FilesMax: s.plan.shape.logFiles,
		},
		Defects: s.options.Defects,
	})
	if err != nil {
		return fmt.Errorf("boot storage: %w", err)
	}
	p.hosts = nil
	for _, group := range s.groups() {
		host, err := replica.NewHost(p.config(group), p.storage, s.newMachine(p, group), s, p)
		if err != nil {
			return fmt.Errorf("boot group %d: %w", group, err)
		}
		p.hosts = append(p.hosts, host)
	}
	p.up, p.joined, p.suspect, p.latent = true, true, false, false
	s.check.written(p)
	s.check.booted(p)
	s.check.recovered(p)
	p.hurt.copies = 0
	p.keepsMark()
	p.followBoot()
	return nil
}

func (p *process) config(group wire.GroupID) replica.Config {
	s := p.s
	s.check.booting(p, group)
	return replica.Config{
		GroupConfig: replica.GroupConfig{
			Group: group, Replica: wire.ReplicaID(p.id), ReplicaCount: s.plan.shape.replicas,
			Policy: s.plan.shape.policies[group], Fresh: !p.joined,
		},
		Timers: s.plan.timers, Seed: s.options.Seed*processesMax + uint64(p.id),
		Sessions: clienttable.Config{
			Shape: clienttable.Numbered, Capacity: s.plan.shape.capacity, Ring: 4, ReplyBytes: 512,
		},
		Core: s.options.Core, NoPreflight: s.plan.shape.noPreflight,
		Limits:        s.plan.limits,
		CheckpointOps: s.plan.shape.checkpointOps, ChunkBytes: s.plan.shape.chunkBytes,
		Suffix:    s.plan.shape.suffix,
		OnEvent:   s.recorder(p, group),
		OnRestore: func(id wire.PrepareID) { s.check.restored(p, group, id) },
		OnExecute: func(h *wire.PrepareHeader, answers []clienttable.Answer) {
			s.check.executed(p, group, h, answers)
		},
	}
}

// paused says that the process stands still.
func (p *process) paused() bool { return p.s.schedule.now < p.pausedUntil }

// later puts an event of a process that stands still off, and reports whether it did.
func (p *process) later(e *event) bool {
	if !p.paused() {
		return false
	}
	p.s.schedule.after(p.pausedUntil-p.s.schedule.now+p.s.chances.disks.between(0, 2), *e)
	return true
}

func (p *process) tick() {
	if p.fullUntil > 0 && p.s.schedule.now >= p.fullUntil {
		p.disk.Limit(0)
		p.fullUntil = 0
	}
	p.dieAgain()
	if !p.up || p.paused() {
		return
	}
	for range p.ticks() {
		p.storage.Tick()
		for _, h := range p.hosts {
			p.run(h, h.Tick)
		}
		if !p.up {
			return
		}
	}
	for _, h := range p.hosts {
		p.s.stops[h.Stop()]++
	}
	p.rejoin()
}

// ticks is how many ticks pass for the process in one: none or two at times, if its clock is
// wrong.
func (p *process) ticks() int {
	switch {
	case !p.s.inject(p.s.chances.faults, "skew", p.s.plan.rates.skew, 1000):
		return 1
	case p.fast:
		return 2
	}
	return 0
}

// run lets a host do something, and puts the work that it gives the storage into the calendar.
func (p *process) run(h *replica.Host, do func()) {
	if !p.up || p.s.result.Failure != nil {
		return
	}
	p.runs++
	s, dies, struck := p.s, false, false
	if s.possible(s.plan.rates.crashInHost) && p.mayDoubt() &&
		s.due(s.chances.faults, "crash_in_host", s.plan.rates.crashInHost, 10_000) {
		dies, p.dying = true, true
		p.disk.Inject(p.strike(true, hostOperations, &struck))
	}
	s.guard(p, func() {
		do()
		for h.Busy() && s.result.Failure == nil {
			h.Work()
		}
	})
	if dies {
		p.dying = false
		p.disk.Inject(nil)
		if struck {
			s.result.Injected["crash_in_host"]++
			p.crash(s.plan.atlas.mayLosePower(p) && s.chances.faults.chance(1, 2))
			return
		}
	}
	p.serve()
}

// serve puts a lane that is ready into the calendar: the disk takes its time.
func (p *process) serve() {
	for _, lane := range replica.Lanes() {
		if p.busy[lane] || !p.up || !p.storage.Ready(lane) {
			continue
		}
		p.busy[lane] = true
		delay := p.s.chances.disks.between(1, p.s.plan.shape.laneTicks)
		if p.s.inject(p.s.chances.disks, "slow_disk", p.s.plan.rates.slowDisk, 1000) {
			delay = p.s.chances.disks.skewed(200)
		}
		p.s.schedule.after(delay, event{
			kind: eventLane, process: p.id, boot: p.boot, lane: lane,
		})
	}
}

// work lets the storage do the next thing of a lane. Whether the process dies in the middle of
// it, or an operation fails, is decided before.
func (p *process) work(e *event) {
	if e.boot != p.boot || !p.up || p.later(e) {
		return
	}
	s := p.s
	p.busy[e.lane] = false
	chance := s.chances.faults
	dies := s.possible(s.plan.rates.crashInWork) && p.mayDoubt() &&
		s.inject(chance, "crash_in_work", s.plan.rates.crashInWork, 1000)
	fails := !dies && s.possible(s.plan.rates.failedOperation) && p.mayDoubt() &&
		s.inject(chance, "failed_operation", s.plan.rates.failedOperation, 1000)
	if dies || fails {
		p.disk.Inject(p.strike(dies, workOperations, nil))
	} else if e.lane == replica.LaneLog {
		p.disk.Inject(p.astray())
	}
	var done []replica.Completion
	var err error
	s.guard(p, func() { done, err = p.storage.Work(e.lane) })
	p.disk.Inject(nil)
	switch {
	case s.result.Failure != nil:
		return
	case errors.Is(err, errStruck) || dies:
		p.crash(dies && s.plan.atlas.mayLosePower(p) && chance.chance(1, 2)) // an error is fatal
		return
	case err != nil:
		s.fail(FailStorage, "process %d: %v", p.id, err)
		return
	}
	switch e.lane {
	case replica.LaneState:
		s.check.written(p)
	case replica.LaneLog:
		s.check.logged(p)
		if p.rotState() {
			return
		}
	}
	for _, d := range done {
		s.schedule.after(s.chances.disks.between(1, s.plan.shape.doneTicks), event{
			kind: eventDone, process: p.id, boot: p.boot, done: d,
		})
	}
	p.serve()
}

// errStruck is what an operation of the disk answers that a fault has struck.
var errStruck = errors.New("the disk fails")

// complete hands a completion to its host.
func (p *process) complete(e *event) {
	if e.boot != p.boot || !p.up || p.later(e) {
		return
	}
	h := p.hosts[e.done.Group]
	p.run(h, func() { h.Complete(e.done) })
}

// crash ends the process: killed, or with the power lost, which takes what was not flushed. It
// comes back after a while.
func (p *process) crash(powerLoss bool) {
	if !p.up {
		return
	}
	s := p.s
	s.result.Crashes++
	s.check.dies(p)
	p.collect()
	if p.owesWrite() {
		p.owedUntil = batchesAfterLoss // of the next boot, whose log counts anew
	}
	p.up, p.storage, p.hosts = false, nil, nil
	p.boot++
	p.busy = [3]bool{}
	if powerLoss {
		s.result.Injected["power_lost"]++
		p.kernel++
		p.disk.PowerLoss(nil)
	} else {
		s.result.Injected["killed"]++
		p.disk.Kill()
	}
	s.schedule.after(s.chances.faults.skewed(s.plan.shape.restartTicks),
		event{kind: eventRestart, process: p.id})
}

// state returns where the replica of a group stands.
func (p *process) state(group wire.GroupID) vsr.Standing { return p.hosts[group].Standing() }

// collect takes over what the hosts have counted, before they are gone.
func (p *process) collect() {
	if p.storage != nil {
		p.s.result.Hosts["file_released"] += p.storage.Released()
		p.s.result.Hosts["body_moved"] += p.storage.Moved()
	}
	for _, h := range p.hosts {
		for _, reason := range vsr.Refusals() {
			p.s.result.Refusals[reason.String()] += int(h.Refused(reason))
		}
		for _, outcome := range vsr.Outcomes() {
			p.s.result.Merges[outcome.String()] += int(h.Merged(outcome))
		}
		c, hosts := h.Counters(), p.s.result.Hosts
		hosts["checkpoint"] += int(c.Checkpoints)
		hosts["installed"] += int(c.Installed)
		hosts["refetched"] += int(c.Refetched)
		hosts["state_repeated"] += int(c.Repeated)
	}
}
