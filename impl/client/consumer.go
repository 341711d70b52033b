package client

import (
	"context"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// ConsumerOptions say how a consumer reads. Zero fields stand for the defaults.
type ConsumerOptions struct {
	// ID names the consumer, whose offset is stored. Zero: none is stored, and reading begins
	// at the first message.
	ID protocol.Consumer
	// Count is how many messages a poll asks for: 1,000.
	Count uint32
	// Interval is the pause between polls that found nothing: 100 ms.
	Interval time.Duration
	// Level is that of polls, and of asking for the stored offset: Linearizable.
	Level Level
}

// Consumer reads the messages of one partition in order, each once, from behind the stored
// offset on. It may be used from one goroutine.
//
// What was read counts as done only after Commit: a consumer that starts again gets what was
// not committed once more.
type Consumer struct {
	client  *Client
	of      Partition
	options ConsumerOptions
	next    uint64
	found   bool // next is known.
	read    bool // There is something to commit.
}

// NewConsumer returns a consumer. It asks for the stored offset with the first poll.
func (c *Client) NewConsumer(of Partition, options ConsumerOptions) *Consumer {
	if options.Count == 0 {
		options.Count = 1000
	}
	if options.Interval <= 0 {
		options.Interval = 100 * time.Millisecond
	}
	if options.Level == 0 {
		options.Level = Linearizable
	}
	return &Consumer{client: c, of: of, options: options}
}

// stored says that the consumer has a name to store an offset under.
func (c *Consumer) stored() bool { return c.options.ID.Kind != 0 }

// Seek makes the next poll begin at an offset.
func (c *Consumer) Seek(offset uint64) { c.next, c.found, c.read = offset, true, false }

// Poll returns the next messages, none if there are no new ones.
func (c *Consumer) Poll(ctx context.Context) ([]Message, error) {
	if !c.found {
		if err := c.resume(ctx); err != nil {
			return nil, err
		}
	}
	polled, err := c.client.Poll(ctx, c.of, c.options.ID,
		PollFrom{Strategy: protocol.FromOffset, Value: c.next}, c.options.Count, false,
		c.options.Level)
	if err != nil {
		return nil, err
	}
	if n := len(polled.Messages); n > 0 {
		c.next, c.read = polled.Messages[n-1].Offset+1, true
	}
	return polled.Messages, nil
}

// resume finds the message behind the stored offset.
func (c *Consumer) resume(ctx context.Context) error {
	if !c.stored() {
		c.found = true
		return nil
	}
	stored, found, err := c.client.StoredOffset(ctx, c.of, c.options.ID, c.options.Level)
	if err != nil {
		return err
	}
	if found {
		c.next = stored.Stored + 1
	}
	c.found = true
	return nil
}

// Next polls until there are messages, or the context ends.
func (c *Consumer) Next(ctx context.Context) ([]Message, error) {
	for {
		messages, err := c.Poll(ctx)
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		timer := time.NewTimer(c.options.Interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// Commit stores the offset of the last message that was returned, if there is a new one.
func (c *Consumer) Commit(ctx context.Context) error {
	if !c.read || !c.stored() {
		return nil
	}
	err := c.client.StoreOffset(ctx, c.of, c.options.ID, c.next-1)
	if err == nil {
		c.read = false
	}
	return err
}
