package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// A process gets a new disk. It is not new to the group, and stays out of its quorums until it
// holds the log of a current view, however often it restarts before; then it counts again (R16).
func TestAReplicaOnANewDiskStaysOutUntilItHoldsTheLog(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	for i := 1; i <= 5; i++ {
		require.Zero(t, c.request(write(0, session, i, uint64(i), uint64(100+i))).Status)
	}
	lost := c.processes[2]
	lost.kill(false)
	lost.disk = memdisk.New(99)
	require.NoError(t, replica.Format(lost.disk, clusterID))
	c.config = func(config *replica.Config) { config.Fresh = false }
	c.sent = nil
	for range 2 {
		lost.boot()
		standing := lost.hosts[0].Standing()
		require.True(t, standing.Wiped)
		require.True(t, standing.Untrusted)
		require.Equal(t, vsr.StatusRecovering, standing.Status)
		lost.kill(true)
		c.sent = nil
	}
	lost.boot()
	c.ticks(300)
	require.False(t, lost.hosts[0].Standing().Wiped)
	require.Equal(t, uint64(105), lost.value(5))

	lost.kill(true)
	lost.boot()
	require.False(t, lost.hosts[0].Standing().Wiped)
	require.False(t, lost.hosts[0].Standing().Untrusted)
}
