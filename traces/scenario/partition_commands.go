package scenario

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wal"
)

// partitionCommands are the commands for a partition of logs; doc.go describes them.
var partitionCommands = map[string]func(s *stage, c command) error{
	"partition":   (*stage).startPartition,
	"append":      (*stage).appendBatches,
	"kill_all":    onPartition(func(p *PartitionCluster, _ command) error { return p.KillAll() }),
	"power_loss":  onPartition(powerLoss),
	"restart_all": onPartition(func(p *PartitionCluster, _ command) error { return p.Restart() }),
	"publish": onPartition(func(p *PartitionCluster, _ command) error {
		return p.PublishFrontier()
	}),
	"poll": (*stage).poll,
}

// onPartition makes a handler of a step of the partition, which prints the step's events.
func onPartition(step func(p *PartitionCluster, c command) error) func(*stage, command) error {
	return func(s *stage, c command) error {
		if s.partition == nil {
			return fmt.Errorf("command %q: expected partition first", c.name)
		}
		before := len(s.partition.EventLog())
		if err := step(s.partition, c); err != nil {
			return err
		}
		s.out = append(s.out, s.partition.EventLog()[before:]...)
		return nil
	}
}

func powerLoss(p *PartitionCluster, c command) error {
	name, torn := c.lookup("torn")
	if !torn {
		return p.PowerLossAll()
	}
	tear, err := ParseTear(name)
	if err != nil {
		return err
	}
	return p.PowerLossTorn(tear)
}

func (s *stage) startPartition(c command) error {
	config := PartitionConfig{Seed: 1}
	policy, _ := c.lookup("policy")
	var err error
	if config.Policy, err = ParsePartitionPolicy(policy); err != nil {
		return err
	}
	if name, ok := c.lookup("recovery"); ok {
		if config.Recovery, err = wal.ParseRecovery(name); err != nil {
			return err
		}
	}
	_, config.FirstNotLongest = c.lookup("first_not_longest")
	partition, err := NewPartitionCluster(config)
	if err != nil {
		return err
	}
	*s = stage{out: s.out, partition: partition}
	s.out = append(s.out, partition.EventLog()...)
	return nil
}

func (s *stage) appendBatches(c command) error {
	n, err := c.number("n", 1)
	if err != nil {
		return err
	}
	bytes, err := c.number("bytes", 317)
	if err != nil {
		return err
	}
	return onPartition(func(p *PartitionCluster, _ command) error {
		return p.Append(n, bytes)
	})(s, c)
}

func (s *stage) poll(c command) error {
	if s.partition == nil {
		return fmt.Errorf("command %q: expected partition first", c.name)
	}
	want, err := c.number("want", s.partition.Acknowledged())
	if err != nil {
		return err
	}
	before := len(s.partition.EventLog())
	readable := s.partition.Poll()
	s.out = append(s.out, s.partition.EventLog()[before:]...)
	if readable != want {
		s.print("FAILED: %d of %d acknowledged batches readable, expected %d", readable,
			s.partition.Acknowledged(), want)
	}
	return nil
}
