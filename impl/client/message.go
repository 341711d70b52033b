package client

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// Partition names one partition of a topic.
type Partition struct {
	Stream, Topic protocol.Identifier
	ID            uint32
}

func (p Partition) route() route { return route{p.Stream, p.Topic, p.ID} }

// Send appends a batch, as [batch.Builder] makes it, to a partition, and returns the offset of
// its first message. With repeat it is sent again where its outcome is unknown: then it may be
// in the log more than once.
//
// Errors: see [Client]; an unknown outcome also if the reply cannot be read.
func (c *Client) Send(
	ctx context.Context, to Partition, messages []byte, repeat bool,
) (offset uint64, err error) {
	b, err := batch.Decode(messages)
	if err != nil {
		return 0, Outcome{Verdict: Failed, Code: protocol.CodeSend, Cause: err}.Err()
	}
	r, err := request(protocol.CodeSend, &protocol.Send{
		Stream: to.Stream, Topic: to.Topic, Messages: b.Header().Messages, Batch: messages,
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition, Partition: to.ID},
	})
	if err != nil {
		return 0, err
	}
	r.Repeat = repeat
	err = c.options.Recorder.appends(to, b, func() (uint64, error) {
		offset, err = confirmed(c.partition(ctx, to.route(), r))
		return offset, err
	})
	return offset, err
}

// confirmed reads where a batch went.
func confirmed(outcome Outcome) (uint64, error) {
	var reply protocol.SendReply
	found, err := decodeReply(outcome, &reply)
	switch {
	case err != nil:
		return 0, err
	case !found || len(reply.Confirmations) != 1:
		outcome.Verdict = Unknown
		outcome.Cause = fmt.Errorf("%d confirmations, expected 1", len(reply.Confirmations))
		return 0, outcome.Err()
	}
	return reply.Confirmations[0].BaseOffset, nil
}

// Message is one message of a partition. Its slices belong to the poll that returned it.
type Message = batch.Message

// Polled is what a poll found.
type Polled struct {
	// Messages rise by offset.
	Messages []Message
	// Current is the offset of the partition's newest message as the node knows it; 0 also if
	// there is none.
	Current uint64
}

// PollFrom says where a poll begins.
type PollFrom struct {
	Strategy protocol.Strategy
	// Value is the offset or the timestamp in microseconds, where the strategy has one.
	Value uint64
}

// Poll reads up to count messages. Consumer matters for the strategy next and for autoCommit,
// which stores the offset of the last message. The messages have been verified.
func (c *Client) Poll(
	ctx context.Context, of Partition, consumer protocol.Consumer, from PollFrom, count uint32,
	autoCommit bool, level Level,
) (Polled, error) {
	if consumer.ID == (protocol.Identifier{}) {
		consumer = protocol.Consumer{Kind: protocol.Single, ID: protocol.ID(0)}
	}
	r, err := request(level.code(protocol.CodePoll), &protocol.Poll{
		Consumer: consumer, Stream: of.Stream, Topic: of.Topic,
		Partition: protocol.InPartition(of.ID), Strategy: from.Strategy, Value: from.Value,
		Count: count, AutoCommit: autoCommit,
	})
	if err != nil {
		return Polled{}, err
	}
	return c.options.Recorder.poll(of, from, count, level, func() (Polled, error) {
		if consumer.Kind == protocol.Group { // The member is the session of that connection.
			ctx, cancel := c.limited(ctx)
			defer cancel()
			return readPoll(c.main.do(ctx, r))
		}
		return readPoll(c.partition(ctx, of.route(), r))
	})
}

func readPoll(outcome Outcome) (Polled, error) {
	var reply protocol.PollReply
	found, err := decodeReply(outcome, &reply)
	if err != nil || !found {
		return Polled{}, err
	}
	p := Polled{Current: reply.Current}
	for rest := reply.Batches; len(rest) > 0; {
		var b batch.Batch
		if b, rest, err = batch.DecodeFirst(rest); err != nil {
			return Polled{}, fmt.Errorf("%s: read reply: %w", outcome.Code, err)
		}
		for m := range b.Messages() {
			p.Messages = append(p.Messages, m)
		}
	}
	if len(p.Messages) != int(reply.Count) {
		return Polled{}, fmt.Errorf("%s: read reply: %d messages, expected %d", outcome.Code,
			len(p.Messages), reply.Count)
	}
	return p, nil
}

// StoreOffset stores a consumer's offset, also a lower one than before, and waits until a
// quorum has it.
func (c *Client) StoreOffset(
	ctx context.Context, of Partition, consumer protocol.Consumer, offset uint64,
) error {
	r, err := request(protocol.CodeStoreOffset, &protocol.StoreOffset{
		GetOffset: offsetOf(of, consumer), Offset: offset, Quorum: true,
	})
	if err != nil {
		return err
	}
	o := lin.Operation{Kind: lin.StoreOffset, Input: lin.Input{Number: number(offset)}}
	return c.options.Recorder.offset(of, consumer, o, func(*lin.Output) error {
		return c.partition(ctx, of.route(), r).Err()
	})
}

// StoredOffset returns a consumer's stored offset; found is false if there is none.
func (c *Client) StoredOffset(
	ctx context.Context, of Partition, consumer protocol.Consumer, level Level,
) (reply protocol.OffsetReply, found bool, err error) {
	asked := offsetOf(of, consumer)
	r, err := request(level.code(protocol.CodeGetOffset), &asked)
	if err != nil {
		return reply, false, err
	}
	recorder := c.options.Recorder
	if level == Local { // The model of a consumer's offset has no local questions.
		recorder = nil
	}
	o := lin.Operation{Kind: lin.GetOffset}
	err = recorder.offset(of, consumer, o, func(out *lin.Output) error {
		found, err = decodeReply(c.partition(ctx, of.route(), r), &reply)
		if err == nil && found {
			out.Number = number(reply.Stored)
		}
		return err
	})
	return reply, found, err
}

// DeleteOffset removes a consumer's stored offset.
func (c *Client) DeleteOffset(
	ctx context.Context, of Partition, consumer protocol.Consumer,
) error {
	r, err := request(protocol.CodeDeleteOffset, &protocol.DeleteOffset{
		GetOffset: offsetOf(of, consumer), Quorum: true,
	})
	if err != nil {
		return err
	}
	o := lin.Operation{Kind: lin.DeleteOffset}
	return c.options.Recorder.offset(of, consumer, o, func(out *lin.Output) error {
		err := c.partition(ctx, of.route(), r).Err()
		out.OK = err == nil
		return err
	})
}

func offsetOf(of Partition, consumer protocol.Consumer) protocol.GetOffset {
	return protocol.GetOffset{
		Consumer: consumer, Stream: of.Stream, Topic: of.Topic,
		Partition: protocol.InPartition(of.ID),
	}
}
