package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A read that may be linearizable is answered after a round, with what was acknowledged before
// it; a local one at once; and none is without an answer.
func TestReadsAreAnsweredOnceWithWhatTheyPromise(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 7)).Status)
	primary, backup := c.processes[0], c.processes[1]
	var strict, local, elsewhere []vsr.Refusal
	read := func(p *process, level vsr.ReadLevel, into *[]vsr.Refusal) {
		p.hosts[0].Read(level, func(why vsr.Refusal) {
			*into = append(*into, why)
			if level == vsr.ReadLinearizable && why == 0 {
				assert.Equal(t, uint64(7), p.value(1))
			}
		})
	}
	read(primary, vsr.ReadLinearizable, &strict)
	assert.Empty(t, strict, "a quorum has not been heard")
	read(backup, vsr.ReadLocal, &local)
	assert.Equal(t, []vsr.Refusal{0}, local)
	read(backup, vsr.ReadLinearizable, &elsewhere)
	assert.Equal(t, []vsr.Refusal{vsr.RefuseNotPrimary}, elsewhere)
	c.settle()
	assert.Equal(t, []vsr.Refusal{0}, strict)

	// The end of the view is an answer too.
	read(primary, vsr.ReadLinearizable, &strict)
	c.sent = nil // Its round is lost.
	primary.hosts[0].LeaveView()
	c.settle()
	assert.Equal(t, []vsr.Refusal{0, vsr.RefuseViewChanged}, strict)
}

// Requests wait while the pipeline is full. Those for which there is no room are refused with
// the status that says so; none is silently dropped.
func TestARequestWithoutRoomInTheQueueIsRefused(t *testing.T) {
	t.Parallel()
	const room, more = vsr.PipelineMax + vsr.QueueMax, 10
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.config = func(config *replica.Config) {
		config.Limits = vsr.Limits{Queue: vsr.QueueMax, Pipeline: vsr.PipelineMax}
	}
	c.boot()
	host := c.processes[0].hosts[0]
	for i := range room + more { // Nobody hears of them: the links stand still.
		host.Request(&wire.Request{
			Client: wire.ClientID{Lo: uint64(i) + 1}, Operation: wire.OperationRegister,
		})
	}
	require.Len(t, c.replies, more)
	for i, reply := range c.replies {
		assert.Equal(t, replica.StatusNotAccepted, reply.Status)
		assert.Equal(t, wire.ClientID{Lo: uint64(room+i) + 1}, reply.Client)
	}
	assert.Equal(t, uint64(more), host.Counters().Refused[replica.RefuseBusy])
	// The queue goes to another primary's clients as refusals when the view ends.
	c.replies, c.sent = nil, nil
	host.LeaveView()
	c.settle()
	assert.Len(t, c.replies, vsr.QueueMax)
}
