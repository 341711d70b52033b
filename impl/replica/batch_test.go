package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// crowd is a cluster whose primary shares ops among requests as soon as one is under way, with
// sessions of some clients. executed counts the requests of each op.
type crowd struct {
	*cluster
	sessions []wire.SessionNumber
	executed map[wire.Op]int
}

func newCrowd(t *testing.T, clients int, configure func(*replica.Config)) *crowd {
	t.Helper()
	c := &crowd{cluster: newCluster(t, vsr.PolicyPersisted, 1), executed: map[wire.Op]int{}}
	c.config = func(config *replica.Config) {
		config.Limits = vsr.Limits{Pipeline: 1, BatchRequests: 64}
		config.OnExecute = func(h *wire.PrepareHeader, answers []clienttable.Answer) {
			c.executed[h.Op] = len(answers)
		}
		if configure != nil {
			configure(config)
		}
	}
	c.boot()
	for i := range clients {
		m := write(0, 0, 1, 0, 0)
		m.Client.Lo, m.Operation, m.Body = uint64(i)+1, wire.OperationRegister, nil
		reply := c.request(m)
		require.Zero(t, reply.Status)
		c.sessions = append(c.sessions, wire.SessionNumber(reply.Op))
	}
	return c
}

// write is a request of a client, which adds its number to a register of its own.
func (c *crowd) write(client, number int) *wire.Request {
	m := write(0, c.sessions[client], number, uint64(client), uint64(100*client+number))
	m.Client.Lo = uint64(client) + 1
	m.RequestChecksum = wire.ChecksumOf(m.Body)
	return m
}

// ask hands requests to the primary at once, so that all but the first wait, and returns the
// replies.
func (c *crowd) ask(requests ...*wire.Request) []*wire.Reply {
	c.replies = nil
	primary := c.primary(0)
	for _, m := range requests {
		primary.hosts[0].Request(m)
	}
	c.settle()
	return c.replies
}

func TestRequestsThatWaitShareAnOpAndAreAnsweredEach(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 5, nil)
	c.ticks(2)
	_, before := c.processes[1].storage.Counts()
	head := c.processes[0].hosts[0].Standing().Head
	replies := c.ask(c.write(0, 1), c.write(1, 1), c.write(2, 1), c.write(3, 1), c.write(4, 1),
		c.write(4, 2), c.write(2, 1))
	require.Len(t, replies, 6, "the last is the third again")
	ops := map[wire.Op]int{}
	for _, r := range replies {
		require.Zero(t, r.Status)
		ops[r.Op]++
	}
	assert.Equal(t, map[wire.Op]int{head + 1: 1, head + 2: 5}, ops)
	assert.Equal(t, 5, c.executed[head+2])
	_, after := c.processes[1].storage.Counts()
	assert.Equal(t, 2, after-before, "one flush for each prepare, however many requests are in it")
	counters := c.processes[0].hosts[0].Counters()
	assert.Equal(t, uint64(head+2), counters.Executed)
	assert.Equal(t, uint64(head+6), counters.Requests)
	c.ticks(20)
	for _, p := range c.processes {
		for client := range 4 {
			assert.Equal(t, uint64(100*client+1), p.value(uint64(client)))
		}
		assert.Equal(t, uint64(402), p.value(4))
	}
}

// A request of a batch is executed once, whoever sends it again when and to whom, also after
// every process has lost its memory; and its answer is the same to the byte (R18).
func TestARequestOfABatchIsExecutedOnce(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 4, nil)
	all := []*wire.Request{c.write(0, 1), c.write(1, 1), c.write(2, 1), c.write(3, 1)}
	first := map[uint64]*wire.Reply{}
	for _, r := range c.ask(all...) {
		first[r.Client.Lo] = r
	}
	require.Len(t, first, 4)
	again := func(when string) {
		for _, m := range all {
			r := c.request(m)
			assert.Equal(t, first[m.Client.Lo].Op, r.Op, when)
			assert.Equal(t, first[m.Client.Lo].Body, r.Body, when)
		}
	}
	again("at once")
	c.processes[0].hosts[0].LeaveView()
	c.settle()
	again("in another view")
	for _, p := range c.processes {
		p.kill(true)
	}
	c.boot()
	again("after a restart")
	c.ticks(50)
	for _, p := range c.processes {
		for op, requests := range c.executed {
			assert.LessOrEqual(t, requests, 4, "op %d", op)
		}
		assert.Equal(t, uint64(301), p.value(3))
	}
}

// A batch is in a checkpoint with all that it did, and who has it from a checkpoint alone gives
// the same answers.
func TestABatchOutlivesItsLog(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, func(config *replica.Config) { config.CheckpointOps = 4 })
	for number := range 8 {
		replies := c.ask(c.write(0, number+1), c.write(1, number+1), c.write(2, number+1))
		require.Len(t, replies, 3)
		c.ticks(3)
	}
	require.NotZero(t, c.processes[0].hosts[0].Counters().Checkpoints)
	for _, p := range c.processes {
		p.kill(false)
	}
	c.boot()
	again := c.request(c.write(2, 8))
	assert.Zero(t, again.Status)
	next := c.request(c.write(2, 9))
	assert.Zero(t, next.Status)
	c.ticks(20)
	for _, p := range c.processes {
		assert.Equal(t, uint64(209), p.value(2))
		assert.Equal(t, uint64(108), p.value(1))
	}
}

// No batch is larger than what the log's files take, whatever the limits say.
func TestABatchFitsIntoTheLog(t *testing.T) {
	t.Parallel()
	const size = 300 << 10
	c := newCrowd(t, 8, func(config *replica.Config) { config.Limits.BatchBytes = 8 << 20 })
	var requests []*wire.Request
	for client := range 8 {
		m := c.write(client, 1)
		m.Operation, m.Body = statemachine.RegisterRead, make([]byte, size)
		requests = append(requests, m)
	}
	assert.Len(t, c.ask(requests...), 8)
	for op, n := range c.executed {
		assert.LessOrEqual(t, n, 3, "op %d: the files have %d bytes", op, 1<<20)
	}
}

// What waits when the view ends is refused, and may be asked for again at once: nothing of it is
// remembered as under way.
func TestWhatWaitedInAnEarlierViewIsNotUnderWay(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, nil)
	host := c.processes[0].hosts[0]
	for client := range 3 {
		host.Request(c.write(client, 1))
	}
	host.LeaveView()
	c.settle()
	for p := c.primary(0); p != c.processes[0]; p = c.primary(0) { // until it leads again
		p.hosts[0].LeaveView()
		c.settle()
	}
	for client := range 3 {
		assert.Zero(t, c.request(c.write(client, 1)).Status)
		assert.Zero(t, c.request(c.write(client, 2)).Status)
	}
}
