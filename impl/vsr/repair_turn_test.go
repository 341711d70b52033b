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

// A body that the first peer has not is asked for elsewhere also while the log grows: new
// prepares are no answer to what was asked (R9).
func TestRepairAsksThePeersInTurnWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	r, p := backupWith(t)
	r.Step(PrepareLost{ID: p.Header.ID()})
	asked := map[wire.ReplicaID]int{}
	inRow, last, parent := 0, wire.ReplicaID(255), p.Header.Checksum
	for op := wire.Op(2); op < 400; op++ {
		next := prepareAfter(op, parent)
		parent = next.Header.Checksum
		r.Step(Receive{Message: next})
		r.Step(PrepareStored{ID: next.Header.ID()})
		for _, m := range r.Step(Tick{}).Messages {
			ask, ok := m.Message.(*wire.RequestPrepares)
			if !ok {
				continue
			}
			require.Equal(t, wire.Op(1), ask.FromOp)
			asked[m.To]++
			if inRow++; m.To != last {
				last, inRow = m.To, 1
			}
			require.LessOrEqual(t, inRow, 1, "replica %d again, asked so far: %v", m.To, asked)
		}
	}
	require.Positive(t, asked[0])
	require.Positive(t, asked[2])
}
