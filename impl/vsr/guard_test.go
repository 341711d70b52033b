package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// header returns a header of op; equal arguments give equal identities.
func header(op wire.Op, view wire.View) wire.PrepareHeader {
	return wire.PrepareHeader{
		Op: op, View: view, Checksum: wire.Checksum{Lo: uint64(op), Hi: uint64(view)},
	}
}

func running(t *testing.T, replica wire.ReplicaID) *Replica {
	t.Helper()
	r, err := New(Config{
		Replica: replica, ReplicaCount: 3, Timers: DefaultTimers(),
		Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	return r
}

// What was promised in another view counts for nothing in this one (VRR 4.1, step 5).
func TestPrepareOKOfAnotherViewDoesNotCount(t *testing.T) {
	t.Parallel()
	r := running(t, 0)
	out := r.Step(Receive{Message: &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1, Operation: 240,
	}})
	id := out.StorePrepares[0].Prepare.Header.ID()
	r.Step(PrepareStored{ID: id})
	ok := &wire.PrepareOK{Replica: 1, View: 3, Op: id.Op, PrepareChecksum: id.Checksum}
	r.Step(Receive{Message: ok})
	require.Equal(t, wire.Op(0), r.State().CommitMax)
	require.Equal(t, uint64(1), r.Refused(RefuseNotPrimary))
	ok = &wire.PrepareOK{Replica: 1, Op: id.Op, PrepareChecksum: id.Checksum}
	r.Step(Receive{Message: ok})
	require.Equal(t, wire.Op(1), r.State().CommitMax)
}

// A deposed primary's heartbeat is no sign of life and tells no commit number.
func TestCommitOfAnOlderViewIsStale(t *testing.T) {
	t.Parallel()
	r := running(t, 1)
	r.view, r.logView = 3, 3 // primary r0, as in view 0
	r.timers.heartbeat.left = 5
	r.Step(Receive{Message: &wire.Commit{Replica: 0, View: 0, Commit: 7}})
	require.Equal(t, wire.Op(0), r.State().CommitMax)
	require.Equal(t, 5, r.timers.heartbeat.left)
	require.Equal(t, uint64(1), r.Refused(RefuseStale))
}

// An answer to a probe is for the boot that asked. Once it is back by another way, its log may
// be older than what this replica has acknowledged since (R4).
func TestAnswerToAProbeIsRefusedOnceRecovered(t *testing.T) {
	t.Parallel()
	for _, status := range []Status{StatusNormal, StatusViewChange} {
		r := running(t, 2)
		r.status = status
		r.timers.rearm(r)
		out := r.Step(Receive{Message: &wire.StartView{
			Replica: 1, View: 1, Incarnation: r.config.Incarnation,
		}})
		require.Nil(t, out.StoreState, "%v", status)
		require.Equal(t, uint64(1), r.Refused(RefuseUnsolicited), "%v", status)
	}
}
