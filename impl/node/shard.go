package node

import (
	"context"
	"sync"
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
	call    func()       // in a turn of the shard; the group may be nil
}

// workers is how many goroutines a shard has. They are interchangeable: while one waits for the
// disk, for all groups of the process, the other has the shard's events and ticks.
const workers = 2

// shard turns the crank of its groups' hosts, for one worker at a time: the one that has the turn.
// Shards share nothing but the storage's queues.
//
// Order of locks: a lane of the storage, then the turn of one shard. Who has a turn never waits for
// a lane, and has no other turn; so no turn waits for the disk of a lane.
type shard struct {
	// inbox is taken from by who has the turn alone, so that events keep their order.
	inbox chan event
	// wake has a worker look at the inbox; pending is how much is in it. None is woken while the
	// shard is busy: who has the turn looks again when it has ended it.
	wake    chan struct{}
	pending atomic.Int64
	busy    atomic.Bool

	turn   sync.Mutex
	tick   time.Duration
	ticked time.Time // the last tick that counted; by turn
	// groups are those of this shard; by turn.
	groups map[wire.GroupID]*group

	dropped atomic.Uint64
}

func newShard(tick time.Duration) *shard {
	return &shard{
		inbox: make(chan event, inboxEvents), wake: make(chan struct{}, 1),
		tick: tick, groups: make(map[wire.GroupID]*group),
	}
}

// offer hands in an event if there is room.
func (s *shard) offer(e event) bool {
	select {
	case s.inbox <- e:
		s.handedIn()
		return true
	default:
		s.dropped.Add(1)
		return false
	}
}

func (s *shard) handedIn() {
	s.pending.Add(1)
	if !s.busy.Load() {
		s.rouse()
	}
}

// rouse has a worker look at the inbox and at the log's lane.
func (s *shard) rouse() {
	select {
	case s.wake <- struct{}{}:
	default: // One will.
	}
}

// do runs f in a turn of the shard and waits for it.
func (s *shard) do(ctx context.Context, f func()) error {
	finished := make(chan struct{})
	call := event{call: func() { f(); close(finished) }}
	select {
	case s.inbox <- call:
		s.handedIn()
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
func (s *shard) adopt(g *group) {
	s.inbox <- event{call: func() { s.groups[g.id] = g }}
	s.handedIn()
}

// run is a worker: it goes on until the context is done, or until serve, which works for the log's
// lane outside of the turn, fails. Ticks and what wakes the lane are for whichever worker is free.
func (s *shard) run(
	ctx context.Context, ticks <-chan time.Time, lane <-chan struct{}, serve func() error,
) error {
	for {
		ticked := false
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
			ticked = true
		case <-s.wake:
		case <-lane:
		}
		more := s.inTurn(func() {
			if ticked {
				s.tickGroups()
			}
			s.take()
		})
		if more {
			s.rouse() // Whoever is free goes on: this worker may have to wait for the disk.
		}
		if err := serve(); err != nil {
			return err
		}
	}
}

// inTurn does something in a turn, and a little of what is left over. It says whether there is
// more to do.
func (s *shard) inTurn(do func()) bool {
	s.turn.Lock()
	s.busy.Store(true)
	do()
	left := s.work()
	s.busy.Store(false)
	s.turn.Unlock()
	return left || s.pending.Load() > 0
}

// tickGroups lets a tick pass. One that comes while the shard is busy is one tick, however late:
// time that the process did not have counts for no timeout. Each worker can have one in its hand
// after such a time, and those are one.
func (s *shard) tickGroups() {
	now := time.Now()
	if now.Sub(s.ticked) < s.tick/2 {
		return
	}
	s.ticked = now
	for _, g := range s.groups {
		g.tick()
	}
}

// take handles events that wait, in their order, but not too many.
func (s *shard) take() {
	for range turnEvents {
		select {
		case e := <-s.inbox:
			s.pending.Add(-1)
			e.handle()
		default:
			return
		}
	}
}

// deliver hands completions to their hosts, at once.
func (s *shard) deliver(done []replica.Completion) {
	if s.inTurn(func() { s.complete(done) }) {
		s.rouse()
	}
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

// work goes on with executions that are left over, a little for each group. It says whether some
// are left still.
func (s *shard) work() (left bool) {
	for _, g := range s.groups {
		if g.host.Busy() {
			g.host.Work()
			left = left || g.host.Busy()
		}
	}
	return left
}
