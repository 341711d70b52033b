package node

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// pollBytes is how much a poll returns, unless a single batch is larger.
const pollBytes = 4 << 20

// reconcile starts and stops the replicas of partitions as the executed metadata has it, until
// the context is done. An error means that a group cannot be hosted here: the process ends,
// since it would be missing in that group's quorums without anybody noticing.
func (n *Node) reconcile(ctx context.Context) error {
	ticker := time.NewTicker(rejoinPause)
	defer ticker.Stop()
	for {
		again := ticker.C
		if !n.replaced.pending() {
			again = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-n.catalogue.changed:
		case <-again:
		}
		now, err := n.look(ctx)
		if err != nil {
			return nil
		}
		if now.back {
			if err := n.rejoin(now.last); err != nil {
				return err
			}
		}
		for _, change := range now.changes {
			if err := n.carryOut(ctx, change, now.op); err != nil {
				return err
			}
		}
		for _, id := range now.gone {
			if err := n.remove(ctx, id, now.op); err != nil {
				return err
			}
		}
	}
}

// outlook is what the metadata as it is executed here says of the groups.
type outlook struct {
	changes []metadata.Change
	// op is the last that was executed, last the highest group that there ever was.
	op   wire.Op
	last wire.GroupID
	// back says that a replaced disk has the metadata again.
	back bool
	// gone are groups that the disk has something of, and that exist no more.
	gone []wire.GroupID
}

// look asks the metadata. Groups that are gone but still on the disk were removed in an earlier
// boot. A number above the last is of a group that the metadata is yet to execute.
//
// Errors: the context ends.
func (n *Node) look(ctx context.Context) (now outlook, err error) {
	strangers := n.storage.Strangers()
	err = n.catalogue.do(ctx, func() {
		machine, host := n.catalogue.machine, n.catalogue.group.host
		now.changes, now.op = machine.TakeChanges(), host.Sessions().Op()
		now.last = machine.LastGroup()
		now.back = n.replaced.pending() && n.replaced.back(host.Standing())
		for _, id := range strangers {
			if _, exists := machine.Group(id); !exists && id <= now.last {
				now.gone = append(now.gone, id)
			}
		}
	})
	return now, err
}

func (n *Node) carryOut(ctx context.Context, change metadata.Change, op wire.Op) error {
	id := change.Group.ID
	switch change.Kind {
	case metadata.GroupCreated:
		n.log.Debug("partition created", "group", id, "stream", change.Group.Stream,
			"topic", change.Group.Topic, "partition", change.Group.Partition)
		err := n.host(id, policyOf(change.Group.Options), n.newPartition(change.Group), nil)
		if err != nil {
			return err
		}
		return n.keepAs(ctx, change.Group)
	case metadata.GroupRemoved:
		n.log.Debug("partition removed", "group", id)
		return n.remove(ctx, id, op)
	case metadata.GroupChanged:
		return n.keepAs(ctx, change.Group)
	}
	return nil
}

// policyOf is what acknowledgements of a partition promise. It is that of its creation.
func policyOf(options metadata.TopicOptions) vsr.Policy {
	if options.Durability == metadata.Persisted {
		return vsr.PolicyPersisted
	}
	return vsr.PolicyReplicated
}

func (n *Node) newPartition(g metadata.Group) *partition.Machine {
	return partition.New(partition.Config{
		Stream: g.Stream, Topic: g.Topic, Partition: g.Partition, PollBytes: pollBytes,
		Disk: n.disk,
		Segments: segment.Config{
			Directory: datadir.Segments(g.ID), Group: g.ID,
			SegmentBytes: int64(g.Options.SegmentBytes), IndexBytes: 64 << 10,
		},
	})
}

// rootPause is how often the root's first password is looked after.
const rootPause = 200 * time.Millisecond

// giveRootPassword gives the root the configured password where it has none, once this replica
// is the primary of the metadata. It ends when the root has one.
func (n *Node) giveRootPassword(ctx context.Context, password string) error {
	ticker := time.NewTicker(rootPause)
	defer ticker.Stop()
	var body []byte
	for {
		var has, leads bool
		err := n.catalogue.do(ctx, func() {
			has = n.catalogue.machine.Login(metadata.RootName).Hash != ""
			leads = n.catalogue.group.host.Standing().Leads
		})
		if err != nil || has {
			return nil
		}
		if leads && body == nil {
			if body, err = metadata.RootPassword(rand.Reader, password); err != nil {
				return err
			}
		}
		if leads {
			_ = n.catalogue.do(ctx, func() { // Asked again where it did not work.
				n.catalogue.group.host.Request(&wire.Request{
					Operation: protocol.OperationChangePassword, UserID: metadata.RootID, Body: body,
				})
			})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
