package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// leaves gives group 1 up on all processes, as group 0 says from its present op on.
func (c *cluster) leaves() {
	c.groups, c.sent = 1, nil
	for _, p := range c.processes {
		require.NoError(c.t, p.hosts[1].Close())
		delete(p.hosts, 1)
		p.storage.Forget(1, 0, p.hosts[0].Sessions().Op())
	}
}

func (p *process) knows(id wire.GroupID) bool {
	for _, g := range p.storage.Groups() {
		if g.Group == id {
			return true
		}
	}
	return false
}

// A group that is gone keeps nothing: neither files of the log, of which the other group needs all,
// nor files of its own, nor a place in the superblock.
func TestAGroupThatIsGoneKeepsNothing(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 2)
	c.boot()
	session, other := c.register(0), c.register(1)
	for i := 1; i <= 3*every; i++ {
		require.Zero(t, c.request(write(1, other, i, 1, uint64(i))).Status)
	}
	c.writes(session, 1, 3)
	c.ticks(20)
	require.NotEmpty(t, must(c.processes[0].disk.List(datadir.Snapshots(1))))
	c.leaves()
	const ops = 1000 // of some 500 bytes, in files of 96 KiB
	c.writes(session, 4, ops)
	c.ticks(50)
	c.has(ops)
	for _, p := range c.processes {
		assert.Greater(t, p.storage.Released(), ringFiles)
		assert.False(t, p.knows(1))
		assert.Empty(t, must(p.disk.List(datadir.Snapshots(1))))
		p.kill(true)
	}
	c.sent = nil
	c.boot()
	for _, p := range c.processes {
		assert.Empty(t, p.storage.Strangers())
	}
	c.primary(0)
	c.ticks(100)
	c.has(ops)
}

// R15: a mark of doubt stands for groups too that only the superblock knows, before their hosts
// are there. The log goes on without them until it is full.
func TestAMarkOfDoubtWaitsForGroupsWithoutAHost(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 2)
	c.boot()
	session := c.register(0)
	body := make([]byte, 8*memdisk.SectorBytes)
	long := write(0, session, 1, 1, 1)
	long.Body = append(long.Body, body...)
	require.Zero(t, c.request(long).Status)
	c.writes(session, 2, 3)
	p := c.processes[2]
	rotten := p.batchOf(len(body))
	for at := range rotten.Bytes {
		require.NoError(t, p.disk.Rot(rotten.Path, rotten.Offset+at, 0x55))
	}
	p.kill(true)
	c.groups, c.sent = 1, nil
	for _, other := range c.processes[:2] {
		require.NoError(t, other.hosts[1].Close())
		delete(other.hosts, 1)
	}
	p.boot()
	require.True(t, p.storage.Report().Damaged)
	require.Equal(t, []wire.GroupID{1}, p.storage.Strangers())
	c.ticks(200)
	c.writes(session, 4, 700)
	c.ticks(50)
	assert.Positive(t, c.processes[0].storage.Released())
	assert.Zero(t, p.storage.Released(), "nothing newer says that group 1 is in doubt")
	p.kill(true)
	c.groups, c.sent = 2, nil
	p.boot()
	assert.True(t, p.hosts[1].Standing().Untrusted)
}

// Until the keeper's checkpoint covers the removal a boot begins where the group still exists: all
// of it is there then. What such a boot finds and nobody asks for is a stranger, and may go.
func TestAGroupThatIsGoneIsBackAfterABootBelowItsRemoval(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 2)
	c.config = func(config *replica.Config) { config.CheckpointOps = -1 }
	c.boot()
	session, other := c.register(0), c.register(1)
	for i := 1; i <= every; i++ {
		require.Zero(t, c.request(write(1, other, i, 1, uint64(i))).Status)
	}
	c.writes(session, 1, 3)
	c.ticks(20)
	c.leaves()
	c.ticks(20)
	for _, p := range c.processes {
		require.True(t, p.knows(1))
		p.kill(true)
	}
	c.groups, c.sent = 2, nil
	c.boot()
	c.primary(1)
	c.ticks(50)
	for _, p := range c.processes {
		assert.Equal(t, uint64(every), p.valueOf(1, 1), "process %d", p.id)
		p.kill(true)
	}
	c.groups, c.sent = 1, nil
	c.boot()
	for _, p := range c.processes {
		assert.Equal(t, []wire.GroupID{1}, p.storage.Strangers())
		p.storage.Forget(1, 0, p.hosts[0].Sessions().Op())
		assert.Empty(t, p.storage.Strangers())
	}
}
