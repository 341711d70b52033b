package nodes

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

const (
	// healTicksMax bounds the healed phase: the longest backoff of a repair, the probes of
	// processes that all come back at once, and ten elections.
	healTicksMax = 6000
	// chunkTicks is how long one part of a checkpoint may take: a checkpoint of many small parts
	// takes longer than all the rest. healFactorMax bounds that.
	chunkTicks    = 20
	healFactorMax = 10
	// healedRequests is how many requests, begun after the faults, each client must see
	// answered.
	healedRequests = 2
)

// heal ends all faults: every link works, every disk has room, every process is up within a
// few ticks.
func (s *simulation) heal() {
	s.healed = true
	s.result.HealedAt = s.schedule.now
	s.network.healPartition()
	s.network.clogged = [processesMax][processesMax]int{}
	s.network.filtered.until = 0
	shape := &s.plan.shape
	shape.packetMean, shape.laneTicks = min(shape.packetMean, 2), min(shape.laneTicks, 3)
	shape.patience = max(shape.patience, 100)
	for _, p := range s.processes {
		p.pausedUntil, p.fullUntil = 0, 0
		p.disk.Limit(0)
		s.schedule.after(s.chances.faults.between(1, 20), event{kind: eventRestart, process: p.id})
	}
}

// settled reports whether all that is owed is done. If it is not within its time, the run
// fails: rule R10, property NoStall.
func (s *simulation) settled() bool {
	owed := s.owed()
	if owed == "" {
		return true
	}
	patience := min(healTicksMax+chunkTicks*s.healedChunks, healFactorMax*healTicksMax)
	if s.schedule.now-s.result.HealedAt < patience {
		return false
	}
	s.fail(FailStalled, "%d ticks after the last fault %s; %s", patience, owed, s.states())
	return false
}

// owed returns what is still owed, or nothing.
func (s *simulation) owed() string {
	for _, c := range s.clients {
		if c.busy || c.answered < healedRequests {
			return fmt.Sprintf("client %d of group %d has %d of %d requests answered", c.place,
				c.group, c.answered, healedRequests)
		}
	}
	for _, p := range s.processes {
		if !p.up {
			return fmt.Sprintf("process %d is down", p.id)
		}
		for _, group := range s.groups() {
			first, state := s.processes[0].state(group), p.state(group)
			switch {
			case state.Status != vsr.StatusNormal || state.View != first.View:
				return fmt.Sprintf("process %d, group %d: not in one view with process 0", p.id, group)
			case state.CommitMin != state.Head || state.Head != first.Head:
				return fmt.Sprintf("process %d, group %d: not all is executed", p.id, group)
			}
		}
	}
	return ""
}

// states says in one line where each replica stands.
func (s *simulation) states() string {
	var b strings.Builder
	for _, p := range s.processes {
		if !p.up {
			fmt.Fprintf(&b, "p%d down; ", p.id)
			continue
		}
		if p.storage.Full() {
			fmt.Fprintf(&b, "p%d its log is full; ", p.id)
		}
		for _, group := range s.groups() {
			state := p.state(group)
			fmt.Fprintf(&b, "p%d g%d %s view=%d log_view=%d head=%d commit=%d/%d stop=%s "+
				"untrusted=%t; ", p.id, group, state.Status, state.View, state.LogView, state.Head,
				state.CommitMin, state.CommitMax, state.Stop, state.Untrusted)
		}
	}
	return b.String()
}

// finish judges the run as a whole.
func (s *simulation) finish() error {
	r := s.result
	r.Ticks, r.Digest, r.Weather = s.schedule.now, s.digest.Sum64(), s.weathers.Sum64()
	for _, p := range s.processes {
		p.collect()
	}
	for kind, count := range s.check.answers {
		if count > 0 {
			r.Answers[clienttable.AnswerKind(kind).String()] = count
		}
	}
	for command, count := range s.delivered {
		if count > 0 {
			r.Delivered[wire.Command(command).String()] = count
		}
	}
	for stop, count := range s.stops { //nolint:maporder // each by itself
		r.Stops[stop.String()] = count
	}
	for _, w := range s.check.groups {
		r.Committed += len(w.log)
		r.Requests += len(w.requests)
	}
	if r.Failure == nil {
		s.compareStates()
		s.readAll()
	}
	for _, c := range s.clients {
		if c.busy && !c.registering && !c.reading {
			c.operation.Open = true
			s.history.add(c.model, c.operation)
		}
	}
	if r.Failure == nil {
		violation, undecided, err := s.history.judge()
		if err != nil {
			return err
		}
		r.Undecided = undecided
		if violation != "" {
			s.fail(FailHistory, "%s", violation)
		}
	}
	s.checkVacuity()
	r.Passed = r.Failure == nil
	return nil
}

// compareStates compares what the replicas have executed in the end, and demands that all that
// a client was told of is among it.
func (s *simulation) compareStates() {
	for _, group := range s.groups() {
		want := s.processes[0].sessions(group).Checksum()
		for _, p := range s.processes {
			if p.sessions(group).Checksum() != want {
				s.fail(FailState, "process %d, group %d: ends in another state than process 0", p.id,
					group)
			}
			if told := s.check.groups[group].acknowledged; p.state(group).CommitMin < told {
				s.fail(FailDurability, "process %d, group %d: ends at op %d, but op %d was acknowledged",
					p.id, group, p.state(group).CommitMin, told)
			}
		}
	}
}

// readAll reads each partition as it is in the end, from its first message to its last.
func (s *simulation) readAll() {
	const page = 500 // which fits into an answer
	for _, group := range s.groups() {
		if s.workloadOf(group) == (partitionLog{}) {
			for from, got := uint64(0), page; got == page; from += page {
				got = s.poll(s.processes[0], group, from, page, (processesMax+1)*readersEach,
					lin.LevelLinearizable)
			}
		}
	}
}

// checkVacuity fails a run that showed nothing.
func (s *simulation) checkVacuity() {
	switch {
	case s.result.Committed == 0:
		s.fail(FailVacuous, "nothing was committed")
	case !s.options.Calm && len(s.result.Injected) == 0:
		s.fail(FailVacuous, "no fault was injected")
	case s.result.Comparisons == 0 && len(s.processes) > 1:
		s.fail(FailVacuous, "no op was executed by two replicas")
	}
}
