package storage

import (
	"fmt"
	"slices"
)

// Bounds of [Config] that the compact state can hold.
const (
	// ReplicasMax is the largest group.
	ReplicasMax = 5
	// OpMax is the largest number of prepares. Digits of labels rely on it being below 10.
	OpMax = 8
	// CrashMax is the largest number of crashes of the whole cluster.
	CrashMax = 9
)

// Bug is a deliberate defect of recovery or of the election: a mutant, which an
// invariant must catch. The values are the names in PartitionLog!BugNames.
type Bug string

// The mutants of PartitionLog.tla.
const (
	// TruncateToFrontier makes recovery drop what lies above the published frontier:
	// seed 003. Breaks KillSafe.
	TruncateToFrontier Bug = "truncate_to_frontier"
	// AdoptTorn makes recovery adopt a record that fails to verify. Breaks NoTorn.
	AdoptTorn Bug = "adopt_torn"
	// FirstNotLongest makes the election take the log of any voter. Breaks KillSafe
	// and SyncSafe.
	FirstNotLongest Bug = "first_not_longest"
)

// Bugs returns all mutants, in the order of PartitionLog!BugNames.
func Bugs() []Bug { return []Bug{TruncateToFrontier, AdoptTorn, FirstNotLongest} }

// Config holds the constants of PartitionLog.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas, 1 to ReplicasMax.
	N int
	// MaxOp is the number of prepares that are ever made, 0 to OpMax.
	MaxOp int
	// MaxCrash is the number of crashes of the whole cluster, 0 to CrashMax.
	MaxCrash int
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
