package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func newTestCluster(t *testing.T) *Cluster {
	t.Helper()
	c, err := NewCluster(Config{
		Replicas: 3, Timers: Timers(), Machine: statemachine.NewRegister,
	})
	require.NoError(t, err)
	return c
}

func writeRequest(number wire.RequestNumber) *wire.Request {
	return &wire.Request{
		Cluster: ClusterID, Client: wire.ClientID{Lo: 1}, Session: 1, Number: number,
		Operation: statemachine.RegisterWrite, Body: statemachine.RegisterBody(1, uint64(number)),
	}
}

func TestNothingHappensByItself(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.Request(0, writeRequest(1))
	assert.Equal(t, 1, c.Writes(0))
	assert.Empty(t, c.Packets(), "a prepare is sent when it is stored")
	c.FinishWrite(0, 0)
	require.Len(t, c.Packets(), 2)
	assert.Equal(t, wire.Op(1), c.State(0).OpHead)

	// Delivered, a packet stays under way until it is dropped; again, it is a duplicate.
	p := c.Packets()[0]
	c.Deliver(p)
	assert.Equal(t, 1, c.Writes(p.To))
	require.True(t, c.Drop(p.Number))
	assert.False(t, c.Drop(p.Number))
	c.FinishWrite(p.To, 0)
	ok := c.Packets()[len(c.Packets())-1]
	assert.Equal(t, wire.CommandPrepareOK, ok.Message.Command())
	c.Deliver(ok)
	require.Equal(t, 1, c.Executes(0))
	c.FinishExecute(0)
	assert.Equal(t, wire.Op(1), c.State(0).CommitMin)
	assert.NotEqual(t, statemachine.NewRegister().Checksum(), c.Machine(0).Checksum())
}

func TestAFinishedWriteSurvivesACrash(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		finish bool
		landed func(vsr.Input) bool
		want   wire.Op
	}{
		"finished":               {finish: true, want: 1},
		"unfinished":             {want: 0},
		"unfinished, but landed": {landed: func(vsr.Input) bool { return true }, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			c.Request(0, writeRequest(1))
			if tc.finish {
				c.FinishWrite(0, 0)
			}
			c.Crash(0, tc.landed)
			assert.False(t, c.Up(0))
			c.Input(0, vsr.Tick{}) // a replica that is down ignores it
			require.NoError(t, c.Restart(0))
			state := c.State(0)
			assert.Equal(t, tc.want, state.OpHead)
			assert.Equal(t, vsr.StatusRecovering, state.Status)
			assert.Equal(t, wire.Incarnation{Hi: 1, Lo: 2}, state.Incarnation)
			assert.Zero(t, c.Discarded(0))
		})
	}
}

func TestADamagedFrameIsDropped(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.Request(0, writeRequest(1))
	c.FinishWrite(0, 0)
	p := c.Packets()[0]
	p.Frame = append([]byte(nil), p.Frame...)
	p.Frame[200] ^= 4
	c.Deliver(p)
	assert.Zero(t, c.Writes(p.To))
}

// Only a simulation run survives a contradiction, to report it with its seed.
func TestAContradictionPanicsUnlessItIsCaught(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	assert.Panics(t, func() { c.Input(1, vsr.StateStored{LogView: 7}) })
	c.catching = true
	c.Input(1, vsr.StateStored{LogView: 7})
	assert.Contains(t, c.caught, "a state record stored was asked for")
	assert.False(t, c.Up(1))
}

func TestAClusterOfAnotherSizeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := NewCluster(Config{
		Replicas: 8, Timers: Timers(), Machine: statemachine.NewRegister,
	})
	require.ErrorContains(t, err, "replica count 8: expected 1 to 7")
}
