package node

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// keeping is what drops messages of a partition: its primary proposes ops for what the metadata
// has decided, and for what is too old or too much. Each says the same however often it is
// executed, so that a proposal that is lost, or made twice, does no harm. All but figures are the
// shard's goroutine's alone; machine is nil for the metadata.
type keeping struct {
	machine *partition.Machine
	// as is how the metadata describes the partition now.
	as metadata.Group
	// every is how many ticks lie between two looks; soon says that the next one comes now.
	every   uint64
	soon    bool
	figures figures
}

// figures are what the partition has here, for those who describe topics.
type figures struct{ segments, current, bytes, messages atomic.Uint64 }

// executed notes what an op has made of the partition.
func (k *keeping) executed(h *wire.PrepareHeader, _ []clienttable.Answer) {
	own := h.Client.IsZero() && h.Operation != wire.OperationBatch
	k.soon = k.soon || own // There may be more of that.
	k.note()
}

// note takes the figures of the partition as it is.
func (k *keeping) note() {
	s := k.machine.Stats()
	k.figures.segments.Store(uint64(s.Segments))
	k.figures.current.Store(max(s.Next, 1) - 1)
	k.figures.bytes.Store(uint64(s.Bytes))
	k.figures.messages.Store(s.Messages)
}

// figures implements [metadata.Figures], with what this process has executed.
func (n *Node) figures(id wire.GroupID) metadata.PartitionFigures {
	g := n.group(id)
	if g == nil {
		return metadata.PartitionFigures{}
	}
	f := &g.keeping.figures
	return metadata.PartitionFigures{
		Segments: uint32(f.segments.Load()), Current: f.current.Load(), Bytes: f.bytes.Load(),
		Messages: f.messages.Load(),
	}
}

func (n *Node) keepTicks() uint64 {
	return max(uint64(n.config.Run.Retention/n.config.Run.Tick), 1)
}

// keepAs says how the metadata describes a partition now.
func (n *Node) keepAs(ctx context.Context, as metadata.Group) error {
	g := n.group(as.ID)
	if g == nil {
		return nil
	}
	_ = g.shard.do(ctx, func() { // If the context ends so does everything.
		g.keeping.as, g.keeping.soon = as, true
	})
	return nil
}

// keep proposes what is due when it is time to look, if this replica is the primary and has
// executed all that it knows of.
func (g *group) keep() {
	k := &g.keeping
	k.soon = k.soon || (g.ticks+uint64(g.id))%max(k.every, 1) == 0
	if k.machine == nil || !k.soon {
		return
	}
	standing := g.host.Standing()
	if standing.CommitMin != standing.CommitMax {
		return // The next tick is soon enough.
	}
	k.soon = false
	if !standing.Leads {
		return
	}
	operation, body := k.due(uint64(time.Now().UnixMicro()))
	if operation != 0 {
		g.host.Request(&wire.Request{Operation: operation, Body: body})
	}
}

// due is the op that the partition is due at a time, 0 if there is none. The rest has its turn
// later.
func (k *keeping) due(now uint64) (wire.Operation, []byte) {
	age, bytes := k.as.Options.Expiry, k.as.Options.MaxBytes
	if age == metadata.Unlimited {
		age = 0
	}
	if bytes == metadata.Unlimited {
		bytes = 0
	}
	bytes /= uint64(max(k.as.Partitions, 1))
	switch {
	case k.as.Purges > k.machine.Generation():
		return partition.OperationPurge, partition.PurgeBody(k.as.Purges)
	case k.machine.WouldTruncate(k.as.Below):
		return partition.OperationTruncate, partition.TruncateBody(k.as.Below)
	case k.machine.WouldRetain(now, age, bytes, false):
		return partition.OperationRetain, partition.RetainBody(age, bytes, false)
	}
	return 0, nil
}

// codeSegmentsEnd asks a partition's primary where its oldest segments end: a count, 4 bytes; the
// answer is an offset, 8 bytes. Processes ask it of one another, clients cannot.
const codeSegmentsEnd protocol.Code = 0x4000_0100

// withOffset is the body of a DeleteSegments as it enters the log. Its primary says what the
// oldest segments are; the log of the metadata then drops them once, whoever sends again. What
// cannot be read, or is not there, is refused by that log.
//
// Errors: the partition does not answer in time.
func (s *session) withOffset(ctx context.Context, body []byte) ([]byte, error) {
	var ask protocol.DeleteSegments
	if protocol.Decode(body, &ask) != nil {
		return metadata.WithOffset(body, 0), nil
	}
	topic := protocol.TopicRef{Stream: ask.Stream, Topic: ask.Topic}
	_, said := s.describe(ctx, protocol.CodePing, nil, true) // What is there is known here then.
	r, err := s.find(ctx, topic)
	if err != nil || said != protocol.StatusOK {
		return nil, errBehind
	}
	where, status := r.partition(ask.Partition)
	if status != protocol.StatusOK {
		return metadata.WithOffset(body, 0), nil
	}
	g := s.node.group(where.ID)
	if g == nil {
		return nil, errBehind
	}
	reply := s.readStrictly(ctx, g, codeSegmentsEnd,
		binary.LittleEndian.AppendUint32(nil, ask.Segments))
	if reply.Status != 0 || len(reply.Body) != 8 {
		return nil, errBehind
	}
	return metadata.WithOffset(body, binary.LittleEndian.Uint64(reply.Body)), nil
}

// segmentsEnd answers [codeSegmentsEnd].
func segmentsEnd(m *partition.Machine, body []byte) ([]byte, protocol.Status) {
	if len(body) != 4 {
		return nil, protocol.StatusInvalidFormat
	}
	end := m.EndOfOldest(binary.LittleEndian.Uint32(body))
	return binary.LittleEndian.AppendUint64(nil, end), protocol.StatusOK
}
