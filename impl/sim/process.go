package sim

import "github.com/viewstamp/viewstamp/impl/vsr"

// process is the surroundings of one replica.
type process struct {
	// boot counts crashes: what was scheduled for an earlier boot does not happen.
	boot int
	// writes, reads and executes are how many completions are in the calendar.
	writes, reads, executes int
	// pausedUntil holds everything back: the process stands still and does not notice.
	pausedUntil int
	// asked are the reads of clients that wait here.
	asked []readUnderWay
}

func (s *simulation) paused(replica int) bool {
	return s.schedule.now < s.processes[replica].pausedUntil
}

// holdWhilePaused puts an event off if its replica stands still, and reports whether it did.
func (s *simulation) holdWhilePaused(e *event) bool {
	if !s.paused(e.replica) {
		return false
	}
	wait := s.processes[e.replica].pausedUntil - s.schedule.now
	s.schedule.after(wait+s.random.between(0, 2), *e)
	return true
}

// clockSteps returns how many ticks pass at a replica: one, but for pauses and skew.
func (s *simulation) clockSteps(replica int) int {
	switch {
	case !s.cluster.Up(replica) || s.paused(replica):
		return 0
	case s.inject("skew", s.plan.rates.skew, 10_000):
		return 2 * s.random.IntN(2)
	}
	return 1
}

// scheduleWork puts the completions of new writes, reads and executions into the calendar.
// Which of the writes under way a completion is for is decided when it comes due.
func (s *simulation) scheduleWork(replica int) {
	p, shape := &s.processes[replica], &s.plan.shape
	for ; p.writes < s.cluster.Writes(replica); p.writes++ {
		delay := s.random.between(1, shape.writeTicks)
		if s.inject("slow_write", s.plan.rates.slowWrite, 1000) {
			delay = s.random.skewed(delayMaxTicks)
		}
		s.schedule.after(delay, event{kind: eventWrite, replica: replica, boot: p.boot})
		if s.inject("crash_write", s.plan.rates.crashWrite, 1000) {
			s.schedule.after(s.random.between(1, shape.writeTicks),
				event{kind: eventCrash, replica: replica, boot: p.boot})
		}
	}
	for ; p.reads < s.cluster.Reads(replica); p.reads++ {
		s.schedule.after(s.random.between(1, shape.readTicks),
			event{kind: eventRead, replica: replica, boot: p.boot})
	}
	for ; p.executes < s.cluster.Executes(replica); p.executes++ {
		s.schedule.after(s.random.between(1, shape.executeTicks)+s.slowExecution(),
			event{kind: eventExecute, replica: replica, boot: p.boot})
	}
}

// checkpoints says how the hosts of this run handle them.
func (s *simulation) checkpoints() Checkpoints {
	c := s.plan.checkpoints
	if s.plan.rotChunks > 0 {
		c.Rot = func() bool { return s.inject("rot_chunk", s.plan.rotChunks, 1000) }
	}
	return c
}

// takeCheckpoint begins a checkpoint of a replica if it is due, or a little later: replicas have
// different ones.
func (s *simulation) takeCheckpoint(replica int) {
	if s.cluster.CheckpointDue(replica) && s.random.IntN(3) == 0 {
		s.cluster.TakeCheckpoint(replica)
		s.holdCheckpoint(replica)
	}
}

// complete finishes some write or read of the replica, or its oldest execution.
func (s *simulation) complete(e *event) {
	p := &s.processes[e.replica]
	if e.boot != p.boot || s.holdWhilePaused(e) {
		return
	}
	switch e.kind {
	case eventWrite:
		i := s.random.IntN(s.cluster.Writes(e.replica))
		if ticks := s.held(e.replica, i); ticks > 0 {
			s.schedule.after(ticks, *e)
			return
		}
		p.writes--
		s.finishWrite(e.replica, i)
	case eventRead:
		p.reads--
		s.cluster.FinishRead(e.replica, s.random.IntN(s.cluster.Reads(e.replica)))
	case eventExecute:
		p.executes--
		if !s.check.executing(e.replica) {
			return
		}
		s.cluster.FinishExecute(e.replica)
		s.check.executed(e.replica)
		s.takeCheckpoint(e.replica)
	case eventPacket, eventLink, eventReply, eventCrash, eventRestart:
	}
	s.takeUp(e.replica)
}

// finishWrite makes a write durable and looks at what comes of it.
func (s *simulation) finishWrite(replica, i int) {
	if _, refused := s.cluster.WriteDone(replica, i).(vsr.CheckpointRefused); refused {
		s.check.refuses(replica)
	}
	before := s.cluster.Applied(replica)
	s.cluster.FinishWrite(replica, i)
	s.check.written(replica)
	s.check.jumped(replica)
	if after := s.cluster.Applied(replica); after > before {
		s.check.restored(replica, after)
	}
}

// crash stops a replica, if it runs; each unfinished write reaches the disk or not. It comes
// back after a while.
func (s *simulation) crash(replica int) {
	if !s.cluster.Up(replica) {
		return
	}
	s.result.Crashes++
	s.cluster.Crash(replica, func(vsr.Input) bool {
		landed := s.random.IntN(2) == 0
		if landed {
			s.result.Injected["write_landed"]++
		} else {
			s.result.Injected["write_lost"]++
		}
		return landed
	})
	p := &s.processes[replica]
	*p = process{boot: p.boot + 1}
	s.check.crashed(replica)
	s.schedule.after(s.random.skewed(s.plan.shape.restartTicks),
		event{kind: eventRestart, replica: replica})
}

// restart boots a replica from its disk, if it is down.
func (s *simulation) restart(replica int) {
	if s.cluster.Up(replica) {
		return
	}
	s.result.Restarts++
	if err := s.cluster.Restart(replica); err != nil {
		s.fail(FailBoot, "%v", err)
		return
	}
	s.check.booted(replica)
	s.takeUp(replica)
}
