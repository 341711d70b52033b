package node

import (
	"context"
	"fmt"
	"time"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// runLane does what one lane of the storage has to do, until the context is done or the disk
// fails, which ends the process: nobody knows then what the disk holds.
func (n *Node) runLane(ctx context.Context, lane replica.Lane) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.storage.Wake(lane):
		}
		for n.storage.Ready(lane) && ctx.Err() == nil {
			done, err := n.storage.Work(lane)
			if err != nil {
				return fmt.Errorf("write to %s: %w", n.config.DataDir, err)
			}
			n.spread(ctx, done)
		}
	}
}

// spread hands completions to the shards of their groups.
func (n *Node) spread(ctx context.Context, done []replica.Completion) {
	if len(n.shards) == 1 {
		n.shards[0].deliver(ctx, done)
		return
	}
	each := make(map[*shard][]replica.Completion)
	for _, c := range done {
		s := n.shardOf(c.Group)
		each[s] = append(each[s], c)
	}
	for _, s := range n.shards {
		s.deliver(ctx, each[s])
	}
}

func (s *shard) deliver(ctx context.Context, done []replica.Completion) {
	if len(done) == 0 {
		return
	}
	select {
	case s.done <- done:
	case <-ctx.Done():
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
