package retention

import "fmt"

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// ReplicasMax is the largest group, ConsumersMax the largest number of consumers.
	ReplicasMax, ConsumersMax = 3, 2
	// OpMax is the longest log, SegmentMax the most messages in a segment.
	OpMax, SegmentMax = 7, 3
	// PurgeMax is the most purges, RestartMax the most restarts.
	PurgeMax, RestartMax = 3, 3
	// KeepMax bounds what retention keeps.
	KeepMax = 9

	// filesMax has room for the mutants that begin again at offset 0.
	filesMax = 2 * OpMax
)

// Config holds the constants of Retention.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas, Segment that of the messages in a full segment.
	N, Segment int
	// Kinds are the ops that commit, beside sends, in the order of the constants.
	Kinds []Kind
	// Age and Size are what retention keeps: what is younger, and so many messages. Zero
	// keeps all. With Hold it drops nothing that a consumer has not read.
	Age, Size int
	Hold      bool
	// Consumers is the number of consumers.
	Consumers int
	// MaxOp is the length of the log, MaxPurge the highest generation of a purge, MaxRestart
	// the number of restarts.
	MaxOp, MaxPurge, MaxRestart int
	// Polls lets a consumer poll once.
	Polls bool
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
		{"Segment", c.Segment, 1, SegmentMax},
		{"Age", c.Age, 0, KeepMax},
		{"Size", c.Size, 0, KeepMax},
		{"Consumers", c.Consumers, 0, ConsumersMax},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxPurge", c.MaxPurge, 0, PurgeMax},
		{"MaxRestart", c.MaxRestart, 0, RestartMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Retention: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, k := range c.Kinds {
		if k <= Send || k > Advance {
			return fmt.Errorf("Retention: op of kind %d, expected %d to %d", k, Retain, Advance)
		}
	}
	for _, b := range c.Bugs {
		if b < 1 || b > bugMax {
			return fmt.Errorf("Retention: bug %d, expected 1 to %d", b, bugMax)
		}
	}
	return nil
}
