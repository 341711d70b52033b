package storage

import (
	"fmt"
	"slices"
)

// Bounds of [Config] that the compact state can hold.
const (
	// ReplicasMax is the largest cluster.
	ReplicasMax = 5
	// OpMax is the largest number of prepares. Digits of labels rely on it being below 10.
	OpMax = 8
	// CrashMax is the largest number of crashes.
	CrashMax = 9
	// policies is the number of policies, and so of groups.
	policies = 2
)

// Bug is a deliberate defect: a mutant, which an invariant must catch. The values are
// the names in BugNames of PartitionLog.tla and of JournalDisk.tla.
type Bug string

// The mutants of PartitionLog.tla.
const (
	// TruncateToFrontier makes recovery drop what lies above the published frontier:
	// seed 003. Breaks KillSafe.
	TruncateToFrontier Bug = "truncate_to_frontier"
	// AdoptTorn makes recovery leave a record in the WAL that fails to verify. Breaks
	// NoTorn, and SyncSafe at the next boot.
	AdoptTorn Bug = "adopt_torn"
	// AdoptPastHole makes it skip that record and read on. Breaks NoGap.
	AdoptPastHole Bug = "adopt_past_hole"
	// FirstNotLongest makes the election take the log of any voter. Breaks KillSafe
	// and SyncSafe.
	FirstNotLongest Bug = "first_not_longest"
	// OneSurvivorIsEnough makes one vote elect. Breaks KillSafe.
	OneSurvivorIsEnough Bug = "one_survivor_is_enough"
	// NackAfterRestart makes votes after a power loss count towards the quorum (R15).
	// Breaks DoubtSafe.
	NackAfterRestart Bug = "nack_after_restart"
	// AcknowledgedInMemory makes replicas acknowledge what they only hold in memory.
	// Breaks KillSafe.
	AcknowledgedInMemory Bug = "acknowledged_in_memory"
	// PolicyOfFirstRecord makes the first record of a batch say when all of it is
	// acknowledged. Breaks SyncSafe.
	PolicyOfFirstRecord Bug = "policy_of_first_record"
	// FlushSkipsReplicated makes a flush leave out the records that need none. Breaks
	// SyncSafe.
	FlushSkipsReplicated Bug = "flush_skips_replicated"
	// CutTakesOtherGroups makes the cut of one group's log truncate the WAL. Breaks
	// SyncSafe.
	CutTakesOtherGroups Bug = "cut_takes_other_groups"
)

// Bugs returns all mutants of PartitionLog.tla, in the order of its BugNames.
func Bugs() []Bug {
	return []Bug{
		TruncateToFrontier, AdoptTorn, AdoptPastHole, FirstNotLongest, OneSurvivorIsEnough,
		NackAfterRestart, AcknowledgedInMemory, PolicyOfFirstRecord, FlushSkipsReplicated,
		CutTakesOtherGroups,
	}
}

// Config holds the constants of PartitionLog.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas, 1 to ReplicasMax.
	N int
	// MaxOp is the number of prepares that are ever made, of all groups, 0 to OpMax.
	MaxOp int
	// MaxCrash is the number of crashes, 0 to CrashMax. Each takes any set of replicas.
	MaxCrash int
	// Policies are those of the groups: one group for each, in ascending order.
	Policies []Policy
	// Bugs are the mutants switched on; none for the clean model.
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c Config) Validate() error {
	for _, bound := range []struct {
		name        string
		value, from int
		to          int
	}{
		{"N", c.N, 1, ReplicasMax},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxCrash", c.MaxCrash, 0, CrashMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("PartitionLog: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for i, p := range c.Policies {
		if p < Persisted || p > Replicated || i > 0 && p <= c.Policies[i-1] {
			return fmt.Errorf("PartitionLog: Policies are %v, expected %s or %s or both, "+
				"in this order", c.Policies, Persisted, Replicated)
		}
	}
	for _, b := range c.Bugs {
		if !slices.Contains(Bugs(), b) {
			return fmt.Errorf("PartitionLog: unknown bug %q, expected one of %v", b, Bugs())
		}
	}
	return nil
}

// has reports whether a mutant is switched on.
func (c Config) has(b Bug) bool { return slices.Contains(c.Bugs, b) }

// quorumMajority is PartitionLog!QuorumMajority.
func (c Config) quorumMajority() int { return c.N/2 + 1 }

// all is PartitionLog!Replicas.
func (c Config) all() ReplicaSet { return 1<<c.N - 1 }
