package retention

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/retention"
)

// Path is a path of the model: an initial state and then a step at a time.
type Path = []explore.Step[model.State, model.Action]

// Mismatch is a step after which machine and model differ.
type Mismatch struct {
	Step    int
	Action  string
	Replica int
	What    string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("step %d, %s: replica %d: %s", m.Step, m.Action, m.Replica, m.What)
}

// Counts say how much was compared.
type Counts struct {
	Steps, Executed, Polls, Restored, Checksums int
}

// Add adds what another group has counted.
func (c *Counts) Add(more Counts) {
	c.Steps += more.Steps
	c.Executed += more.Executed
	c.Polls += more.Polls
	c.Restored += more.Restored
	c.Checksums += more.Checksums
}

// Group is the machines of a group of replicas.
type Group struct {
	// Counts is what it has compared so far.
	Counts Counts

	config   model.Config
	machines []*partition.Machine
	configs  []partition.Config
	message  []byte // The body of a send.
	bytes    uint64 // What a message takes in a segment.
	// snapshot and pending are replica 0's: that of the checkpoint, and the one to come.
	snapshot, pending []byte
}

// NewGroup returns machines that have executed nothing.
//
// Errors: a message that cannot be made.
func NewGroup(c model.Config, defect partition.Defect) (*Group, error) {
	g := &Group{config: c}
	var b batch.Builder
	if err := b.Append(batch.Message{Timestamp: 1, Payload: []byte("payload")}); err != nil {
		return nil, fmt.Errorf("make a message: %w", err)
	}
	g.bytes = uint64(segment.BatchHeaderBytes + len(b.Bytes()))
	g.message = protocol.MustAppend(nil, &protocol.Send{
		Stream: protocol.ID(1), Topic: protocol.ID(1),
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition, Partition: 1},
		Messages:     1, Batch: b.Bytes(),
	})
	for r := range c.N {
		config := partition.Config{
			Stream: 1, Topic: 1, Partition: 1, PollBytes: 1 << 20, Defect: defect,
			Segments: segment.Config{
				Directory: "segments", Group: 1, IndexBytes: 400,
				SegmentBytes: int64(c.Segment) * int64(g.bytes),
			},
		}
		if r == 0 {
			config.Disk = memdisk.New(1)
		}
		g.configs = append(g.configs, config)
		g.machines = append(g.machines, partition.New(config))
	}
	return g, nil
}

// Follow takes the steps of a path and compares after each.
//
// Errors: a [*Mismatch]; the disk's.
func (g *Group) Follow(p Path) error {
	for i, step := range p[1:] {
		before := &p[i].State
		if err := g.take(step.Action, before); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, step.Action, err)
		}
		g.Counts.Steps++
		if r, what := g.differs(&step.State); what != "" {
			return &Mismatch{Step: i + 1, Action: step.Action.String(), Replica: r, What: what}
		}
	}
	return nil
}

// take does what a step of the model does.
func (g *Group) take(a model.Action, before *model.State) error {
	first := g.machines[0]
	switch a.Kind {
	case model.CommitOp, model.AnswerPoll: // Every poll is compared after every step.
	case model.Execute:
		op := before.CommitMin[a.Replica] + 1
		g.machines[a.Replica].Execute(g.prepare(op, before.Log[op-1]))
		g.Counts.Executed++
	case model.Materialise:
		return first.Materialise()
	case model.TakeSnapshot:
		err := first.Persist()
		g.pending = first.AppendSnapshot(nil)
		return err
	case model.PairCheckpoint:
		g.snapshot = g.pending
		return first.Paired()
	case model.RestartReplica:
		g.Counts.Restored++
		err := first.Close()
		g.machines[0] = partition.New(g.configs[0])
		if err == nil && g.snapshot != nil {
			err = g.machines[0].Restore(g.snapshot)
		}
		return err
	}
	return nil
}

// prepare is an op of the model as a machine gets it. Its time is its number.
func (g *Group) prepare(op uint8, x model.Op) *wire.Prepare {
	p := &wire.Prepare{Header: wire.PrepareHeader{Op: wire.Op(op), Timestamp: uint64(op)}}
	h := &p.Header
	switch x.Kind {
	case model.Send:
		h.Operation, p.Body = protocol.OperationSend, g.message
	case model.Retain:
		h.Operation = partition.OperationRetain
		p.Body = partition.RetainBody(uint64(g.config.Age), uint64(g.config.Size)*g.bytes,
			g.config.Hold)
	case model.Truncate:
		h.Operation, p.Body = partition.OperationTruncate, partition.TruncateBody(uint64(x.Number))
	case model.Purge:
		h.Operation, p.Body = partition.OperationPurge, partition.PurgeBody(uint64(x.Number))
	case model.Store, model.Advance:
		h.Operation = protocol.OperationStoreOffset
		if x.Kind == model.Advance {
			h.Operation = partition.OperationAdvanceOffset
		}
		p.Body = protocol.MustAppend(nil, &protocol.StoreOffset{
			GetOffset: offsetOf(x.Consumer), Offset: uint64(x.Number), Quorum: true,
		})
	}
	return p
}

// offsetOf asks for the offset of a consumer.
func offsetOf(consumer uint8) protocol.GetOffset {
	return protocol.GetOffset{
		Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.ID(uint32(consumer))},
		Stream:   protocol.ID(1), Topic: protocol.ID(1), Partition: protocol.InPartition(1),
	}
}
