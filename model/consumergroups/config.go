package consumergroups

import "fmt"

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// ReplicasMax is the largest group of replicas, ClientsMax the largest number of clients.
	ReplicasMax, ClientsMax = 3, 3
	// PartitionsMax is the most partitions, OpMax the longest log, RestartMax the most
	// restarts.
	PartitionsMax, OpMax, RestartMax = 4, 6, 3

	// dealtMax has room for the mutants whose replicas differ.
	dealtMax = 3 * OpMax
)

// Config holds the constants of ConsumerGroups.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas, Clients that of clients, Capacity that of the rows of the
	// client table.
	N, Clients, Capacity int
	// Partitions is the number of partitions before any change, which goes up to
	// MaxPartitions; with 0 there is none.
	Partitions, MaxPartitions int
	// MaxOp is the length of the log, MaxRestart the number of restarts.
	MaxOp, MaxRestart int
	// Logouts lets sessions be logged out.
	Logouts bool
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
		{"Clients", c.Clients, 1, ClientsMax},
		{"Capacity", c.Capacity, 1, ClientsMax},
		{"Partitions", c.Partitions, 0, PartitionsMax},
		{"MaxPartitions", c.MaxPartitions, 0, PartitionsMax},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxRestart", c.MaxRestart, 0, RestartMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("ConsumerGroups: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if b < 1 || b > bugMax {
			return fmt.Errorf("ConsumerGroups: bug %d, expected 1 to %d", b, bugMax)
		}
	}
	return nil
}
