package nodes

import (
	"fmt"
	"strconv"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// partitionLog is the log of one partition: sends, and offsets that consumers store.
type partitionLog struct{}

// The numbers of the partition, which its answers carry.
const (
	streamOfLog    = 1
	topicOfLog     = 1
	partitionOfLog = 0
)

// String returns the name.
func (partitionLog) String() string { return "partition" }

func (partitionLog) machine(p *process, w watching) statemachine.Machine {
	return &partitionMachine{
		Machine: partition.New(partition.Config{
			Stream: streamOfLog, Topic: topicOfLog, Partition: partitionOfLog, PollBytes: 1 << 20,
			Disk: p.disk,
			Segments: segment.Config{
				Directory: datadir.Segments(w.group), Group: w.group, SegmentBytes: 4096, IndexBytes: 512,
			},
		}),
		watching: w,
	}
}

func (partitionLog) begin(c *client) {
	chance, o := c.s.chances.clients, &c.operation
	log := o.Key
	o.Key += "." + consumerOf(chance.IntN(c.s.plan.shape.keys))
	c.model = lin.Offsets
	switch kind := chance.IntN(8); {
	case kind < 6 || c.known < 0:
		payload := fmt.Sprintf("%d of client %d", o.Call, c.place)
		o.Key, o.Kind, o.Input.Value, c.model = log, lin.Append, lin.Text(payload), lin.Partition
		c.request.Operation, c.request.Body = protocol.OperationSend, sendBody(payload)
	case kind == 6:
		offset := chance.IntN(int(c.known) + 1)
		o.Kind, o.Input.Number = lin.StoreOffset, lin.Int(int64(offset))
		c.request.Operation = protocol.OperationStoreOffset
		c.request.Body = protocol.MustAppend(nil, &protocol.StoreOffset{
			GetOffset: consumer(o.Key), Offset: uint64(offset), Quorum: true,
		})
	default:
		o.Kind = lin.DeleteOffset
		c.request.Operation = protocol.OperationDeleteOffset
		c.request.Body = protocol.MustAppend(nil, &protocol.DeleteOffset{
			GetOffset: consumer(o.Key),
		})
	}
}

func (partitionLog) end(c *client, result []byte) string {
	o := &c.operation
	if o.Kind == lin.Append {
		offset, ok := confirmedOffset(result)
		if !ok {
			return fmt.Sprintf("no confirmation of a send: %x", result)
		}
		o.Output.Number = lin.Int(int64(offset))
		c.known = max(c.known, int64(offset))
		return ""
	}
	var r protocol.Result
	if err := protocol.Decode(result, &r); err != nil {
		return err.Error()
	}
	o.Output.OK = o.Kind == lin.DeleteOffset && len(r.Rejections) == 0
	if o.Kind == lin.StoreOffset && len(r.Rejections) > 0 {
		return fmt.Sprintf("an offset that was there is refused: %v", r.Rejections[0].Status)
	}
	return ""
}

// confirmedOffset is the offset that a send was given.
func confirmedOffset(result []byte) (offset uint64, ok bool) {
	var r protocol.SendReply
	if len(result) == 0 || protocol.Decode(result, &r) != nil || len(r.Confirmations) != 1 {
		return 0, false
	}
	return r.Confirmations[0].BaseOffset, true
}

func consumerOf(key int) string { return "consumer-" + strconv.Itoa(key) }

// consumer is whose offset a request is about.
func consumer(name string) protocol.GetOffset {
	return protocol.GetOffset{
		Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.Named(name)},
		Stream:   protocol.ID(streamOfLog), Topic: protocol.ID(topicOfLog),
		Partition: protocol.InPartition(partitionOfLog),
	}
}

// sendBody is the body of a send of one message.
func sendBody(payload string) []byte {
	var b batch.Builder
	if err := b.Append(batch.Message{Timestamp: 1, Payload: []byte(payload)}); err != nil {
		panic(fmt.Sprintf("nodes: a message of %d bytes: %v", len(payload), err))
	}
	return protocol.MustAppend(nil, &protocol.Send{
		Stream: protocol.ID(streamOfLog), Topic: protocol.ID(topicOfLog),
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition, Partition: partitionOfLog},
		Messages:     1, Batch: b.Bytes(),
	})
}
