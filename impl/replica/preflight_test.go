package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// What a primary has prepared in one of its views and lost in another's does not count as under
// way when it leads again: nobody else might ask for anything, and the client would wait for good.
func TestARequestThatAnotherViewHasDroppedIsPreparedAgain(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	first := c.processes[0]
	request := write(0, session, 1, 1, 7)
	first.hosts[0].Request(request)
	for first.work() {
	}
	require.EqualValues(t, 2, first.hosts[0].Standing().Head)
	c.sent = nil // nobody hears of it

	apart := func() { // the links of process 0 stand still
		for _, p := range c.processes[1:] {
			p.hosts[0].Tick()
		}
		for moved := true; moved; {
			moved = false
			sent := c.sent
			c.sent = nil
			for _, s := range sent {
				if s.to != 0 {
					c.processes[s.to].hosts[s.group].Receive(s.message)
					moved = true
				}
			}
			moved = c.processes[1].work() || moved
			moved = c.processes[2].work() || moved
		}
	}
	for _, leaves := range []int{1, 2} {
		c.processes[leaves].hosts[0].LeaveView()
		for range 100 {
			apart()
		}
		require.True(t, c.processes[leaves].hosts[0].Standing().Leads)
	}
	c.processes[1].hosts[0].LeaveView()
	c.ticks(20)
	require.EqualValues(t, 3, first.hosts[0].Standing().View)
	require.Same(t, first, c.primary(0))
	require.EqualValues(t, 1, first.hosts[0].Standing().Head, "the op is gone")

	require.Zero(t, c.request(request).Status)
	require.Equal(t, uint64(7), first.value(1))
}
