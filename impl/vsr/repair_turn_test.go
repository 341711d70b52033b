package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// prepareAfter is a prepare of view 0 at an op that follows another.
func prepareAfter(op wire.Op, parent wire.Checksum) *wire.Prepare {
	p := &wire.Prepare{Header: wire.PrepareHeader{Op: op, Parent: parent, Operation: 240}}
	p.Seal()
	return p
}

// question is one of repair: the tick at which it was asked, and whom.
type question struct {
	tick int
	to   wire.ReplicaID
}

// questionsWhileTheLogGrows lists what a backup that has lost the body of op 1 asks for, while
// each tick brings one new prepare.
func questionsWhileTheLogGrows(t *testing.T, ticks int) []question {
	t.Helper()
	r, p := backupWith(t)
	r.Step(PrepareLost{ID: p.Header.ID()})
	var asked []question
	parent := p.Header.Checksum
	for tick := range ticks {
		next := prepareAfter(wire.Op(tick+2), parent)
		parent = next.Header.Checksum
		r.Step(Receive{Message: next})
		r.Step(PrepareStored{ID: next.Header.ID()})
		for _, m := range r.Step(Tick{}).Messages {
			if q, ok := m.Message.(*wire.RequestPrepares); ok {
				require.Equal(t, wire.Op(1), q.FromOp)
				asked = append(asked, question{tick: tick, to: m.To})
			}
		}
	}
	return asked
}

// A body that the first peer has not is asked for elsewhere also while the log grows: new
// prepares are no answer to what was asked (R9).
func TestRepairAsksThePeersInTurnWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	asked := questionsWhileTheLogGrows(t, 1000)
	require.Greater(t, len(asked), 2)
	for i, q := range asked[1:] {
		require.NotEqual(t, asked[i].to, q.to, "two questions in a row: %v", asked)
	}
}

// Nor do new prepares end the backoff: each interval has at least double the base of the one
// before (R9).
func TestRepairBacksOffWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	base := DefaultTimers().RepairTicks
	asked := questionsWhileTheLogGrows(t, 2000)
	require.Greater(t, len(asked), 3)
	for i, q := range asked[1:] {
		require.GreaterOrEqual(t, q.tick-asked[i].tick, base<<(i+1), "question %d of %v", i+1, asked)
	}
}

// What a view begins with is asked for at once, and that is the first attempt: the timer asks
// another peer (R9).
func TestTheSecondAttemptOfAViewAsksAnotherPeer(t *testing.T) {
	t.Parallel()
	r, p := backupWith(t)
	next := prepareAfter(2, p.Header.Checksum)
	var asked []wire.ReplicaID
	note := func(out Output) {
		for _, m := range out.Messages {
			if _, ok := m.Message.(*wire.RequestPrepares); ok {
				asked = append(asked, m.To)
			}
		}
	}
	r.Step(Receive{Message: &wire.StartView{
		View: 2, Replica: 2, Headers: []wire.PrepareHeader{p.Header, next.Header},
	}})
	r.Step(StateStored{LogView: 2})
	note(r.Step(SuperblockStored{Superblock: Superblock{View: 2, LogView: 2}}))
	require.Equal(t, []wire.ReplicaID{2}, asked, "the primary first")
	for range 2 * DefaultTimers().RepairTicks {
		note(r.Step(Tick{}))
	}
	require.Equal(t, []wire.ReplicaID{2, 0}, asked)
}
