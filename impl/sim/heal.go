package sim

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

const (
	// healTicksMax bounds the healed phase. It covers, one after the other: the longest delay
	// of a packet or write, the probes of a recovering replica (five intervals of up to 24
	// times its timer), the longest backoff of a repair, and ten elections. Seeds need up to
	// some 1,500.
	healTicksMax = 5000
	// healTicksPerOp is added for each committed op: where no checkpoints are taken a restarted
	// replica executes all of them again.
	healTicksPerOp = 2
	// healedRequests is how many requests, begun after the faults, each client must see
	// answered.
	healedRequests = 2
)

// heal ends all faults: every link works, every replica is up within a few ticks.
func (s *simulation) heal() {
	s.healed = true
	s.result.HealedAt = s.schedule.now
	s.network.heal()
	s.plan.cure()
	s.patienceTicks = healTicksMax + healTicksPerOp*len(s.check.committed)
	for replica := range s.processes {
		s.processes[replica].pausedUntil = 0
		s.schedule.after(s.random.between(1, 20), event{kind: eventRestart, replica: replica})
	}
}

// wantsRequest reports whether a client should begin another request.
func (s *simulation) wantsRequest(c *client) bool {
	if s.healed {
		return c.answered < healedRequests
	}
	return s.options.Requests == 0 || s.history.begun < s.options.Requests
}

// settled reports whether the healed cluster has done all that it owes. If it has not within
// its time, the run fails: rule R10, property NoStall.
func (s *simulation) settled() bool {
	owed := s.owed()
	if owed == "" {
		return true
	}
	if s.schedule.now-s.result.HealedAt < s.patienceTicks {
		return false
	}
	s.fail(FailStalled, "%d ticks after the last fault %s; %s", s.patienceTicks, owed, s.states())
	return false
}

// owed returns what the cluster still owes, or nothing.
func (s *simulation) owed() string {
	for _, c := range s.clients {
		if c.busy || c.answered < healedRequests {
			return fmt.Sprintf("client %d has %d of %d requests answered", c.place, c.answered,
				healedRequests)
		}
	}
	first := s.check.state(0)
	for replica := range s.processes {
		state := s.check.state(replica)
		switch {
		case !s.cluster.Up(replica):
			return fmt.Sprintf("replica %d is down", replica)
		case state.Status != vsr.StatusNormal || state.View != first.View:
			return fmt.Sprintf("replica %d is not in one view with replica 0", replica)
		case state.CommitMin != state.OpHead || state.OpHead != first.OpHead:
			return fmt.Sprintf("replica %d has not executed the whole log", replica)
		case state.HeadChecksum != first.HeadChecksum:
			return fmt.Sprintf("replica %d has another log than replica 0", replica)
		}
	}
	return ""
}

// states says in one line where each replica stands.
func (s *simulation) states() string {
	var b strings.Builder
	for replica := range s.processes {
		if replica > 0 {
			b.WriteString("; ")
		}
		if !s.cluster.Up(replica) {
			fmt.Fprintf(&b, "r%d down", replica)
			continue
		}
		state := s.cluster.State(replica)
		fmt.Fprintf(&b, "r%d %s view=%d log_view=%d head=%d commit=%d/%d hollow=%v stop=%s",
			replica, state.Status, state.View, state.LogView, state.OpHead, state.CommitMin,
			state.CommitMax, state.Hollow, state.Stop)
	}
	return b.String()
}

// finish judges the run as a whole.
func (s *simulation) finish() error {
	r := s.result
	r.Ticks, r.Committed = s.schedule.now, len(s.check.committed)
	s.compareMachines()
	for _, c := range s.clients {
		if c.busy {
			c.leaveOpen()
		}
	}
	if s.options.Trace != nil && s.options.Trace.Err() != nil {
		return s.options.Trace.Err()
	}
	if s.options.History != nil {
		if err := s.history.write(s.options.History); err != nil {
			return err
		}
	}
	if r.Failure == nil {
		if err := s.judgeHistory(); err != nil {
			return err
		}
	}
	s.checkVacuity()
	r.Passed = r.Failure == nil
	return nil
}

// judgeHistory fails the run if what the clients saw is not linearizable.
func (s *simulation) judgeHistory() error {
	violation, undecided, err := s.history.judge()
	if err != nil {
		return err
	}
	s.result.Undecided = undecided
	if violation != "" {
		s.fail(FailHistory, "%s", violation)
	}
	return nil
}

// compareMachines compares what the replicas have executed in the end.
func (s *simulation) compareMachines() {
	if s.result.Failure != nil {
		return
	}
	want := s.cluster.Machine(0).Checksum()
	for replica := range s.processes {
		if got := s.cluster.Machine(replica).Checksum(); got != want {
			s.fail(FailState, "replica %d ends in another state than replica 0", replica)
		}
	}
}

// checkVacuity fails a run that showed nothing.
func (s *simulation) checkVacuity() {
	switch {
	case s.result.Committed == 0:
		s.fail(FailVacuous, "nothing was committed")
	case s.options.Faults != FaultsNone && len(s.result.Injected) == 0:
		s.fail(FailVacuous, "faults are %s and none was injected", s.options.Faults)
	case s.result.Comparisons == 0 && s.options.Replicas > 1:
		s.fail(FailVacuous, "no op was executed by two replicas")
	}
}
