package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// A state record that is wanted anew says what the log is now, with what is being stored, and
// changes nothing; a change of view waits for it, and a checkpoint makes it needless.
func TestAStateRecordIsRepeatedAsTheLogIs(t *testing.T) {
	t.Parallel()
	r := running(t, 0)
	first := r.Step(RepeatState{}).StoreState
	require.NotNil(t, first, "also of an empty log")
	require.Empty(t, first.Headers)
	require.Nil(t, r.Step(RepeatState{}).StoreState, "one at a time")
	out := r.Step(StateStored{LogView: 0})
	require.NotNil(t, out.StoreState, "and the next")
	require.Zero(t, out.Release)
	r.Step(StateStored{LogView: 0})

	request := func(number wire.RequestNumber) wire.PrepareHeader {
		out := r.Step(Receive{Message: &wire.Request{
			Client: wire.ClientID{Lo: 1}, Session: 1, Number: number, Operation: 240,
		}})
		return out.StorePrepares[0].Prepare.Header
	}
	stored := request(1)
	r.Step(PrepareStored{ID: stored.ID()})
	storing := request(2)
	before := r.State()
	record := r.Step(RepeatState{}).StoreState
	require.Equal(t, []wire.PrepareHeader{stored, storing}, record.Headers)
	require.Equal(t, before, r.State())

	r.Step(PrepareStored{ID: storing.ID()})
	require.Nil(t, r.Step(LeaveView{}).StoreSuperblock, "the change of view waits")
	out = r.Step(StateStored{LogView: 0})
	require.Equal(t, &Superblock{View: 1}, out.StoreSuperblock)
}
