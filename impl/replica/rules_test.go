package replica_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Under the policy replicated no prepare is waited for; a log view is, always (R2).
func TestAStateRecordCountsWhenItIsFlushedWhateverThePolicy(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyReplicated, 1)
	c.boot()
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
	var before []int
	for _, p := range c.processes {
		_, flushes := p.storage.Counts()
		before = append(before, flushes)
	}
	require.Equal(t, []int{0, 0, 0}, before, "nothing but a log view is flushed")
	c.processes[1].hosts[0].LeaveView()
	c.ticks(1)
	require.Equal(t, wire.View(1), c.primary(0).hosts[0].Standing().LogView)
	for _, p := range c.processes {
		_, flushes := p.storage.Counts()
		assert.Positive(t, flushes, "replica %d", p.id)
	}
}

func TestADirectoryOfAnotherReplicaIsRefused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	p := c.processes[0]
	for name, config := range map[string]replica.GroupConfig{
		"another replica":         {Replica: 1, ReplicaCount: 3},
		"a group of another size": {Replica: 0, ReplicaCount: 5},
	} {
		p.kill(false)
		storage, err := replica.Open(p.disk, replica.Options{
			Cluster: clusterID, Incarnation: wire.Incarnation{Lo: 9}, Kernel: wire.Uint128{Lo: 1},
		})
		require.NoError(t, err)
		_, err = replica.NewHost(replica.Config{GroupConfig: config}, storage, &counter{}, c, p)
		require.ErrorContains(t, err, "the data directory is of replica 0 of 3", name)
	}
}

// What cannot be read when its turn comes is repaired from a peer and executed then (R6).
func TestAnUnreadableOpIsRepairedAndExecuted(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.machine = func(*process) statemachine.Machine { return &counter{} }
	c.boot()
	session := c.register(0)
	long := bytes.Repeat([]byte{7}, 8*memdisk.SectorBytes)
	for i := 1; i <= 3; i++ {
		request := write(0, session, i, 1, 2)
		request.Body = append(request.Body, long...)
		require.Zero(t, c.request(request).Status)
	}
	c.ticks(30)
	p := c.processes[2]
	p.kill(false)
	p.boot()
	rotten := 0
	for _, op := range p.disk.Operations() {
		if op.Kind == memdisk.OperationWrite && op.Bytes > int64(len(long)) &&
			op.Bytes < 2*int64(len(long)) {
			require.NoError(t, p.disk.Rot(op.Path, op.Offset+op.Bytes/2, 1))
			rotten++
		}
	}
	require.GreaterOrEqual(t, rotten, 3)
	c.ticks(300)
	assert.Positive(t, p.hosts[0].Counters().Unreadable)
	assert.Equal(t, wire.Op(4), p.hosts[0].Standing().CommitMin)
}
