package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// chainOf returns n prepares that follow one another from op 1 on.
func chainOf(n int) (prepares []*wire.Prepare, headers []wire.PrepareHeader, ids []wire.PrepareID) {
	parent := wire.Checksum{}
	for op := range n {
		p := &wire.Prepare{Header: wire.PrepareHeader{
			Op: wire.Op(op + 1), Parent: parent, Operation: 240,
		}}
		p.Seal()
		parent = p.Header.Checksum
		prepares, headers = append(prepares, p), append(headers, p.Header)
		ids = append(ids, p.Header.ID())
	}
	return prepares, headers, ids
}

// boot starts one replica of three with what its storage holds.
func boot(t *testing.T, replica wire.ReplicaID, recovered vsr.Recovered) *vsr.Replica {
	t.Helper()
	r, err := vsr.New(vsr.Config{
		Replica: replica, ReplicaCount: 3, Timers: vsr.DefaultTimers(),
		Incarnation: wire.Incarnation{Lo: 1},
	}, recovered)
	require.NoError(t, err)
	return r
}

// voteFor moves r into a view whose primary is another replica, and returns its vote.
func voteFor(t *testing.T, r *vsr.Replica, view wire.View) *wire.DoViewChange {
	t.Helper()
	out := r.Step(vsr.LeaveView{})
	require.NotNil(t, out.StoreSuperblock)
	require.Equal(t, view, out.StoreSuperblock.View)
	r.Step(vsr.SuperblockStored{Superblock: *out.StoreSuperblock})
	primary := wire.ReplicaID(view % 3)
	r.Step(vsr.Receive{Message: &wire.StartViewChange{View: view, Replica: primary}})
	out = r.Step(vsr.Expire{Timer: vsr.TimerNone})
	require.Len(t, out.Messages, 1)
	require.Equal(t, primary, out.Messages[0].To)
	vote, is := out.Messages[0].Message.(*wire.DoViewChange)
	require.True(t, is)
	return vote
}

// A vote nacks only what no commit can have counted (R12): what was lost and what is in doubt
// may have been acknowledged (R14, R15).
func TestAVoteNacksNothingThatMayHaveBeenAcknowledged(t *testing.T) {
	t.Parallel()
	_, headers, ids := chainOf(2)
	for name, tc := range map[string]struct {
		stored    vsr.Recovered
		nack      bool
		faulty    bool
		untrusted bool
	}{
		"a hollow op was never acknowledged": {nack: true},
		"a body that was lost may have been": {
			stored: vsr.Recovered{Faulty: ids[1:]}, faulty: true,
		},
		"so may one that the state record has in doubt": {
			stored: vsr.Recovered{Doubtful: ids[1:]},
		},
		"and one that an untrusted log does not hold": {
			stored: vsr.Recovered{Untrusted: true}, untrusted: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored := tc.stored
			stored.Headers, stored.Stored = headers, ids[:1]
			vote := voteFor(t, boot(t, 0, stored), 1)
			require.Equal(t, wire.Bits{true, false}, vote.Present)
			require.Equal(t, wire.Bits{false, tc.nack}, vote.Nack)
			require.Equal(t, wire.Bits{false, tc.faulty}, vote.Faulty)
			require.Equal(t, tc.untrusted, vote.Untrusted)
		})
	}
}

// adoptInDoubt returns an untrusted r0 that has adopted a hollow op from the primary of view 1,
// and the state record that it wrote.
func adoptInDoubt(t *testing.T, headers []wire.PrepareHeader) (*vsr.Replica, vsr.StateRecord) {
	t.Helper()
	r := boot(t, 0, vsr.Recovered{Untrusted: true})
	out := r.Step(vsr.Receive{Message: &wire.StartView{
		View: 1, Replica: 1, Incarnation: wire.Incarnation{Lo: 1}, Headers: headers,
	}})
	require.NotNil(t, out.StoreState)
	record := *out.StoreState
	r.Step(vsr.StateStored{LogView: 1})
	r.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 1, LogView: 1}})
	require.Equal(t, vsr.StatusNormal, r.State().Status)
	return r, record
}

// The doubt about the log ends with the adoption of a StartView. An op adopted without a body
// stays in doubt, durably, since the untrusted log may have acknowledged it (R15).
func TestAnOpAdoptedInDoubtWithoutABodyStaysInDoubt(t *testing.T) {
	t.Parallel()
	_, headers, ids := chainOf(1)
	r, record := adoptInDoubt(t, headers)
	require.Equal(t, ids, record.Doubtful, "a restart must find it in doubt, too")
	vote := voteFor(t, r, 2)
	require.False(t, vote.Untrusted)
	require.Equal(t, wire.Bits{false}, vote.Nack)
	require.Equal(t, wire.Bits{false}, vote.Present)
}

// One vote of each replica counts, the first: what it says must not change under a decision.
func TestAVoteThatIsRepeatedIsRefused(t *testing.T) {
	t.Parallel()
	r := boot(t, 1, vsr.Recovered{Formatted: true})
	out := r.Step(vsr.LeaveView{})
	r.Step(vsr.SuperblockStored{Superblock: *out.StoreSuperblock})
	for range 2 {
		r.Step(vsr.Receive{Message: &wire.DoViewChange{View: 1}})
	}
	require.Equal(t, uint64(1), r.Refused(vsr.RefuseRepeated))
}

// Below the base of an adopted log all is committed, and an untrusted replica may have acknowledged
// it. A later log that goes further down brings those headers back without their bodies: they are
// in doubt as well, or its vote would disown what a commit has counted (R12, R15, R16).
func TestWhatLayBelowTheLogAdoptedInDoubtIsInDoubtWhenItComesBack(t *testing.T) {
	t.Parallel()
	_, headers, ids := chainOf(2)
	r := boot(t, 0, vsr.Recovered{Untrusted: true})
	r.Step(vsr.Receive{Message: &wire.StartView{
		View: 2, Replica: 2, Incarnation: wire.Incarnation{Lo: 1}, Commit: 1, Base: ids[0],
		Headers: headers[1:],
	}})
	r.Step(vsr.StateStored{LogView: 2})
	r.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 2, LogView: 2}})
	out := r.Step(vsr.Receive{Message: &wire.StartView{View: 4, Replica: 1, Headers: headers}})
	require.NotNil(t, out.StoreState)
	require.Equal(t, ids, out.StoreState.Doubtful)
	r.Step(vsr.StateStored{LogView: 4})
	r.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 4, LogView: 4}})
	require.Equal(t, wire.Bits{false, false}, voteFor(t, r, 5).Nack)
}

// What is stored at an op may be another prepare's body, which a later log superseded: that is no
// reason to acknowledge (R3).
func TestTheBodyOfAnotherPrepareAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	_, headers, ids := chainOf(1)
	other := &wire.Prepare{Header: wire.PrepareHeader{Op: 1, View: 1, Operation: 241}}
	other.Seal()
	for name, tc := range map[string]struct {
		adopted wire.PrepareHeader
		oks     int
	}{
		"the prepare itself": {headers[0], 1},
		"another one":        {other.Header, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := boot(t, 0, vsr.Recovered{Headers: headers, Stored: ids})
			r.Step(vsr.Receive{Message: &wire.StartView{
				View: 1, Replica: 1, Incarnation: wire.Incarnation{Lo: 1},
				Headers: []wire.PrepareHeader{tc.adopted},
			}})
			r.Step(vsr.StateStored{LogView: 1})
			out := r.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 1, LogView: 1}})
			require.Equal(t, vsr.StatusNormal, r.State().Status)
			oks := 0
			for _, m := range out.Messages {
				if _, ok := m.Message.(*wire.PrepareOK); ok {
					oks++
				}
			}
			require.Equal(t, tc.oks, oks)
		})
	}
}
