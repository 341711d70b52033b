package protocol

import (
	"encoding/binary"
	"fmt"
)

// PartitioningKind says who chooses the partition of a batch.
type PartitioningKind uint8

// The kinds.
const (
	// Balanced: the node, in turn.
	Balanced PartitioningKind = iota + 1
	// ToPartition: the client.
	ToPartition
	// ByKey: the hash of a key of 1 to 255 bytes.
	ByKey
)

// Partitioning says where a batch goes.
type Partitioning struct {
	Kind      PartitioningKind
	Partition uint32 // of ToPartition
	Key       []byte // of ByKey
}

func (p *Partitioning) layout(c *coder) {
	enum(c, "partitioning", &p.Kind, 0, uint8(ByKey))
	if c.refused != nil {
		return
	}
	at, value := c.offset(), []byte(nil)
	if p.Kind == ByKey {
		value = p.Key
	} else if p.Kind == ToPartition && !c.decoding {
		value = binary.LittleEndian.AppendUint32(nil, p.Partition)
	}
	c.value("partitioning_value", &value)
	if c.refused != nil {
		return
	}
	got := fmt.Sprintf("%d bytes", len(value))
	switch p.Kind {
	case Balanced:
		if len(value) != 0 {
			c.refuseAt(at, "partitioning_value", got, "none where the node chooses")
		}
	case ToPartition:
		if len(value) != idBytes {
			c.refuseAt(at, "partitioning_value", got, "4 of a partition")
			return
		}
		if c.decoding {
			p.Partition = binary.LittleEndian.Uint32(value)
		}
	case ByKey:
		if len(value) == 0 {
			c.refuseAt(at, "partitioning_value", got, "1 to 255 of a key")
		}
		if c.decoding {
			p.Key = value
		}
	}
}

// Send appends a batch of messages to a partition.
type Send struct {
	Stream, Topic Identifier
	Partitioning  Partitioning
	// Messages counts those in Batch.
	Messages uint32
	// Batch is one record of package batch. Decoded, it is a part of the body.
	Batch []byte
}

func (s *Send) layout(c *coder) {
	c.sized("metadata", func(c *coder) {
		c.ident("stream", &s.Stream)
		c.ident("topic", &s.Topic)
		s.Partitioning.layout(c)
		c.u32("messages", &s.Messages)
	})
	c.rest("batch", &s.Batch)
}

// Confirmation says where a batch went.
type Confirmation struct {
	Stream, Topic, Partition uint32
	// BaseOffset is the offset of the batch's first message.
	BaseOffset uint64
}

// SendReply is the reply of [Send]. It stands behind no result; a reply without any bytes is
// an error.
type SendReply struct{ Confirmations []Confirmation }

func (s *SendReply) layout(c *coder) {
	counted(c, "confirmations", &s.Confirmations, func(c *coder, v *Confirmation) {
		c.u32("stream", &v.Stream)
		c.u32("topic", &v.Topic)
		c.u32("partition", &v.Partition)
		c.u64("base_offset", &v.BaseOffset)
	})
}

// Strategy says from where to read.
type Strategy uint8

// The strategies.
const (
	// FromOffset: from the offset that is given on.
	FromOffset Strategy = iota + 1
	// FromTimestamp: from the first message of that time, in microseconds, or later.
	FromTimestamp
	// FromFirst: from the oldest message on.
	FromFirst
	// FromLast: the newest messages.
	FromLast
	// FromNext: behind the consumer's stored offset, or from the first.
	FromNext
)

// Poll reads messages.
type Poll struct {
	Consumer      Consumer
	Stream, Topic Identifier
	Partition     Selector
	Strategy      Strategy
	// Value is the offset or the timestamp of the first two strategies.
	Value uint64
	// Count is the most messages to answer with.
	Count uint32
	// AutoCommit stores the offset of the last message that is answered.
	AutoCommit bool
}

func (p *Poll) layout(c *coder) {
	c.consumer(&p.Consumer)
	c.ident("stream", &p.Stream)
	c.ident("topic", &p.Topic)
	c.selector(&p.Partition)
	enum(c, "strategy", &p.Strategy, 0, uint8(FromNext))
	c.u64("value", &p.Value)
	c.u32("count", &p.Count)
	c.flag("auto_commit", &p.AutoCommit)
}

// NoPartition in a [PollReply] says that the consumer owns none, and must ask its group again.
const NoPartition uint32 = 1<<32 - 1

// PollReply has the messages that a poll found, none of them uncommitted.
type PollReply struct {
	Partition uint32
	// Current is the offset of the partition's newest message; 0 also if it is empty.
	Current uint64
	// Count is how many messages Batches hold.
	Count uint32
	// Batches are records of package batch, one after the other; a part of the body.
	Batches []byte
}

func (p *PollReply) layout(c *coder) {
	c.u32("partition", &p.Partition)
	c.u64("current_offset", &p.Current)
	c.u32("count", &p.Count)
	c.rest("batches", &p.Batches)
}
