package transfer

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
	OpMax, ViewMax = 4, 3
	// ChunksMax is the largest number of chunks of a checkpoint.
	ChunksMax = 2
	// CountMax bounds the numbers of restarts and of checkpoints.
	CountMax = 9
)

// Config holds the constants of Transfer.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas.
	N int
	// MaxRequest bounds the requests, MaxView the views.
	MaxRequest, MaxView int
	// MaxCrash bounds the restarts, MaxCheckpoint the local checkpoints, of any replicas.
	MaxCrash, MaxCheckpoint int
	// MaxPipeline is how many ops a primary prepares above its commit max. MaxSuffix is
	// how many headers, the highest, a StartView carries.
	MaxPipeline, MaxSuffix int
	// MaxWindow is how many missing bodies a replica asks for at a time.
	MaxWindow int
	// Chunks is the number of pieces in which a checkpoint is fetched.
	Chunks int
	// PrepareDuring lets a transferring replica take prepares and acknowledge. Retain lets a
	// sender keep the checkpoint that it serves. LateStartViews lets the StartView of a
	// view arrive at any time later. WrongSender makes senders offer their head.
	PrepareDuring, Retain, LateStartViews, WrongSender bool
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
		{"MaxRequest", c.MaxRequest, 0, OpMax},
		{"MaxView", c.MaxView, 0, ViewMax},
		{"MaxCrash", c.MaxCrash, 0, CountMax},
		{"MaxCheckpoint", c.MaxCheckpoint, 0, CountMax},
		{"MaxPipeline", c.MaxPipeline, 1, CountMax},
		{"MaxSuffix", c.MaxSuffix, 1, CountMax},
		{"MaxWindow", c.MaxWindow, 1, CountMax},
		{"Chunks", c.Chunks, 1, ChunksMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Transfer: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if !slices.Contains(Bugs(), b) {
			return fmt.Errorf("Transfer: unknown bug %q, expected one of %v", b, Bugs())
		}
	}
	if n := countEntries(c.MaxRequest, c.MaxView); n > entriesMax {
		return fmt.Errorf("Transfer: %d requests in views 0 to %d make %d entries, "+
			"expected at most %d", c.MaxRequest, c.MaxView, n, entriesMax)
	}
	return nil
}

// replicationQuorum is Transfer!ReplicationQuorum.
func (c Config) replicationQuorum() int {
	if c.N == 2 {
		return 2
	}
	return min(3, (c.N+1)/2)
}

// viewChangeQuorum is Transfer!ViewChangeQuorum.
func (c Config) viewChangeQuorum() int {
	if c.N == 2 {
		return 2
	}
	return c.N - c.replicationQuorum() + 1
}
