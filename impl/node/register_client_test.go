package node_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// observed is what all clients of a test saw, in the order of a common clock.
type observed struct {
	mu         sync.Mutex
	began      time.Time
	operations []lin.Operation
}

func (o *observed) now() int64 { return int64(time.Since(o.began)) + 1 }

func (o *observed) add(operation lin.Operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.operations = append(o.operations, operation)
}

// registerClient speaks the frames itself: one connection at a time, one request at a time, and
// each request again until it is answered, at whatever process takes it.
type registerClient struct {
	addresses []string
	id        wire.ClientID
	session   wire.SessionNumber
	number    wire.RequestNumber
	conn      net.Conn
	at        int
	deadline  time.Time
}

func newRegisterClient(addresses []string, patience time.Duration) *registerClient {
	return &registerClient{
		addresses: addresses, id: wire.ClientID{Lo: rand.Uint64() | 1, Hi: rand.Uint64()},
		at: rand.IntN(len(addresses)), deadline: time.Now().Add(patience),
	}
}

var errGivenUp = errors.New("no answer in time")

// exchange sends a request until it is answered for good.
func (c *registerClient) exchange(request *wire.Request) (*wire.Reply, error) {
	for time.Now().Before(c.deadline) {
		reply, err := c.once(request)
		if err != nil || reply.Status == replica.StatusNotAccepted || reply.Status == 57 {
			c.leave()
			wait := time.NewTimer(10 * time.Millisecond)
			<-wait.C
			continue
		}
		return reply, nil
	}
	return nil, errGivenUp
}

func (c *registerClient) leave() {
	if c.conn != nil {
		_ = c.conn.Close() // It is of no use any more.
		c.conn = nil
	}
	c.at = (c.at + 1) % len(c.addresses)
}

func (c *registerClient) once(request *wire.Request) (*wire.Reply, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addresses[c.at], time.Second)
		if err != nil {
			return nil, err
		}
		c.conn = conn
	}
	if err := c.conn.SetDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(wire.Encode(request)); err != nil {
		return nil, err
	}
	header := make([]byte, wire.HeaderBytes)
	if _, err := io.ReadFull(c.conn, header); err != nil {
		return nil, err
	}
	size, err := wire.FrameSize(header)
	if err != nil {
		return nil, err
	}
	frame := append(header, make([]byte, size-len(header))...)
	if _, err := io.ReadFull(c.conn, frame[wire.HeaderBytes:]); err != nil {
		return nil, err
	}
	message, err := wire.Decode(frame)
	if err != nil {
		return nil, err
	}
	reply, ok := message.(*wire.Reply)
	if !ok || reply.Number != request.Number || reply.Client != request.Client {
		return nil, fmt.Errorf("answered with %+v", message)
	}
	return reply, nil
}

func (c *registerClient) login() error {
	reply, err := c.exchange(&wire.Request{Client: c.id, Operation: wire.OperationRegister})
	if err != nil {
		return err
	}
	session, _, _, ok := replica.ParseSessionBody(reply.Body)
	if !ok || reply.Status != 0 {
		return fmt.Errorf("login answered with status %d", reply.Status)
	}
	c.session = session
	return nil
}

// do runs one operation, and returns the value.
func (c *registerClient) do(operation wire.Operation, key uint64, values ...uint64) (
	value uint64, err error,
) {
	c.number++
	body := statemachine.RegisterBody(key, values...)
	reply, err := c.exchange(&wire.Request{
		Client: c.id, Session: c.session, Number: c.number, Operation: operation, Body: body,
		RequestChecksum: wire.ChecksumOf(body),
	})
	if err != nil {
		return 0, err
	}
	_, value, ok := statemachine.ParseRegisterResult(reply.Body)
	if reply.Status != 0 || !ok {
		return 0, fmt.Errorf("operation %d answered with status %d", operation, reply.Status)
	}
	return value, nil
}

// observe runs one operation and notes it: as open if its outcome is not known.
func (c *registerClient) observe(o *observed, client, n int, kind lin.Kind, value uint64) error {
	input, operation := lin.Input{}, statemachine.RegisterRead
	var values []uint64
	if kind == lin.Write {
		operation, values = statemachine.RegisterWrite, []uint64{value}
		input.Value = lin.Text(fmt.Sprint(value))
	}
	call := o.now()
	got, err := c.do(operation, 1, values...)
	noted := lin.Operation{
		Client: client, ID: uint64(n), Key: "1", Kind: kind, Input: input, Call: call,
		Open: err != nil,
	}
	if err == nil {
		noted.Return = o.now()
		if kind == lin.Read && got != 0 { // A register is 0 at first, which is null here.
			noted.Output.Value = lin.Text(fmt.Sprint(got))
		}
	}
	o.add(noted)
	return err
}
