package replica_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Small files, and a checkpoint every few ops.
const (
	ringFileBytes = 16 << 10
	ringFiles     = 6
	every         = 10
)

// checkpointing is a cluster that takes checkpoints in a small log.
func checkpointing(t testing.TB, groups int) *cluster {
	c := newCluster(t, vsr.PolicyPersisted, groups)
	c.options = func(o *replica.Options) {
		o.Log = wal.Config{FileBytes: ringFileBytes, FilesMax: ringFiles}
	}
	c.config = func(config *replica.Config) {
		config.CheckpointOps, config.ChunkBytes = every, 100
	}
	return c
}

// writes sends requests of client 1 with rising numbers; each value is its number.
func (c *cluster) writes(session wire.SessionNumber, from, to int) {
	for i := from; i <= to; i++ {
		require.Zero(c.t, c.request(write(0, session, i, uint64(i%7), uint64(i))).Status, "%d", i)
	}
}

// has demands that each process up has the values of writes up to a number.
func (c *cluster) has(upTo int) {
	for _, p := range c.processes {
		for i := upTo - 6; i <= upTo && p.storage != nil; i++ {
			require.Equal(c.t, uint64(i), p.value(uint64(i%7)), "process %d", p.id)
		}
	}
}

// The log is a ring: far more is committed than its files hold, by a group that works beside one
// that is idle, and all of it is there after a loss of power.
func TestMoreOpsAreCommittedThanTheLogHolds(t *testing.T) {
	t.Parallel()
	const ops = 1000 // of some 500 bytes, in files of 96 KiB
	c := checkpointing(t, 2)
	c.boot()
	session := c.register(0)
	c.register(1)
	c.writes(session, 1, ops)
	c.ticks(50)
	c.has(ops)
	for _, p := range c.processes {
		host := p.hosts[0]
		assert.Greater(t, p.storage.Released(), ringFiles)
		assert.Greater(t, host.Counters().Checkpoints, uint64(ops/every/2))
		assert.Greater(t, host.Checkpoint().Op, wire.Op(ops-3*every))
		assert.Positive(t, p.hosts[1].Counters().Repeated, "the idle group holds nothing up")
		p.kill(true)
	}
	c.sent = nil
	c.boot()
	c.primary(0)
	c.ticks(100)
	c.has(ops)
	c.writes(session, ops+1, ops+20)
}

// Large ops fill the log long before a checkpoint is due by their number: the log asks for one when
// it is half full, and goes on.
func TestALogThatLargeOpsFillAsksForCheckpoints(t *testing.T) {
	t.Parallel()
	for name, groups := range map[string]int{"of one group": 1, "beside an idle group": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := checkpointing(t, groups)
			c.config = func(config *replica.Config) {
				config.CheckpointOps = replica.DefaultCheckpointOps
			}
			c.options = func(o *replica.Options) {
				o.Log = wal.Config{FileBytes: 1 << 20, FilesMax: ringFiles}
			}
			c.boot()
			session := c.register(0)
			if groups > 1 {
				c.register(1)
			}
			const ops = 4 * 2 * ringFiles // of which two fill a file
			for i := 1; i <= ops; i++ {
				large := write(0, session, i, uint64(i%7), uint64(i))
				large.Body = append(large.Body, make([]byte, 400<<10)...)
				require.NotNil(t, c.request(large), "%d", i)
				require.False(t, c.processes[0].storage.Full(), "%d", i)
			}
			// One for each file that the ops fill: what a machine holds in memory is bounded.
			assert.GreaterOrEqual(t, c.processes[0].hosts[0].Counters().Checkpoints, uint64(ops/3))
			assert.Greater(t, c.processes[0].storage.Released(), ringFiles)
		})
	}
}

// Ops that wait are taken while a checkpoint is under way, and a host whose checkpoint is too old
// takes no others. So when it ends the next one is due, and no op will come that would begin it
// (R17).
func TestACheckpointIsDueWhenTheLastOneEnds(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 1)
	checkpoints := c.config
	c.config = func(config *replica.Config) {
		checkpoints(config)
		config.CheckpointOps, config.Limits = 4, vsr.Limits{BatchRequests: 1}
	}
	c.options = func(o *replica.Options) {
		o.Log = wal.Config{FileBytes: ringFileBytes, FilesMax: 64} // It does not ask for one.
	}
	c.boot()
	primary := c.primary(0)
	for _, p := range c.processes {
		p.still = replica.LaneState
	}
	const clients = 40 // More than a checkpoint and half a file of headers: 4 and 32.
	for i := range clients {
		primary.hosts[0].Request(&wire.Request{
			Client: wire.ClientID{Lo: uint64(100 + i)}, Number: 1,
			Operation: wire.OperationRegister,
		})
	}
	c.ticks(60)
	require.Equal(t, wire.Op(clients), primary.hosts[0].Standing().CommitMin)
	require.Zero(t, primary.hosts[0].Checkpoint().Op)
	for _, p := range c.processes {
		p.still = 0
	}
	c.register(0)
	for _, p := range c.processes {
		assert.Greater(t, p.hosts[0].Checkpoint().Op, wire.Op(clients-4))
	}
}

// A replica that was away finds that the others have let go of what it needs, and fetches a
// checkpoint, in many parts; a power loss in the middle begins anew.
func TestAReplicaThatWasAwayFetchesACheckpoint(t *testing.T) {
	t.Parallel()
	for name, loses := range map[string]bool{"at once": false, "with power lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := checkpointing(t, 1)
			c.boot()
			session := c.register(0)
			c.writes(session, 1, 5)
			away := c.processes[2]
			away.kill(false)
			c.writes(session, 6, 400)
			away.boot()
			if loses {
				c.until = func() bool { return len(must(away.disk.List(datadir.Incoming(0)))) > 0 }
				c.ticks(30)
				require.True(t, c.until(), "it has begun")
				require.Zero(t, away.hosts[0].Counters().Installed)
				away.kill(true)
				c.sent, c.until = nil, nil
				away.boot()
			}
			c.ticks(400)
			c.has(400)
			assert.Equal(t, uint64(1), away.hosts[0].Counters().Installed)
			assert.Empty(t, must(away.disk.List(datadir.Incoming(0))))
			// It takes part again: with it alone beside the primary requests commit.
			c.processes[1].kill(false)
			c.writes(session, 401, 420)
			c.ticks(30)
			c.has(420)
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sendBody is the body of a send of one message.
func sendBody(t *testing.T, payload string) []byte {
	var b batch.Builder
	require.NoError(t, b.Append(batch.Message{Timestamp: 1, Payload: []byte(payload)}))
	return protocol.MustAppend(nil, &protocol.Send{
		Stream: protocol.ID(1), Topic: protocol.ID(1),
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition}, Messages: 1,
		Batch: b.Bytes(),
	})
}

// A partition's checkpoint is its files beside the snapshot, and so is what travels.
func TestAPartitionsFilesAreItsCheckpoint(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 1)
	machines := map[int]*partition.Machine{}
	c.machine = func(p *process) statemachine.Machine {
		machines[p.id] = partition.New(partition.Config{
			Stream: 1, Topic: 1, PollBytes: 1 << 20, Disk: p.disk,
			Segments: segment.Config{
				Directory: datadir.Segments(0), SegmentBytes: 2000, IndexBytes: 400,
			},
		})
		return machines[p.id]
	}
	c.boot()
	session := c.register(0)
	sends := func(from, to int) {
		for i := from; i <= to; i++ {
			m := write(0, session, i, 0, 0)
			m.Operation, m.Body = protocol.OperationSend, sendBody(t, fmt.Sprintf("message %d", i))
			require.Zero(t, c.request(m).Status)
		}
	}
	sends(1, 5)
	away := c.processes[2]
	away.kill(false)
	sends(6, 300)
	away.boot()
	c.ticks(400)
	assert.Equal(t, uint64(1), away.hosts[0].Counters().Installed)
	for _, p := range c.processes {
		assert.Equal(t, uint64(300), machines[p.id].Stats().Next)
		assert.Equal(t, machines[0].Checksum(), machines[p.id].Checksum())
		assert.Less(t, machines[p.id].TailBytes(), int64(every*1000))
		p.kill(true)
	}
	c.sent = nil
	c.boot()
	c.primary(0)
	c.ticks(100)
	for _, p := range c.processes {
		assert.Equal(t, uint64(300), machines[p.id].Stats().Next)
		assert.Equal(t, machines[0].Checksum(), machines[p.id].Checksum())
	}
}

// A checkpoint is struck at each operation of the disk that it takes, by a kill and by power loss:
// the boot finds the old one or the new one, and nothing is lost.
func TestACrashAtEachStepOfACheckpointLeavesTheOldOrTheNew(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, powerLoss := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			for n := 0; ; n++ {
				struck := crashInCheckpoint(t, n, powerLoss, after)
				if !struck {
					break
				}
				cases++
			}
		}
	}
	assert.Greater(t, cases, 60)
	t.Logf("%d cases", cases)
}

// crashInCheckpoint lets the n-th operation fail from the moment that a checkpoint is due, and all
// behind it. It reports whether there was one.
func crashInCheckpoint(t *testing.T, n int, powerLoss, after bool) bool {
	c := checkpointing(t, 1)
	c.boot()
	session := c.register(0)
	c.writes(session, 1, 2*every-2) // the next op is due for the second checkpoint
	p := c.processes[2]
	c.ticks(30)
	old := p.hosts[0].Checkpoint().Op
	require.Equal(t, wire.Op(every), old)
	struck, count := errors.New("struck"), 0
	p.disk.Inject(func(memdisk.Operation) *memdisk.Fault {
		if count++; count > n {
			return &memdisk.Fault{Err: struck, After: after && count == n+1}
		}
		return nil
	})
	c.fatal = func(q *process, err error) {
		require.Same(t, p, q)
		require.ErrorIs(t, err, struck)
		p.disk.Inject(nil)
		p.kill(powerLoss)
	}
	c.writes(session, 2*every-1, 2*every+1)
	c.ticks(30)
	if p.storage != nil {
		p.disk.Inject(nil)
		require.Greater(t, p.hosts[0].Checkpoint().Op, old)
		require.LessOrEqual(t, count, n)
		return false
	}
	c.fatal = nil
	p.boot()
	require.Contains(t, []wire.Op{old, 2 * every}, p.hosts[0].Checkpoint().Op)
	c.ticks(200)
	c.writes(session, 2*every+2, 3*every)
	c.ticks(30)
	c.has(3 * every)
	return true
}
