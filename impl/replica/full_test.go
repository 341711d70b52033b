package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// small gives a log small files, so that a few requests fill one.
func small(o *replica.Options) { o.Log.FileBytes, o.Log.FilesMax = 16<<10, 64 }

// limit leaves the disks of some processes no room beyond what they have set aside; of nobody
// if there are none named: then all have room.
func (c *cluster) limit(full ...int) {
	for _, p := range c.processes {
		p.disk.Limit(0)
	}
	for _, i := range full {
		c.processes[i].disk.Limit(c.processes[i].disk.UsedBytes())
	}
}

// fill sends writes until one is refused because the disk is full, and returns how many were
// acknowledged, from the number first on.
func (c *cluster) fill(session wire.SessionNumber, first int) (acknowledged int) {
	const most = 200
	for n := first; n < first+most; n++ {
		c.replies = nil
		c.primary(0).hosts[0].Request(write(0, session, n, uint64(n), uint64(1000+n)))
		c.settle()
		if len(c.replies) == 0 {
			continue // It is in the log, and waits for room.
		}
		last := c.replies[len(c.replies)-1]
		switch last.Status {
		case 0:
			acknowledged++
		case replica.StatusDiskFull:
			return acknowledged
		default:
			require.Fail(c.t, "another answer", "status %d", last.Status)
		}
	}
	require.Fail(c.t, "nothing was refused")
	return 0
}

// A full disk is an answer: clients are told, nothing that was acknowledged is lost, and when
// space returns the same request is executed.
func TestAFullDiskIsATypedAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		full []int
		// restart says that the processes are killed while their disks are full.
		restart bool
	}{
		"of the primary":                {full: []int{0}},
		"of all":                        {full: []int{0, 1, 2}},
		"of all, who die and come back": {full: []int{0, 1, 2}, restart: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, vsr.PolicyPersisted, 1)
			c.options = small
			c.boot()
			session := c.register(0)
			require.Zero(t, c.request(write(0, session, 1, 1, 1001)).Status)
			require.Same(t, c.processes[0], c.primary(0))
			c.limit(tc.full...)
			acknowledged := 1 + c.fill(session, 2)
			assert.Greater(t, acknowledged, 3, "what was set aside is used first")
			assert.Positive(t, c.processes[0].hosts[0].Counters().Refused[replica.RefuseFull])
			require.True(t, c.processes[0].storage.Full())

			if tc.restart {
				c.reboot()
			}
			c.limit()
			c.ticks(100)
			next := acknowledged + 1
			reply := c.request(write(0, session, next, uint64(next), uint64(1000+next)))
			require.Zero(t, reply.Status, "space has returned")
			require.False(t, c.primary(0).storage.Full())

			c.reboot()
			c.primary(0)
			c.ticks(100)
			for _, p := range c.processes {
				for n := 1; n <= next; n++ {
					require.EqualValues(t, 1000+n, p.value(uint64(n)), "replica %d, key %d", p.id, n)
				}
			}
		})
	}
}

// reboot kills all processes at once, and boots them.
func (c *cluster) reboot() {
	for _, p := range c.processes {
		p.kill(true)
	}
	c.sent = nil
	c.boot()
}

// A backup that has no room holds up nobody: the others are a quorum. It catches up when it has.
func TestABackupWithAFullDiskHoldsUpNobody(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.options = small
	c.boot()
	session := c.register(0)
	c.limit(2)
	for n := 1; n <= 60; n++ {
		require.Zero(t, c.request(write(0, session, n, uint64(n), uint64(n))).Status)
	}
	require.True(t, c.processes[2].storage.Full())
	assert.Zero(t, c.processes[2].value(60))
	c.limit()
	c.ticks(500)
	assert.EqualValues(t, 60, c.processes[2].value(60))
}

// A checkpoint that found no room is taken once there is some, though nothing commits meanwhile:
// a host refuses requests when its last checkpoint is too old, and then nothing would.
func TestACheckpointThatFoundNoRoomIsTakenLater(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.options = func(o *replica.Options) { o.Log.FileBytes, o.Log.FilesMax = 32<<10, 64 }
	c.config = func(config *replica.Config) { config.CheckpointOps = 8 }
	c.boot()
	session := c.register(0)
	for n := 1; n <= 100; n++ {
		for _, p := range c.processes {
			p.disk.Limit(0)
			if n < 12 { // not even what the log sets aside is room then
				p.disk.Limit(1)
			}
		}
		status := replica.StatusDiskFull
		for tries := 0; status == replica.StatusDiskFull && tries < 500; tries++ {
			status = c.request(write(0, session, n, uint64(n), uint64(n))).Status
			c.ticks(1)
		}
		require.Zero(t, status, "request %d", n)
	}
	c.ticks(100)
	for _, p := range c.processes {
		assert.GreaterOrEqual(t, p.hosts[0].Checkpoint().Op, wire.Op(90))
	}
}
