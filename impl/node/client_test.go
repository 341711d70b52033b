package node_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// tester is a client of these tests: the session of package client on a blocking connection,
// to any of several addresses.
type tester struct {
	addresses []string
	session   *client.Session
	conn      net.Conn
	at        int
	// connections counts those that were made.
	connections int
	limit       time.Duration
	// heard are the answers that came, as they were written.
	heard []*wire.Reply
}

func newTester(addresses []string, password string) *tester {
	login := protocol.MustAppend(nil, &protocol.Login{
		Version: protocol.Version{
			Protocol: protocol.ProtocolVersion, Library: "tester", Release: "1",
		},
		User: "root", Password: password,
	})
	return &tester{
		addresses: addresses, at: rand.IntN(len(addresses)), limit: patience,
		session: client.NewSession(client.SessionConfig{
			Client: wire.ClientID{Lo: rand.Uint64() | 1, Hi: rand.Uint64()}, Login: login,
		}),
	}
}

var errNoAnswer = errors.New("no answer in time")

// ask runs one request to its outcome.
func (c *tester) ask(r client.Request) (*client.Outcome, error) {
	deadline := time.Now().Add(c.limit)
	out := c.session.Submit(r)
	for out.Done == nil {
		if out.LoginFailed != nil {
			return nil, out.LoginFailed
		}
		if time.Now().After(deadline) {
			c.leave()
			return nil, fmt.Errorf("%w: %+v", errNoAnswer, c.session.GiveUp().Done)
		}
		out = c.next(out)
	}
	if out.Drop {
		c.leave()
	}
	return out.Done, nil
}

// next does what a session asks for, and tells it what came of that.
func (c *tester) next(out client.Output) client.Output {
	switch {
	case out.Drop:
		c.leave()
	case out.Send != nil && c.conn != nil:
		if c.write(out.Send) != nil {
			c.leave()
			return c.session.Disconnected()
		}
	case out.Pause != 0:
		pause(20 * time.Millisecond)
		return c.session.Retry()
	}
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addresses[c.at], time.Second)
		if err != nil {
			c.leave()
			pause(20 * time.Millisecond)
			return client.Output{}
		}
		c.conn = conn
		c.connections++
		return c.session.Connected()
	}
	frame, err := c.read()
	if err != nil {
		c.leave()
		return c.session.Disconnected()
	}
	if from, err := wire.DecodeFromNode(frame); err == nil && from.Reply != nil {
		c.heard = append(c.heard, from.Reply)
	}
	return c.session.Receive(frame)
}

// pause lets the others work for a while.
func pause(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
}

// leave goes to the next address.
func (c *tester) leave() {
	if c.conn != nil {
		_ = c.conn.Close() // It is of no use any more.
		c.conn = nil
	}
	c.at = (c.at + 1) % len(c.addresses)
}

func (c *tester) write(frame []byte) error {
	if err := c.conn.SetDeadline(time.Now().Add(min(c.limit, 5*time.Second))); err != nil {
		return err
	}
	_, err := c.conn.Write(frame)
	return err
}

func (c *tester) read() ([]byte, error) {
	header := make([]byte, wire.HeaderBytes)
	if _, err := io.ReadFull(c.conn, header); err != nil {
		return nil, err
	}
	size, err := wire.FrameSize(header)
	if err != nil {
		return nil, err
	}
	frame := append(header, make([]byte, size-len(header))...)
	_, err = io.ReadFull(c.conn, frame[wire.HeaderBytes:])
	return frame, err
}

// do runs a request that must succeed.
func (c *tester) do(code protocol.Code, body protocol.Body) ([]byte, error) {
	r := client.Request{Code: code}
	if body != nil {
		r.Body = protocol.MustAppend(nil, body)
	}
	outcome, err := c.ask(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	if outcome.Verdict != client.Succeeded {
		return nil, outcome.Err()
	}
	return outcome.Payload, nil
}

// topicName is that of all topics here.
const topicName = "t"

// createTopic makes a stream with one topic.
func (c *tester) createTopic(
	stream string, partitions uint32, durability string, options ...protocol.Option,
) error {
	_, err := c.do(protocol.CodeCreateStream, &protocol.CreateStream{Name: stream})
	if err != nil {
		return err
	}
	_, err = c.do(protocol.CodeCreateTopic, &protocol.CreateTopic{
		Stream: protocol.Named(stream), Partitions: partitions, Name: topicName,
		Options: append(options, protocol.TextOption("durability", durability)),
	})
	return err
}

// send appends messages, at most once, and returns the offset of the first.
func (c *tester) send(stream string, partition uint32, messages ...string) (
	uint64, error,
) {
	var b batch.Builder
	for _, m := range messages {
		if err := b.Append(batch.Message{Payload: []byte(m)}); err != nil {
			return 0, err
		}
	}
	payload, err := c.do(protocol.CodeSend, &protocol.Send{
		Stream: protocol.Named(stream), Topic: protocol.Named(topicName),
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition, Partition: partition},
		Messages:     uint32(len(messages)), Batch: b.Bytes(),
	})
	if err != nil {
		return 0, err
	}
	var reply protocol.SendReply
	if err := protocol.Decode(payload, &reply); err != nil || len(reply.Confirmations) != 1 {
		return 0, fmt.Errorf("send answered with %d confirmations: %w", len(reply.Confirmations), err)
	}
	return reply.Confirmations[0].BaseOffset, nil
}

// sendOnce appends a message; where the outcome is unknown it looks whether it is there, at the
// end, and sends it again if not. There must be no other producer.
func (c *tester) sendOnce(stream string, message string) error {
	for {
		_, err := c.send(stream, 0, message)
		if !errors.Is(err, client.ErrUnknown) {
			return err
		}
		messages, err := c.pollStrictly(stream, 0, 1<<20)
		if err != nil {
			return err
		}
		if n := len(messages); n > 0 && messages[n-1] == message {
			return nil
		}
	}
}

// primaryOf returns the port at which the client is told to find the primary of partition 0; 0
// if nobody is named.
func (c *tester) primaryOf(stream string) uint16 {
	payload, err := c.do(protocol.CodeFindPrimary, &protocol.FindPrimary{
		Stream: protocol.Named(stream), Topic: protocol.Named(topicName),
	})
	var found protocol.PrimaryFound
	if err != nil || protocol.Decode(payload, &found) != nil {
		return 1
	}
	return found.TCP
}

// poll reads messages from an offset on, as the process that answers has them.
func (c *tester) poll(stream string, partition uint32, from uint64, count uint32) (
	[]string, error,
) {
	return c.pollAs(protocol.CodePoll, stream, partition, from, count)
}

// pollStrictly reads messages from the first on: all that were acknowledged before it asks.
func (c *tester) pollStrictly(stream string, partition, count uint32) ([]string, error) {
	return c.pollAs(protocol.CodePoll.Linearizable(), stream, partition, 0, count)
}

func (c *tester) pollAs(
	code protocol.Code, stream string, partition uint32, from uint64, count uint32,
) ([]string, error) {
	payload, err := c.do(code, &protocol.Poll{
		Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.ID(1)},
		Stream:   protocol.Named(stream), Topic: protocol.Named(topicName),
		Partition: protocol.InPartition(partition), Strategy: protocol.FromOffset, Value: from,
		Count: count,
	})
	if err != nil {
		return nil, err
	}
	var reply protocol.PollReply
	if err := protocol.Decode(payload, &reply); err != nil {
		return nil, err
	}
	var messages []string
	for rest := reply.Batches; len(rest) > 0; {
		b, behind, err := batch.DecodeFirst(rest)
		if err != nil {
			return nil, err
		}
		for m := range b.Messages() {
			messages = append(messages, string(m.Payload))
		}
		rest = behind
	}
	return messages, nil
}
