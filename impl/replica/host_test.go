package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Seed 003: 30 messages are acknowledged, then every process is killed at once. All of them
// are there after the restart, with a kill under both policies, and with power loss under the
// policy that promises it.
func TestNothingAcknowledgedIsLostWhenEverythingIsKilled(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		policy    vsr.Policy
		powerLoss bool
	}{
		"persisted, killed":     {policy: vsr.PolicyPersisted},
		"replicated, killed":    {policy: vsr.PolicyReplicated},
		"persisted, power lost": {policy: vsr.PolicyPersisted, powerLoss: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, tc.policy, 1)
			c.boot()
			session := c.register(0)
			for i := 1; i <= 30; i++ {
				require.Zero(t, c.request(write(0, session, i, uint64(i), uint64(1000+i))).Status)
			}
			for _, p := range c.processes {
				p.kill(tc.powerLoss)
			}
			c.sent = nil
			c.boot()
			c.primary(0)
			c.ticks(100)
			for _, p := range c.processes {
				found := 0
				for i := 1; i <= 30; i++ {
					if p.value(uint64(i)) == uint64(1000+i) {
						found++
					}
				}
				assert.Equal(t, 30, found, "replica %d", p.id)
			}
			// The client goes on in its session, and what it repeats is not executed again.
			again := c.request(write(0, session, 30, 30, 1030))
			assert.Zero(t, again.Status)
			assert.Less(t, again.Op, wire.Op(32))
			assert.Zero(t, c.request(write(0, session, 31, 1, 7)).Status)
		})
	}
}

func TestGroupsShareFlushesAndUpdatesOfTheSuperblock(t *testing.T) {
	t.Parallel()
	const groups = 20
	c := newCluster(t, vsr.PolicyPersisted, groups)
	c.boot()
	for g := range groups {
		c.register(wire.GroupID(g))
	}
	p := c.processes[0]
	_, before := p.storage.Counts()
	for g := range groups {
		p.hosts[wire.GroupID(g)].Request(write(wire.GroupID(g), 1, 1, 1, 2))
	}
	c.settle()
	_, flushes := p.storage.Counts()
	assert.Equal(t, 1, flushes-before, "20 groups, one flush")

	// All groups leave their view at once: a few updates for all.
	other := c.processes[1]
	updates := other.storage.Updates()
	for g := range groups {
		other.hosts[wire.GroupID(g)].LeaveView()
	}
	c.ticks(1)
	for g := range groups {
		require.Equal(t, wire.View(1), c.primary(wire.GroupID(g)).
			hosts[wire.GroupID(g)].Standing().View)
	}
	assert.LessOrEqual(t, other.storage.Updates()-updates, 4, "20 groups, two steps each")
	for g := range groups {
		assert.Zero(t, c.request(write(wire.GroupID(g), 1, 2, 1, 3)).Status)
	}
}

func TestABackupAnswersWhatItKnowsAndSendsTheRestElsewhere(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	c.request(write(0, session, 1, 1, 2))
	c.ticks(20) // the backups hear of the commit
	ask := func(m *wire.Request) []*wire.Reply {
		c.replies = nil
		c.processes[1].hosts[0].Request(m)
		return c.replies
	}
	known := ask(write(0, session, 1, 1, 2))
	require.Len(t, known, 1)
	assert.Zero(t, known[0].Status)
	assert.Equal(t, wire.Op(2), known[0].Op)
	next := ask(write(0, session, 2, 1, 3))
	require.Len(t, next, 1)
	assert.Equal(t, replica.StatusNotAccepted, next[0].Status)
	assert.Equal(t, uint64(1), c.processes[1].hosts[0].Counters().
		Refused[replica.RefuseNotPrimary])
}

// What fits into no file of the log is refused by its reason, and the session goes on.
func TestARequestThatIsTooLargeForTheLogIsToldSo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	large := write(0, session, 1, 1, 2)
	large.Body = append(large.Body, make([]byte, 1<<20)...)
	assert.Equal(t, replica.StatusTooLarge, c.request(large).Status)
	assert.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
}
