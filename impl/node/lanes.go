package node

import (
	"context"
	"fmt"
	"time"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// startShards starts the workers of all shards, and the goroutine of the state's lane.
func (n *Node) startShards() {
	for _, s := range n.shards {
		ticker := time.NewTicker(s.tick)
		for range workers {
			n.work.Go(func() error {
				defer ticker.Stop()
				return s.run(n.ctx, ticker.C, n.storage.Wake(replica.LaneLog), func() error {
					return n.serveLog(n.ctx)
				})
			})
		}
	}
	n.work.Go(func() error { return n.runStateLane(n.ctx) })
}

// serveLog does what the log's lane has to do, for all groups, unless another worker does: that
// one looks again once it has let go of the lane. So one worker of the process at most waits for
// the log, and all shards have another for their events and ticks. What a host asked for in a turn
// is on its way to the disk without waking anybody.
func (n *Node) serveLog(ctx context.Context) error {
	for n.storage.Ready(replica.LaneLog) && ctx.Err() == nil {
		if !n.logLane.TryLock() {
			return nil
		}
		err := n.workLane(ctx, replica.LaneLog)
		n.logLane.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// runStateLane does what the state's lane has to do, on a goroutine of its own: what it waits for
// does not hold up the log, and the log not it. Its completions can have hosts ask the log for
// something, which is for a worker.
func (n *Node) runStateLane(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.storage.Wake(replica.LaneState):
		}
		if err := n.workLane(ctx, replica.LaneState); err != nil {
			return err
		}
	}
}

// workLane works for a lane until it has nothing to do, the context is done or the disk fails,
// which ends the process: nobody knows then what the disk holds. Who calls has the lane, so that
// completions come to a host in their order.
func (n *Node) workLane(ctx context.Context, lane replica.Lane) error {
	for n.storage.Ready(lane) && ctx.Err() == nil {
		done, err := n.storage.Work(lane)
		if err != nil {
			return fmt.Errorf("write to %s: %w", n.config.DataDir, err)
		}
		n.spread(done)
		if lane == replica.LaneState && n.storage.Ready(replica.LaneLog) {
			n.shards[0].rouse() // At once: the next snapshot may take long.
		}
	}
	return nil
}

// spread hands completions to the hosts of their groups.
func (n *Node) spread(done []replica.Completion) {
	if len(done) == 0 {
		return
	}
	if len(n.shards) == 1 || len(done) == 1 {
		n.shardOf(done[0].Group).deliver(done)
		return
	}
	each := make(map[*shard][]replica.Completion)
	for _, c := range done {
		s := n.shardOf(c.Group)
		each[s] = append(each[s], c)
	}
	for _, s := range n.shards {
		if len(each[s]) > 0 {
			s.deliver(each[s])
		}
	}
}

// shardOf says where a group's host runs.
func (n *Node) shardOf(group wire.GroupID) *shard {
	return n.shards[uint64(group)%uint64(len(n.shards))]
}

// tickStorage lets time pass for the storage.
func (n *Node) tickStorage(ctx context.Context) {
	ticker := time.NewTicker(time.Duration(n.config.Run.Tick))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			n.storage.Tick()
		}
	}
}
