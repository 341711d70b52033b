package partitions

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Counts says how much was compared. A comparison that counted nothing showed nothing.
type Counts struct {
	// Steps are those of all paths, Boots the logs that were opened, Reads the bodies asked for.
	Steps, Boots, Reads int
	// Torn are the boots that found bytes which they did not adopt, Doubts those whose log was in
	// doubt.
	Torn, Doubts int
}

// Add adds what another cluster has counted.
func (c *Counts) Add(more Counts) {
	c.Steps += more.Steps
	c.Boots += more.Boots
	c.Reads += more.Reads
	c.Torn += more.Torn
	c.Doubts += more.Doubts
}

// Mismatch is where code and model part.
type Mismatch struct {
	Step   int
	Action string
	// What is compared, and what the two have.
	What, Model, Code string
}

// Error is the mismatch on one line.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("step %d, %s: %s: model %s, code %s", m.Step, m.Action, m.What, m.Model,
		m.Code)
}

// Cluster has the logs of the model's replicas.
type Cluster struct {
	Counts

	config   model.Config
	recovery wal.Recovery
	replicas []*replica
	boots    uint64
}

// NewCluster returns the logs of the model's initial state. Any recovery but
// [wal.RecoverVerified] is a defect.
//
// Errors: the first boots'.
func NewCluster(config model.Config, recovery wal.Recovery) (*Cluster, error) {
	c := &Cluster{config: config, recovery: recovery}
	for r := range config.N {
		c.replicas = append(c.replicas, newReplica(uint64(r)))
		if _, err := c.boot(r); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Cluster) boot(r int) (wal.Report, error) {
	c.boots++
	return c.replicas[r].open(c.boots, c.recovery)
}

// Follow takes the steps of a path, from the initial state on. The error is a [*Mismatch]
// where the logs differ from the model, or the disk's.
func (c *Cluster) Follow(path Path) error {
	for i := 1; i < len(path); i++ {
		before, after, a := &path[i-1].State, &path[i].State, path[i].Action
		c.Steps++
		err := c.act(a, before, after)
		if err == nil {
			err = c.compare(after)
		}
		var m *Mismatch
		if errors.As(err, &m) {
			m.Step, m.Action = i, a.String()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// act does what an action does to the logs.
func (c *Cluster) act(a model.PartitionAction, before, after *model.PartitionState) error {
	r := int(a.Replica)
	switch a.Kind {
	case model.AppendPrepare, model.Replicate:
		return nil // In memory.
	case model.WriteLog:
		return c.replicas[r].write(before, r, int(before.Written[r]))
	case model.PublishFrontier:
		return c.replicas[r].log.Sync()
	case model.Kill, model.PowerLoss:
		for r, replica := range c.replicas {
			if has(a.Members, r) {
				if err := replica.crash(a, before, r); err != nil {
					return err
				}
			}
		}
		return nil
	case model.Restart:
		return c.restart(before, after)
	case model.ElectPrimary:
		for r := range c.replicas {
			if has(before.Up, r) {
				if err := c.adopt(r, a.Group, before, after); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return fmt.Errorf("follow %s: no such action", a)
}

// restart opens the logs that are closed, and has them adopt where there is a primary.
func (c *Cluster) restart(before, after *model.PartitionState) error {
	for r := range c.replicas {
		if has(before.Up, r) {
			continue
		}
		report, err := c.boot(r)
		if err != nil {
			return err
		}
		c.Boots++
		if len(report.Discarded) > 0 {
			c.Torn++
		}
		doubt := report.InDoubt(groupOf(model.Replicated), false)
		if doubt {
			c.Doubts++
		}
		if want := has(before.InDoubt, r); slices.Contains(c.config.Policies, model.Replicated) &&
			doubt != want {
			return &Mismatch{
				What:  fmt.Sprintf("r%d: the log of the replicated group is in doubt", r),
				Model: fmt.Sprint(want), Code: fmt.Sprint(doubt),
			}
		}
		for _, g := range c.config.Policies {
			if int(before.Primary[g-1]) == c.config.N {
				continue
			}
			if err := c.adopt(r, g, before, after); err != nil {
				return err
			}
		}
	}
	return nil
}

// adopt makes the log that the model has after its step that of a replica: bodies first, which
// the clients' requests have (the sender's part is not the disk's), then what counts.
func (c *Cluster) adopt(r int, g model.Policy, before, after *model.PartitionState) error {
	replica := c.replicas[r]
	want := of(after, r, g)
	for at := int(before.Written[r]); has(before.Up, r) && at < int(before.Log[r].Len); at++ {
		p := before.Log[r].Prepares[at]
		if p != 0 && (before.Made[p-1].Group != g || slices.Contains(want, p)) {
			if err := replica.write(before, r, at); err != nil {
				return err
			}
		}
	}
	return replica.adopt(g, wire.View(after.LogView[r][g-1]), want)
}

// compare looks for a difference at the replicas that run.
func (c *Cluster) compare(s *model.PartitionState) error {
	for r, replica := range c.replicas {
		if !has(s.Up, r) {
			continue
		}
		written := s.Log[r].Prepares[:s.Written[r]]
		if slices.Contains(written, 0) {
			return &Mismatch{
				What: fmt.Sprintf("r%d: a record that fails to verify", r), Model: "kept", Code: "none",
			}
		}
		for _, g := range c.config.Policies {
			want := only(s, written, g)
			if got := replica.groups[g].prepares; !slices.Equal(got, want) {
				return &Mismatch{
					What:  fmt.Sprintf("r%d: the log of the %s group", r, g),
					Model: fmt.Sprintf("%d", want), Code: fmt.Sprintf("%d", got),
				}
			}
			for i, p := range want {
				c.Reads++
				body, err := replica.log.Read(groupOf(g), idOf(i+1, p))
				if err != nil || !bytes.Equal(body, bodyOf(p)) {
					return &Mismatch{
						What:  fmt.Sprintf("r%d: the body of op %d of the %s group", r, i+1, g),
						Model: "stored", Code: fmt.Sprint(err),
					}
				}
			}
		}
	}
	return nil
}

func has(set model.ReplicaSet, r int) bool { return set&(1<<r) != 0 }

// of is what the WAL of r holds of a group, at any depth.
func of(s *model.PartitionState, r int, g model.Policy) []uint8 {
	return only(s, s.Log[r].Prepares[:s.Log[r].Len], g)
}

// only are the prepares of a group.
func only(s *model.PartitionState, prepares []uint8, g model.Policy) []uint8 {
	var own []uint8
	for _, p := range prepares {
		if p != 0 && s.Made[p-1].Group == g {
			own = append(own, p)
		}
	}
	return own
}
