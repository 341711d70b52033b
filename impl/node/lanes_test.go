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
	"golang.org/x/sync/errgroup"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// gatedDisk is a disk whose files of the log are flushed when the test lets them.
type gatedDisk struct {
	storage.Disk
	gated atomic.Bool
	// each flush says that it waits, and takes what comes of it.
	waiting chan struct{}
	let     chan error
}

// Open implements [storage.Disk].
func (d *gatedDisk) Open(path string) (storage.File, error) {
	f, err := d.Disk.Open(path)
	if err != nil {
		return nil, err
	}
	return gatedFile{f, d}, nil
}

type gatedFile struct {
	storage.File
	disk *gatedDisk
}

// Sync implements [storage.File].
func (f gatedFile) Sync() error {
	if f.disk.gated.Load() {
		f.disk.waiting <- struct{}{}
		if err := <-f.disk.let; err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// laneBench is what there is of a node without sockets: shards, the storage and its lanes.
type laneBench struct {
	*Node
	disk      *gatedDisk
	appenders []*replica.Appender
	ops       []wire.Op
}

func newLaneBench(t *testing.T, shards, groups int) *laneBench {
	t.Helper()
	b := &laneBench{
		disk: &gatedDisk{
			Disk: memdisk.New(1), waiting: make(chan struct{}), let: make(chan error),
		},
		Node: &Node{}, ops: make([]wire.Op, groups),
	}
	cluster := wire.ClusterIDOf("lanes")
	require.NoError(t, replica.Format(b.disk, cluster))
	var err error
	b.storage, err = replica.Open(b.disk, replica.Options{
		Cluster: cluster, Incarnation: wire.Incarnation{Lo: 1},
		Log: wal.Config{FileBytes: 16 << 20},
	})
	require.NoError(t, err)
	for g := range groups {
		a, err := b.storage.NewAppender(replica.GroupConfig{
			Group: wire.GroupID(g), ReplicaCount: 1, Fresh: true,
		})
		require.NoError(t, err)
		b.appenders = append(b.appenders, a)
	}
	ctx, stop := context.WithCancel(t.Context())
	b.stop = stop
	b.work, b.ctx = errgroup.WithContext(ctx)
	for range shards {
		b.shards = append(b.shards, newShard(time.Millisecond))
	}
	b.startShards()
	return b
}

// append has a group append in a turn of its shard.
func (b *laneBench) append(t *testing.T, g int) {
	t.Helper()
	assert.NoError(t, b.shardOf(wire.GroupID(g)).do(b.ctx, func() {
		b.ops[g]++
		p := &wire.Prepare{Header: wire.PrepareHeader{
			Group: wire.GroupID(g), Op: b.ops[g], Operation: wire.OperationRegister,
		}, Body: []byte("body")}
		p.Seal()
		b.appenders[g].Append(p)
	}))
}

// A flush takes as long as the disk does; meanwhile every shard takes turns, also that of the
// worker that waits, and what they ask for is on the disk when the flush after it has ended.
func TestShardsTakeTurnsWhileTheDiskFlushes(t *testing.T) {
	t.Parallel()
	b := newLaneBench(t, 2, 4)
	b.disk.gated.Store(true)
	b.append(t, 0)
	<-b.disk.waiting
	for range 100 {
		for g := range 4 {
			b.append(t, g)
		}
	}
	_, flushes := b.storage.Counts()
	assert.Zero(t, flushes, "the disk is at it")
	b.disk.let <- nil
	<-b.disk.waiting // Nobody was woken for it: who had the lane has looked again.
	b.disk.let <- nil
	b.disk.gated.Store(false)
	b.stop()
	require.NoError(t, b.work.Wait())
	assert.False(t, b.storage.Ready(replica.LaneLog))
	batches, flushes := b.storage.Counts()
	assert.Equal(t, []int{2, 2}, []int{batches, flushes})
}

// Whatever the shards do at once, nothing that they ask for stays where it is.
func TestNothingAskedOfTheLogIsForgotten(t *testing.T) {
	t.Parallel()
	const groups = 16
	b := newLaneBench(t, 3, groups)
	var clients sync.WaitGroup
	for g := range groups {
		clients.Go(func() {
			for range 200 {
				b.append(t, g)
			}
		})
	}
	clients.Wait()
	assert.Eventually(t, func() bool { return !b.storage.Ready(replica.LaneLog) },
		10*time.Second, time.Millisecond)
	b.stop()
	require.NoError(t, b.work.Wait())
}

// What the disk fails with ends the process, whichever worker was at it.
func TestADiskThatFailsEndsTheWorkers(t *testing.T) {
	t.Parallel()
	b := newLaneBench(t, 2, 2)
	b.disk.gated.Store(true)
	b.append(t, 1)
	<-b.disk.waiting
	broken := errors.New("the disk is broken")
	b.disk.let <- broken
	require.ErrorIs(t, b.work.Wait(), broken)
	require.ErrorIs(t, b.storage.Err(), broken)
	b.stop()
}
