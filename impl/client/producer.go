package client

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// ProducerOptions say how a producer gathers messages. Zero fields stand for the defaults.
type ProducerOptions struct {
	// Messages and Bytes are how much a batch may have: 1,000 and 1 MiB. A message that is larger
	// is a batch of its own.
	Messages, Bytes int
	// Linger is how long a message may wait for others: 5 ms. Negative: not at all.
	Linger time.Duration
	// Repeat sends a batch again where its outcome is unknown: at least once. Without, at most
	// once.
	Repeat bool
}

// aheadMax is how many batches may be full before one is sent: then messages wait for room.
const aheadMax = 4

// Producer gathers messages for one partition into batches, and sends them in order, one batch
// at a time. Its methods may be used from several goroutines.
type Producer struct {
	client  *Client
	to      Partition
	options ProducerOptions

	mu   sync.Mutex
	room *sync.Cond // One batch less is full, or the producer is closed.
	// full are batches that take no more messages, oldest first; builder is the next one.
	full    []gathered
	builder batch.Builder
	waiting []chan Sent
	first   time.Time // When the oldest message of the builder came.
	closed  bool
	wake    chan struct{}
	done    chan struct{}
}

// gathered is a batch, and who waits for what becomes of each of its messages.
type gathered struct {
	messages []byte
	waiting  []chan Sent
}

// Sent is what became of a message.
type Sent struct {
	Offset uint64
	Err    error
}

// NewProducer starts a producer. Close it.
func (c *Client) NewProducer(to Partition, options ProducerOptions) *Producer {
	if options.Messages <= 0 {
		options.Messages = 1000
	}
	if options.Bytes <= 0 {
		options.Bytes = 1 << 20
	}
	if options.Linger == 0 {
		options.Linger = 5 * time.Millisecond
	}
	p := newProducer(c, to, options)
	go p.run()
	return p
}

func newProducer(c *Client, to Partition, options ProducerOptions) *Producer {
	p := &Producer{
		client: c, to: to, options: options,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	p.room = sync.NewCond(&p.mu)
	return p
}

// errProducerClosed is the cause of a failure after Close.
var errProducerClosed = errors.New("the producer is closed")

// Send adds a message. The channel says what became of it, once. While some batches are full and
// not sent, it waits.
//
// Errors: a message that no batch can have; a closed producer. Nothing is sent then.
func (p *Producer) Send(payload []byte) (<-chan Sent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.full) >= aheadMax && !p.closed {
		p.room.Wait()
	}
	if p.closed {
		return nil, Outcome{
			Verdict: Failed, Code: protocol.CodeSend, Cause: errProducerClosed,
		}.Err()
	}
	if n := p.builder.Len(); n > 0 && (n >= p.options.Messages ||
		p.builder.Size()+batch.FrameBytes+len(payload) > p.options.Bytes) {
		p.seal()
	}
	now := time.Now()
	m := batch.Message{
		ID: draw128(), Payload: payload, Timestamp: uint64(now.UnixMicro()),
	}
	if p.builder.Len() > 0 { // The clock may go back; the order of a batch must not.
		m.Timestamp = max(m.Timestamp, uint64(p.first.UnixMicro()))
	} else {
		p.first = now
	}
	if err := p.builder.Append(m); err != nil {
		return nil, Outcome{Verdict: Failed, Code: protocol.CodeSend, Cause: err}.Err()
	}
	result := make(chan Sent, 1)
	p.waiting = append(p.waiting, result)
	p.signal()
	return result, nil
}

// seal takes what is gathered for a full batch. The caller holds the lock.
func (p *Producer) seal() {
	p.full = append(p.full, gathered{bytes.Clone(p.builder.Bytes()), p.waiting})
	p.waiting = nil
	p.builder.Reset()
}

// signal lets run look again.
func (p *Producer) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close sends what is left, within the context, and ends the producer.
func (p *Producer) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.room.Broadcast()
	p.signal()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run sends batches until the producer is closed and empty.
func (p *Producer) run() {
	defer close(p.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next, wait, closed := p.take()
		switch {
		case next.messages != nil:
			base, err := p.client.Send(context.Background(), p.to, next.messages, p.options.Repeat)
			for i, result := range next.waiting {
				result <- Sent{Offset: base + uint64(i), Err: err}
			}
			continue
		case closed:
			return
		}
		timer.Reset(wait)
		select {
		case <-p.wake:
		case <-timer.C:
		}
	}
}

// take returns a batch that is due, or how long to wait for one.
func (p *Producer) take() (next gathered, wait time.Duration, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.full) == 0 {
		if p.builder.Len() == 0 {
			return gathered{}, time.Hour, p.closed
		}
		full := p.builder.Len() >= p.options.Messages || p.builder.Size() >= p.options.Bytes
		wait = p.options.Linger - time.Since(p.first)
		if !full && !p.closed && wait > 0 {
			return gathered{}, wait, false
		}
		p.seal()
	}
	next, p.full = p.full[0], p.full[1:]
	p.room.Broadcast()
	return next, 0, p.closed
}
