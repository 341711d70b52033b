package node

import (
	"errors"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/wal"
)

// A flush takes as long as the disk does; meanwhile every shard takes turns, also that of the
// worker that waits, and what they ask for is on the disk when the flush after it has ended.
func TestShardsTakeTurnsWhileTheDiskFlushes(t *testing.T) {
	t.Parallel()
	b := newAppending(t, 2, 4)
	b.disk.Hold(datadir.Log)
	b.append(t, 0)
	take(t, b.disk.Waiting, "an append")
	for range 100 {
		for g := range 4 {
			b.append(t, g)
		}
	}
	_, flushes := b.storage.Counts()
	assert.Zero(t, flushes, "the disk is at it")
	b.disk.Let <- nil
	// Nobody was woken for it: who had the lane has looked again.
	take(t, b.disk.Waiting, "the others")
	b.disk.Let <- nil
	b.disk.Hold()
	b.end(t)
	assert.False(t, b.storage.Ready(replica.LaneLog))
	batches, flushes := b.storage.Counts()
	assert.Equal(t, []int{2, 2}, []int{batches, flushes})
}

// Whatever the shards do at once, nothing that they ask for stays where it is: each record is
// stored, though nobody asks for another that would have a worker look at the lane again.
func TestNothingAskedOfTheLogIsForgotten(t *testing.T) {
	t.Parallel()
	const groups, rounds = 3, 6000
	b := newHosting(t, groups, groups, -1, registers)
	for range rounds {
		var clients sync.WaitGroup
		for g := range groups {
			clients.Go(func() { b.ask(t, g) })
		}
		clients.Wait()
		for g := range groups {
			b.answered(t, g)
		}
	}
	b.end(t)
	for s := range b.shards {
		require.Len(t, b.heard[s], rounds)
		for _, r := range b.heard[s] {
			_, err := b.storage.Read(r.group, r.id)
			require.NoError(t, err)
		}
	}
}

// Who finds the lane taken goes its way, so who lets go of it looks again: when all have gone their
// way it has nothing left to do.
func TestWhoLetsGoOfTheLaneLooksAgain(t *testing.T) {
	t.Parallel()
	const askers, rounds, spread = 2, 40000, 8191
	b := newAppending(t, askers, askers)
	b.end(t) // The test itself asks, and has nobody else at the lane.
	var asked, gone atomic.Int64
	round := func(g, n int) {
		asked.Add(1)
		for asked.Load() < int64(askers*n) {
			runtime.Gosched()
		}
		for range g * n % spread {
			asked.Load() // Another asks now sooner, now later, while the first is at it.
		}
		b.ask(g)
		assert.NoError(t, b.serveLog(t.Context()))
		gone.Add(1)
	}
	var running sync.WaitGroup
	forgotten := 0
	for g := range askers {
		running.Go(func() {
			for n := 1; n <= rounds; n++ {
				round(g, n)
				for gone.Load() < int64(askers*n) {
					runtime.Gosched()
				}
				if g == 0 && b.storage.Ready(replica.LaneLog) {
					forgotten++
				}
			}
		})
	}
	running.Wait()
	assert.Zero(t, forgotten)
}

// Hosts hear of what is stored in the order in which the log has it, whichever workers were at it:
// all those of a shard together.
func TestCompletionsComeInTheOrderOfTheLog(t *testing.T) {
	t.Parallel()
	const shards, groups, asks = 2, 8, 500
	b := newHosting(t, shards, groups, -1, registers)
	var clients sync.WaitGroup
	for g := range groups {
		clients.Go(func() {
			for range asks {
				b.ask(t, g)
			}
		})
	}
	clients.Wait()
	for g := range groups {
		for range asks {
			b.answered(t, g)
		}
	}
	b.end(t)
	require.NoError(t, b.storage.Close())
	_, report, err := wal.Open(b.memory, laneLog(2))
	require.NoError(t, err)
	logged := make([][]loggedOp, shards)
	for _, r := range report.Records {
		if r.Kind == wal.KindPrepare {
			s := int(r.Group) % shards
			logged[s] = append(logged[s], loggedOp{r.Group, r.ID()})
		}
	}
	for s := range logged {
		require.Len(t, logged[s], groups/shards*asks)
		require.Equal(t, logged[s], b.heard[s], "shard %d", s)
	}
}

// What the disk fails with ends the process, whichever worker was at it.
func TestADiskThatFailsEndsTheWorkers(t *testing.T) {
	t.Parallel()
	b := newAppending(t, 2, 2)
	b.disk.Hold(datadir.Log)
	b.append(t, 1)
	take(t, b.disk.Waiting, "an append")
	broken := errors.New("the disk is broken")
	b.disk.Let <- broken
	require.ErrorIs(t, b.work.Wait(), broken)
	require.ErrorIs(t, b.storage.Err(), broken)
	b.stop()
}

// What a checkpoint lets the log's lane do is done while the next snapshot is being written,
// however long the disk takes for that: here the state record above the new checkpoint.
func TestTheLogDoesNotWaitForTheNextSnapshot(t *testing.T) {
	t.Parallel()
	const ops = 4 // between two checkpoints
	b := newHosting(t, 2, 2, ops, registers)
	b.disk.Hold(datadir.Snapshots(0), datadir.Snapshots(1))
	for range ops {
		b.ask(t, 0)
		b.answered(t, 0)
	}
	assert.Contains(t, take(t, b.disk.Waiting, "a checkpoint"), datadir.Snapshots(0))
	for range ops + 1 { // The last is stored behind what the next checkpoint waits for.
		b.ask(t, 1)
		b.answered(t, 1)
	}
	b.disk.Hold(datadir.Snapshots(1), datadir.Log)
	b.disk.Let <- nil
	var flushed []string
	for range 2 { // Which comes first is for the disk to say.
		flushed = append(flushed, path.Dir(take(t, b.disk.Waiting, "both lanes are at it")))
	}
	assert.ElementsMatch(t, []string{datadir.Snapshots(1), datadir.Log}, flushed)
	b.disk.Hold()
	b.disk.Let <- nil
	b.disk.Let <- nil
	b.end(t)
}
