package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// oksIn returns the ops that an output promises to have stored.
func oksIn(out vsr.Output) []wire.Op {
	var ops []wire.Op
	for _, m := range out.Messages {
		if ok, is := m.Message.(*wire.PrepareOK); is {
			ops = append(ops, ok.Op)
		}
	}
	return ops
}

// A promise is about that very body: another prepare's at the op is none (R3).
func TestAnOpIsAcknowledgedWhenItsOwnBodyIsStored(t *testing.T) {
	t.Parallel()
	prepares, headers, ids := chainOf(1)
	superseded := &wire.Prepare{Header: wire.PrepareHeader{Op: 1, Operation: 241}}
	superseded.Seal()
	r := boot(t, 0, vsr.Recovered{
		Headers: []wire.PrepareHeader{superseded.Header},
		Stored:  []wire.PrepareID{superseded.Header.ID()},
	})
	r.Step(vsr.Receive{Message: &wire.StartView{
		View: 1, Replica: 1, Incarnation: wire.Incarnation{Lo: 1}, Headers: headers,
	}})
	r.Step(vsr.StateStored{LogView: 1})
	out := r.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 1, LogView: 1}})
	require.Empty(t, oksIn(out))
	out = r.Step(vsr.Receive{Message: &wire.RepairPrepare{
		View: 1, Replica: 1, Prepare: *prepares[0],
	}})
	require.Empty(t, oksIn(out))
	out = r.Step(vsr.PrepareStored{ID: ids[0]})
	require.Equal(t, []wire.Op{1}, oksIn(out))
}

// primaryWith returns the primary of view 0 whose log has a request at op 1, stored.
func primaryWith(t *testing.T) (*vsr.Replica, wire.PrepareID) {
	t.Helper()
	r := boot(t, 0, vsr.Recovered{Formatted: true})
	out := r.Step(vsr.Receive{Message: &wire.Request{
		Client: wire.ClientID{Lo: 7}, Session: 1, Number: 1, Operation: 240,
	}})
	require.Len(t, out.StorePrepares, 1)
	id := out.StorePrepares[0].Prepare.Header.ID()
	r.Step(vsr.PrepareStored{ID: id})
	return r, id
}

// A PrepareOK names the prepare by its checksum, and counts for no other (R3).
func TestAPrepareOKOfAnotherPrepareDoesNotCount(t *testing.T) {
	t.Parallel()
	r, id := primaryWith(t)
	r.Step(vsr.Receive{Message: &wire.PrepareOK{
		Replica: 1, Op: id.Op, PrepareChecksum: wire.Checksum{Lo: 99},
	}})
	require.Zero(t, r.State().CommitMax)
	require.Equal(t, uint64(1), r.Refused(vsr.RefuseUnknownOp))
	r.Step(vsr.Receive{Message: &wire.PrepareOK{
		Replica: 2, Op: id.Op, PrepareChecksum: id.Checksum,
	}})
	require.Equal(t, wire.Op(1), r.State().CommitMax)
}

// An op is with the state machine once, whatever arrives meanwhile (R5).
func TestAnOpIsHandedOutOnce(t *testing.T) {
	t.Parallel()
	prepares, _, ids := chainOf(2)
	r := boot(t, 1, vsr.Recovered{Formatted: true})
	for i, p := range prepares {
		r.Step(vsr.Receive{Message: p})
		r.Step(vsr.PrepareStored{ID: ids[i]})
	}
	out := r.Step(vsr.Receive{Message: &wire.Commit{Commit: 1}})
	require.Equal(t, ids[:1], out.Executes)
	out = r.Step(vsr.Receive{Message: &wire.Commit{Commit: 2}})
	require.Empty(t, out.Executes)
	out = r.Step(vsr.Executed{ID: ids[0]})
	require.Equal(t, ids[1:], out.Executes)
}

// What a peer asks for is served up to the window, however much it is (R9).
func TestAPeerServesAtMostAWindow(t *testing.T) {
	t.Parallel()
	const wanted = vsr.RepairWindow + 8
	_, headers, ids := chainOf(wanted)
	r := boot(t, 0, vsr.Recovered{Headers: headers, Stored: ids})
	m := &wire.RequestPrepares{Replica: 1, FromOp: 1, ToOp: wanted}
	for range wanted {
		m.Wanted = append(m.Wanted, wire.AnyPrepare)
	}
	out := r.Step(vsr.Receive{Message: m})
	require.Len(t, out.Reads, 1)
	require.Equal(t, ids[:vsr.RepairWindow], out.Reads[0].IDs)
}

// Nobody but the primary of a view can start it (R20).
func TestAStartViewCountsFromItsPrimaryOnly(t *testing.T) {
	t.Parallel()
	_, headers, _ := chainOf(1)
	r := boot(t, 0, vsr.Recovered{Formatted: true})
	out := r.Step(vsr.Receive{Message: &wire.StartView{View: 1, Replica: 2, Headers: headers}})
	require.Nil(t, out.StoreState)
	require.Equal(t, uint64(1), r.Refused(vsr.RefuseSender))
	out = r.Step(vsr.Receive{Message: &wire.StartView{View: 1, Replica: 1, Headers: headers}})
	require.NotNil(t, out.StoreState)
}

// The log of a log view is durable before the log view is (R2).
func TestTheStateRecordIsStoredBeforeTheSuperblock(t *testing.T) {
	t.Parallel()
	_, headers, _ := chainOf(1)
	r := boot(t, 0, vsr.Recovered{Formatted: true})
	out := r.Step(vsr.Receive{Message: &wire.StartView{View: 1, Replica: 1, Headers: headers}})
	require.NotNil(t, out.StoreState)
	require.Equal(t, headers, out.StoreState.Headers)
	require.Nil(t, out.StoreSuperblock)
	out = r.Step(vsr.StateStored{LogView: 1})
	require.Equal(t, &vsr.Superblock{View: 1, LogView: 1}, out.StoreSuperblock)
	require.Equal(t, wire.View(0), r.State().LogView)
}

// A change of view starts from a settled log: what is being stored is waited for (R2).
func TestAViewChangeWaitsForWhatIsBeingStored(t *testing.T) {
	t.Parallel()
	prepares, _, ids := chainOf(1)
	r := boot(t, 1, vsr.Recovered{Formatted: true})
	r.Step(vsr.Receive{Message: prepares[0]})
	out := r.Step(vsr.LeaveView{})
	require.Nil(t, out.StoreSuperblock)
	out = r.Step(vsr.PrepareStored{ID: ids[0]})
	require.NotNil(t, out.StoreSuperblock)
	require.Equal(t, wire.Op(1), r.State().OpHead)
}

// A log that is no chain is no log of this group, whoever sends it (R11, R20).
func TestALogThatIsNoChainIsRefused(t *testing.T) {
	t.Parallel()
	_, headers, _ := chainOf(2)
	_, foreign, _ := chainOf(1)
	foreign[0].Checksum = wire.Checksum{Lo: 99}
	r := boot(t, 0, vsr.Recovered{Formatted: true})
	out := r.Step(vsr.Receive{Message: &wire.StartView{
		View: 1, Replica: 1, Headers: append(foreign, headers[1]),
	}})
	require.Nil(t, out.StoreState)
	require.Equal(t, uint64(1), r.Refused(vsr.RefuseBrokenLog))
}
