package node

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startWorkers starts a shard's workers with ticks and a lane that the test has in its hand, and
// returns what waits for their end.
func startWorkers(
	ctx context.Context, s *shard, ticks chan time.Time, serve func() error,
) (wait func() []error) {
	var running sync.WaitGroup
	failed := make([]error, workers)
	for i := range failed {
		running.Go(func() { failed[i] = s.run(ctx, ticks, nil, serve) })
	}
	return func() []error { running.Wait(); return failed }
}

// Events are handled in the order in which they were handed in, one at a time, and none is
// forgotten, though two workers take turns and each does something between.
func TestTwoWorkersKeepTheOrderOfEvents(t *testing.T) {
	t.Parallel()
	const events = 20000
	ctx, stop := context.WithCancel(t.Context())
	s := newShard(time.Millisecond)
	var served atomic.Int64
	wait := startWorkers(ctx, s, make(chan time.Time), func() error { served.Add(1); return nil })
	var seen []int // by turn
	for i := range events {
		require.NoError(t, s.do(ctx, func() { seen = append(seen, -1) }))
		for !s.offer(event{call: func() { seen = append(seen, i) }}) {
			t.Fatal("there is room")
		}
	}
	require.NoError(t, s.do(ctx, func() {}))
	stop()
	assert.Equal(t, make([]error, workers), wait())
	require.Len(t, seen, 2*events)
	for i := range events {
		require.Equal(t, []int{-1, i}, seen[2*i:2*i+2])
	}
	assert.Positive(t, served.Load(), "after a turn the lane is looked at")
}

// Many hand in at once: nobody's event stays in the inbox for want of a worker that looks.
func TestNoEventWaitsForAnother(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := newShard(time.Millisecond)
	wait := startWorkers(ctx, s, make(chan time.Time), func() error { return nil })
	var clients sync.WaitGroup
	handled := 0 // by turn
	for range 8 {
		clients.Go(func() {
			for range 2000 {
				assert.NoError(t, s.do(ctx, func() { handled++ }))
			}
		})
	}
	clients.Wait()
	stop()
	wait()
	assert.Equal(t, 8*2000, handled)
}

// While one worker waits for the disk the other handles events and ticks. Where both could wait
// nothing would go on.
func TestEventsAndTicksGoOnWhileAWorkerWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lane bool // Only who has the lane waits for the disk.
	}{{"one worker has the lane", true}, {"each worker waits", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			s := newShard(time.Nanosecond)
			ticks := make(chan time.Time)
			var lane sync.Mutex
			waiting, disk := make(chan struct{}, workers), make(chan struct{})
			wait := startWorkers(ctx, s, ticks, func() error {
				if c.lane && !lane.TryLock() {
					return nil
				}
				waiting <- struct{}{}
				<-disk
				if c.lane {
					lane.Unlock()
				}
				return nil
			})
			s.rouse()
			<-waiting
			if c.lane {
				for range 100 {
					require.NoError(t, s.do(ctx, func() {}))
					ticks <- time.Time{}
				}
			} else {
				s.rouse()
				<-waiting
				select {
				case ticks <- time.Time{}:
					t.Error("no worker is free")
				default:
				}
			}
			stop()
			close(disk)
			wait()
		})
	}
}

// What the lane fails with ends the worker.
func TestAWorkerEndsWithTheErrorOfTheDisk(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := newShard(time.Millisecond)
	broken := errors.New("broken")
	wait := startWorkers(ctx, s, make(chan time.Time), func() error { stop(); return broken })
	s.rouse()
	assert.Contains(t, wait(), broken)
}

// Two ticks that workers have in their hands after a time that the process did not have are one.
func TestTicksAtOnceAreOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tick time.Duration
		one  bool
	}{{"at once", time.Hour, true}, {"one after the other", 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShard(c.tick)
			s.tickGroups()
			first := s.ticked
			s.tickGroups()
			assert.Equal(t, c.one, s.ticked.Equal(first))
		})
	}
}
