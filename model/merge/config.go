package merge

import (
	"fmt"
	"slices"
)

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// ReplicasMax is the largest group.
	ReplicasMax = 5
	// OpMax is the longest log, ViewMax the highest view.
	OpMax, ViewMax = 3, 4
	// WipeMax is the most replicas that lose their disk.
	WipeMax = 2
	// countMax bounds what else is counted.
	countMax = 9

	viewsMax = ViewMax + 1
	// votesMax: a wiped replica may vote a second time for a view.
	votesMax = ReplicasMax + WipeMax
)

// ParsePolicy reads what [Policy.String] writes.
func ParsePolicy(text string) (Policy, error) {
	for _, p := range []Policy{Persisted, Replicated} {
		if p.String() == text {
			return p, nil
		}
	}
	return 0, fmt.Errorf("policy %q: expected %q or %q", text, Persisted, Replicated)
}

// Config holds the constants of Merge.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas.
	N int
	// Policy is what an acknowledgement promises.
	Policy Policy
	// Together: the first votes of a view are those of a quorum, in one step; not only
	// for brevity where replicas are wiped (R16). OneSlot: a
	// fetched body displaces that of another entry of its op. CommitKept: commit numbers
	// survive a restart. SpareCopy: no fault takes the last copy of a committed op. Bases:
	// a StartView's log may begin above a committed op.
	Together, OneSlot, CommitKept, SpareCopy, Bases bool
	// MaxOp is the longest log, MaxView the highest view, MaxRequest bounds the requests.
	MaxOp, MaxView, MaxRequest int
	// MaxRot bounds bodies that become unreadable, MaxRestart the restarts with a trusted
	// log, MaxPower those with an untrusted one, of which MaxLoss lose something, MaxWipe
	// the replicas that lose their disk.
	MaxRot, MaxRestart, MaxPower, MaxLoss, MaxWipe int
	// Bugs are the mutants switched on; none for the clean model.
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c Config) Validate() error {
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"N", c.N, 1, ReplicasMax},
		{"Policy", int(c.Policy), int(Persisted), int(Replicated)},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxView", c.MaxView, 0, ViewMax},
		{"MaxRequest", c.MaxRequest, 0, countMax},
		{"MaxRot", c.MaxRot, 0, countMax},
		{"MaxRestart", c.MaxRestart, 0, countMax},
		{"MaxPower", c.MaxPower, 0, countMax},
		{"MaxLoss", c.MaxLoss, 0, countMax},
		{"MaxWipe", c.MaxWipe, 0, WipeMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Merge: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	if c.MaxWipe > 0 && !c.Together {
		return fmt.Errorf("Merge: MaxWipe is %d without Together, expected 0: "+
			"what a wiped replica may adopt rests on it", c.MaxWipe)
	}
	for _, b := range c.Bugs {
		if !slices.Contains(Bugs(), b) {
			return fmt.Errorf("Merge: unknown bug %q, expected one of %v", b, Bugs())
		}
	}
	return nil
}
