package node

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// inTime bounds the waits of these tests. Only failures reach it.
const inTime = 10 * time.Second

// take returns what a channel has to say in time.
func take[T any](t *testing.T, from <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(inTime):
		require.FailNow(t, "nothing came of it", what)
	}
	return value
}

// laneBench is what there is of a node without sockets: shards, the storage and its lanes. No tick
// comes that would have somebody look at a lane which was forgotten.
type laneBench struct {
	*Node
	memory *memdisk.Disk
	disk   *disktest.Gated
}

var laneCluster = wire.ClusterIDOf("lanes")

func laneOptions(incarnation uint64) replica.Options {
	return replica.Options{
		Cluster: laneCluster, Incarnation: wire.Incarnation{Lo: incarnation},
		Log: wal.Config{FileBytes: 16 << 20},
	}
}

// laneLog opens the log of a bench once more.
func laneLog(incarnation uint64) wal.Config {
	c := wal.DefaultConfig(datadir.Log)
	c.FileBytes, c.Incarnation = 16<<20, wire.Uint128{Lo: incarnation}
	return c
}

// newLaneBench opens a storage; what the test adds is served from start on.
func newLaneBench(t *testing.T, shards int) *laneBench {
	t.Helper()
	b := &laneBench{Node: &Node{}, memory: memdisk.New(1)}
	b.disk = disktest.NewGated(b.memory)
	require.NoError(t, replica.Format(b.disk, laneCluster))
	var err error
	b.storage, err = replica.Open(b.disk, laneOptions(1))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	b.stop = stop
	b.work, b.ctx = errgroup.WithContext(ctx)
	for range shards {
		b.shards = append(b.shards, newShard(time.Hour))
	}
	return b
}

// end stops the workers, which had no reason to stop before.
func (b *laneBench) end(t *testing.T) {
	t.Helper()
	b.stop()
	require.NoError(t, b.work.Wait())
}

// appending are groups without hosts.
type appending struct {
	*laneBench
	appenders []*replica.Appender
	ops       []wire.Op
}

func newAppending(t *testing.T, shards, groups int) *appending {
	t.Helper()
	b := &appending{laneBench: newLaneBench(t, shards), ops: make([]wire.Op, groups)}
	for g := range groups {
		a, err := b.storage.NewAppender(replica.GroupConfig{
			Group: wire.GroupID(g), ReplicaCount: 1, Fresh: true,
		})
		require.NoError(t, err)
		b.appenders = append(b.appenders, a)
	}
	b.startShards()
	return b
}

// append has a group append in a turn of its shard.
func (b *appending) append(t *testing.T, g int) {
	t.Helper()
	assert.NoError(t, b.shardOf(wire.GroupID(g)).do(b.ctx, func() { b.ask(g) }))
}

// ask appends what comes next in a group.
func (b *appending) ask(g int) {
	b.ops[g]++
	p := &wire.Prepare{Header: wire.PrepareHeader{
		Group: wire.GroupID(g), Op: b.ops[g], Operation: wire.OperationRegister,
	}, Body: []byte("body")}
	p.Seal()
	b.appenders[g].Append(p)
}

// hosting are groups with hosts of one replica each, that answer.
type hosting struct {
	*laneBench
	hosted []*hostedGroup
	// heard are the ops, shard by shard, that hosts were told to be stored; by turn.
	heard [][]loggedOp
}

// loggedOp is a prepare in the log.
type loggedOp struct {
	group wire.GroupID
	id    wire.PrepareID
}

// hostedGroup is a group with its client, who asks one thing after the other.
type hostedGroup struct {
	*group
	replies chan *wire.Reply
	clients uint64 // by turn
}

// Send implements replica.Network: there is nobody else.
func (*hostedGroup) Send(wire.GroupID, wire.ReplicaID, wire.Message) {}

// Reply implements replica.Network.
func (g *hostedGroup) Reply(m *wire.Reply) { g.replies <- m }

// newHosting boots hosts of a machine each, that take a checkpoint every so many ops.
func newHosting(
	t *testing.T, shards, groups, checkpointOps int,
	machine func(g wire.GroupID, disk storage.Disk) statemachine.Machine,
) *hosting {
	t.Helper()
	b := &hosting{laneBench: newLaneBench(t, shards), heard: make([][]loggedOp, shards)}
	for id := range wire.GroupID(groups) {
		g := &hostedGroup{replies: make(chan *wire.Reply, inboxEvents)}
		g.group = &group{id: id, shard: b.shardOf(id)}
		var err error
		g.host, err = replica.NewHost(replica.Config{
			GroupConfig:   replica.GroupConfig{Group: id, ReplicaCount: 1, Fresh: true},
			CheckpointOps: checkpointOps,
			OnEvent: func(e vsr.Event) {
				if e.Action == vsr.ActionClientRequest { // The primary's own prepare is stored.
					s := int(id) % shards
					b.heard[s] = append(b.heard[s], loggedOp{id, wire.PrepareID{
						Op: e.Op, Checksum: e.Checksum,
					}})
				}
			},
		}, b.storage, machine(id, b.disk), systemClock{}, g)
		require.NoError(t, err)
		g.shard.groups[id] = g.group
		b.hosted = append(b.hosted, g)
	}
	b.startShards()
	return b
}

func registers(wire.GroupID, storage.Disk) statemachine.Machine {
	return statemachine.NewRegister()
}

// ask has a new client ask for a session in a turn of the group's shard: an op of its own.
func (b *hosting) ask(t *testing.T, id int) {
	t.Helper()
	g := b.hosted[id]
	assert.NoError(t, g.shard.do(b.ctx, func() {
		g.clients++
		g.host.Request(&wire.Request{
			Cluster: laneCluster, Group: g.id, Client: wire.ClientID{Lo: g.clients}, Number: 1,
			Operation: wire.OperationRegister,
		})
	}))
}

// answered waits for the reply to one of the group's requests, which says that its op is stored.
func (b *hosting) answered(t *testing.T, id int) {
	t.Helper()
	require.Zero(t, take(t, b.hosted[id].replies, "a request was asked").Status)
}
