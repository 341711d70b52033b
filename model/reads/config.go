package reads

import "fmt"

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// ReplicasMax is the largest group.
	ReplicasMax = 6
	// OpMax is the longest log, ViewMax the highest view.
	OpMax, ViewMax = 3, 3
	// ReadMax is the most reads, TickMax the most ticks of a clock.
	ReadMax, TickMax = 3, 3

	viewsMax = ViewMax + 1
)

// Config holds the constants of Reads.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas.
	N int
	// MaxOp is the length of a log, MaxView the highest view, MaxRead the number of reads,
	// MaxTick that of the ticks of each replica's clock.
	MaxOp, MaxView, MaxRead, MaxTick int
	// Local lets replicas answer reads from what they have executed.
	Local bool
	// Asking lets backups answer reads by an index that they ask the primary for.
	Asking bool
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
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxView", c.MaxView, 0, ViewMax},
		{"MaxRead", c.MaxRead, 0, ReadMax},
		{"MaxTick", c.MaxTick, 0, TickMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Reads: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if b < 1 || b > bugMax {
			return fmt.Errorf("Reads: bug %d, expected 1 to %d", b, bugMax)
		}
	}
	return nil
}

// replication is Reads!Replication: how many must hold an op before it is committed,
// and confirm a view before a read is answered.
func (c Config) replication() int {
	if c.N == 2 {
		return 2
	}
	return min(3, (c.N+1)/2)
}

// viewChange is Reads!ViewChange: how many votes start a view.
func (c Config) viewChange() int {
	if c.N == 2 {
		return 2
	}
	return c.N - c.replication() + 1
}

// primary is Reads!Primary.
func (c Config) primary(view uint8) int { return int(view) % c.N }
