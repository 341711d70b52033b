package clienttable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// also executes a message as the next of the last op.
func also(made *table, m message) clienttable.Result {
	done := made.ExecuteAlso(made.Op(), m)
	if done.Outcome == clienttable.Execute {
		done.Answer = made.Complete(made.Op(), bodyOf(made.Op()))
	}
	return done
}

// Each request of a batch is decided by itself: those of one client follow one another, a repeat
// executes no second time, and each has its own answer.
func TestRequestsOfABatchAreDecidedEach(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1), register(2, 1), request(1, 1, 1))
	require.Equal(t, clienttable.Execute, also(made, request(2, 2, 1)).Outcome)
	require.Equal(t, clienttable.Execute, also(made, request(1, 1, 2)).Outcome)
	require.Equal(t, clienttable.Ignored, also(made, request(2, 2, 1)).Outcome)
	require.Equal(t, clienttable.Ignored, also(made, request(2, 2, 3)).Outcome)
	require.NoError(t, made.CheckInvariants())
	require.Equal(t, wire.Op(3), made.Op())
	for _, m := range []message{request(1, 1, 1), request(1, 1, 2), request(2, 2, 1)} {
		got := made.Answer(m)
		assert.Equal(t, clienttable.Replied, got.Kind, "%+v", m)
		assert.Equal(t, wire.Op(3), got.Op, "%+v", m)
	}
}

// The order of a batch is that of eviction, also after a checkpoint.
func TestTheOrderOfABatchIsThatOfEviction(t *testing.T) {
	t.Parallel()
	for _, order := range [][2]uint64{{1, 2}, {2, 1}} {
		roomy := small
		roomy.Capacity = 3
		made := tableAfter(t, roomy, register(1, 1), register(2, 1), register(3, 1))
		first, second := order[0], order[1]
		made.Execute(4, message{Kind: clienttable.Other})
		also(made, request(3, 3, 1))
		also(made, request(first, wire.SessionNumber(first), 1))
		also(made, request(second, wire.SessionNumber(second), 1))
		restored, err := clienttable.Restore(roomy, made.AppendSnapshot(nil))
		require.NoError(t, err)
		for _, made := range []*table{made, restored} {
			made.Execute(5, resize(1))
			for _, w := range made.Rows() {
				assert.Equal(t, second, w.Client.Lo)
			}
		}
	}
}

func TestWhatCannotShareAnOp(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1))
	assert.Panics(t, func() { made.ExecuteAlso(1, request(1, 1, 1)) }, "a session is an op")
	execute(made, request(1, 1, 1))
	assert.Panics(t, func() { made.ExecuteAlso(2, register(2, 1)) }, "a session is an op")
	assert.Panics(t, func() { made.ExecuteAlso(3, request(1, 1, 2)) }, "nothing has begun op 3")
	restored, err := clienttable.Restore(small, made.AppendSnapshot(nil))
	require.NoError(t, err)
	assert.Panics(t, func() { restored.ExecuteAlso(2, request(1, 1, 2)) }, "op 2 is over")
}

// What waits for an op is under way as what has one: it is not prepared twice, and the next
// number may follow.
func TestPreflightKnowsWhatWaits(t *testing.T) {
	t.Parallel()
	made := tableAfter(t, small, register(1, 1))
	var p clienttable.Preflight
	first, second := request(1, 1, 1), request(1, 1, 2)
	p.Waits(first)
	assert.Equal(t, clienttable.InFlight, p.Judge(made, first).Kind)
	assert.Equal(t, clienttable.Prepare, p.Judge(made, second).Kind)
	p.Waits(second)
	p.Dropped(second)
	assert.Equal(t, clienttable.Prepare, p.Judge(made, second).Kind)
	p.Waits(second)
	p.Prepared(2, first)
	p.Prepared(2, second)
	assert.Equal(t, 2, p.Len())
	p.Dropped(first)
	assert.Equal(t, 2, p.Len(), "it has an op")
	p.Executed(2, first)
	p.Executed(2, second)
	assert.Zero(t, p.Len())
}
