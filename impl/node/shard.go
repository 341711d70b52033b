package node

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// inboxEvents is how much may wait for a shard: messages beyond it are dropped, and sent
	// again (R10); requests are refused.
	inboxEvents = 8192
	// turnEvents is how many events a shard takes between two looks at everything else.
	turnEvents = 256
)

// event is one thing that happens to a group: exactly one field beside the group is set.
type event struct {
	group   *group
	message wire.Message // of another replica
	asked   *asked       // by a client
	reply   *wire.Reply  // of another replica, for a client here
	call    func()       // on the shard's goroutine; the group may be nil
}

// shard turns the crank of its groups' hosts, all on one goroutine. Shards share nothing but
// the storage's queues.
type shard struct {
	inbox chan event
	done  chan []replica.Completion // blocks the storage's lanes, never this goroutine
	tick  time.Duration
	// groups are those of this shard; its goroutine's alone.
	groups map[wire.GroupID]*group

	dropped atomic.Uint64
}

func newShard(tick time.Duration) *shard {
	return &shard{
		inbox: make(chan event, inboxEvents), done: make(chan []replica.Completion, 64),
		tick: tick, groups: make(map[wire.GroupID]*group),
	}
}

// offer hands in an event if there is room.
func (s *shard) offer(e event) bool {
	select {
	case s.inbox <- e:
		return true
	default:
		s.dropped.Add(1)
		return false
	}
}

// do runs f on the shard's goroutine and waits for it.
func (s *shard) do(ctx context.Context, f func()) error {
	finished := make(chan struct{})
	call := event{call: func() { f(); close(finished) }}
	select {
	case s.inbox <- call:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// adopt makes a group the shard's. It is before all that is handed in later.
func (s *shard) adopt(g *group) { s.inbox <- event{call: func() { s.groups[g.id] = g }} }

// run goes on until the context is done. A tick that comes while the shard is busy is one
// tick, however late: time that the process did not have counts for no timeout.
func (s *shard) run(ctx context.Context) {
	ticker := time.NewTicker(s.tick)
	defer ticker.Stop()
	for {
		// Completions first: others wait for what they set free.
		select {
		case done := <-s.done:
			s.complete(done)
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return
		case done := <-s.done:
			s.complete(done)
		case <-ticker.C:
			for _, g := range s.groups {
				g.tick()
			}
		case e := <-s.inbox:
			s.take(e)
		}
		s.work()
	}
}

// take handles an event and some of those behind it.
func (s *shard) take(e event) {
	for range turnEvents {
		e.handle()
		select {
		case e = <-s.inbox:
		default:
			return
		}
	}
	e.handle()
}

func (e *event) handle() {
	switch {
	case e.call != nil:
		e.call()
	case e.group.host == nil: // It has gone meanwhile.
		e.group.refuse(e.asked)
	case e.message != nil:
		e.group.host.Receive(e.message)
	case e.asked != nil:
		e.group.ask(e.asked)
	case e.reply != nil:
		e.group.answer(e.reply)
	}
}

func (s *shard) complete(done []replica.Completion) {
	for _, c := range done {
		if g := s.groups[c.Group]; g != nil {
			g.host.Complete(c)
		}
	}
}

// work goes on with executions that are left over, a little for each group.
func (s *shard) work() {
	for _, g := range s.groups {
		if g.host.Busy() {
			g.host.Work()
		}
	}
}
