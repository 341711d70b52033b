package vsr

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Timers are all periods of a replica, in ticks; each must be positive. Intervals that repeat
// back off exponentially with jitter, up to 16 times the base.
type Timers struct {
	// PrepareTicks is how long a primary waits for PrepareOKs before it sends a prepare again
	// to each replica that lacks it (R10), and for the confirmations of a read's round (R19).
	PrepareTicks int
	// CommitTicks is the period of a primary's Commit, which is its heartbeat.
	CommitTicks int
	// HeartbeatTicks is how long a backup does without a sign of its primary.
	HeartbeatTicks int
	// ViewChangeTicks is how often StartViewChange and DoViewChange are sent again.
	ViewChangeTicks int
	// ViewChangeStatusTicks is how long a view change may take before the next view is tried.
	ViewChangeStatusTicks int
	// ProbeTicks is how often a recovering replica asks for the view's log.
	ProbeTicks int
	// ProbeAttempts is how many probes go unanswered before it starts a view change instead;
	// zero stands for [ProbeAttemptsMax].
	ProbeAttempts int
	// RepairTicks is how often missing bodies are asked for again (R9).
	RepairTicks int
}

// DefaultTimers are upstream's, for ticks of 10 ms.
func DefaultTimers() Timers {
	return Timers{
		PrepareTicks: 25, CommitTicks: 50, HeartbeatTicks: 500, ViewChangeTicks: 50,
		ViewChangeStatusTicks: 500, ProbeTicks: 100, ProbeAttempts: ProbeAttemptsMax,
		RepairTicks: 100,
	}
}

// withDefaults fills in what may be zero.
func (t Timers) withDefaults() Timers {
	if t.ProbeAttempts == 0 {
		t.ProbeAttempts = ProbeAttemptsMax
	}
	return t
}

// Limits of one replica.
const (
	// ReplicaCountMax bounds the replicas of a group.
	ReplicaCountMax = 7
	// ProbeAttemptsMax is how many probes go unanswered, by default, before a recovering replica
	// starts a view change.
	ProbeAttemptsMax = 5
	// backoffMax bounds the exponential backoff, as a factor of the base interval.
	backoffMax = 16
)

// Config says who a replica is. It does not change while the replica lives.
type Config struct {
	Cluster wire.ClusterID
	Group   wire.GroupID
	Replica wire.ReplicaID
	// ReplicaCount is the number of replicas of the group, 1 to [ReplicaCountMax].
	ReplicaCount int
	// Policy is what an acknowledgement promises; zero stands for [PolicyPersisted].
	Policy Policy
	Timers Timers
	Limits Limits
	// Incarnation is this boot's random nonzero number (R4).
	Incarnation wire.Incarnation
	// Suffix is how many headers of the log a StartView and a vote carry at least, besides all
	// that may be uncommitted; zero stands for [DefaultSuffix]. Whoever has fewer ops than that
	// to catch up needs no further round.
	Suffix int
	// Seed feeds the jitter of timers.
	Seed uint64
	// RecordEvents fills Output.Events.
	RecordEvents bool
	// Defects breaks rules on purpose: for the twins of scenarios, which must fail.
	Defects Defects
}

func (c *Config) validate() error {
	if c.ReplicaCount < 1 || c.ReplicaCount > ReplicaCountMax {
		return fmt.Errorf("replica count %d: expected 1 to %d", c.ReplicaCount, ReplicaCountMax)
	}
	if c.Policy > PolicyReplicated {
		return fmt.Errorf("policy %d: expected persisted or replicated", c.Policy)
	}
	if int(c.Replica) >= c.ReplicaCount {
		return fmt.Errorf("replica %d: expected 0 to %d", c.Replica, c.ReplicaCount-1)
	}
	if c.Suffix == 0 {
		c.Suffix = DefaultSuffix
	}
	if c.Suffix < 0 {
		return fmt.Errorf("suffix %d: expected at least 1 header", c.Suffix)
	}
	if c.Incarnation.IsZero() {
		return errors.New("incarnation: expected a nonzero number")
	}
	if err := c.Limits.validate(); err != nil {
		return err
	}
	t := c.Timers
	if t.ProbeAttempts < 0 {
		return fmt.Errorf("probe attempts %d: expected at least 1", t.ProbeAttempts)
	}
	periods := []int{
		t.PrepareTicks, t.CommitTicks, t.HeartbeatTicks, t.ViewChangeTicks,
		t.ViewChangeStatusTicks, t.ProbeTicks, t.RepairTicks,
	}
	for _, ticks := range periods {
		if ticks <= 0 {
			return fmt.Errorf("timers %+v: expected positive ticks", t)
		}
	}
	return nil
}

// Recovered is what a replica's storage holds when it boots.
type Recovered struct {
	// Formatted says that the storage has an identity and nothing else: the replica starts in
	// view 0, status normal. Otherwise it recovers.
	Formatted bool
	// View is the superblock's; LogView is the newest state record's. The WAL counts where it
	// is ahead (R2).
	View, LogView wire.View
	// Base is the identity of the op up to which the newest durable snapshot holds the state;
	// zero if there is none. The replica has executed up to there.
	Base wire.PrepareID
	// Timestamp is that of the prepare at Base, in the log's time; zero if there is none.
	Timestamp uint64
	// LogBase is the newest state record's base, the identity below Headers. Zero stands for
	// Base, or for what the first header says.
	LogBase wire.PrepareID
	// Headers is the log above LogBase: the newest state record's, and the prepares that
	// extend it. It may reach below Base, or begin above it if the log has a hole (R11).
	Headers []wire.PrepareHeader
	// Stored lists the prepares whose bodies can be read, in any order.
	Stored []wire.PrepareID
	// Untrusted says that the log may lack ops that this replica acknowledged (R15): it will
	// not count towards a view change quorum until it has adopted the log of a view.
	Untrusted bool
	// Wiped says that the replica has no durable identity in a cluster that has one: its disk
	// was lost or replaced (R16). It has forgotten what it promised, so that it takes no part
	// in any quorum until it has adopted the log of a current view; its log is untrusted too.
	// The mark is durable until then.
	Wiped bool
	// Faulty lists the prepares whose records are rotten, in any order; Doubtful those that
	// the newest state record says are in doubt.
	Faulty, Doubtful []wire.PrepareID
}
