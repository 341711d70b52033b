package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// logOf is the log of prepares.
func logOf(chain []*wire.Prepare) []wire.PrepareHeader {
	var headers []wire.PrepareHeader
	for _, p := range chain {
		headers = append(headers, p.Header)
	}
	return headers
}

func idsOf(chain []*wire.Prepare) []wire.PrepareID {
	var ids []wire.PrepareID
	for _, p := range chain {
		ids = append(ids, p.Header.ID())
	}
	return ids
}

// rebooted is replica 1 of three with a storage.
func rebooted(t *testing.T, stored Recovered) *Replica {
	t.Helper()
	r, err := New(Config{
		Replica: 1, ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 9},
		Suffix: 1,
	}, stored)
	require.NoError(t, err)
	return r
}

// adopts gives a recovering replica the log of view 3, primary r0, and finishes the writes.
func adopts(r *Replica, base wire.PrepareID, above []wire.PrepareHeader, commit wire.Op) Output {
	r.Step(Receive{Message: &wire.StartView{
		View: 3, Base: base, Headers: above, Commit: commit, Incarnation: r.config.Incarnation,
	}})
	r.Step(StateStored{LogView: 3})
	return r.Step(SuperblockStored{Superblock: Superblock{View: 3, LogView: 3}})
}

// executes finishes executions up to op.
func executes(t *testing.T, r *Replica, out Output, op wire.Op) {
	t.Helper()
	for r.commitMin < op {
		require.Len(t, out.Executes, 1)
		out = r.Step(Executed{ID: out.Executes[0]})
	}
}

// The third phase of a checkpoint: a state record above the new base, then the release. What
// is being stored meanwhile is in the record, or a replay would lose it (R2, R17).
func TestACheckpointReleasesTheLogOnceItsStateRecordIsStored(t *testing.T) {
	t.Parallel()
	chain := chainOf(5)
	r := rebooted(t, Recovered{Headers: logOf(chain[:4]), Stored: idsOf(chain[:4])})
	out := adopts(r, wire.PrepareID{}, logOf(chain[:4]), 3)
	executes(t, r, out, 3)
	next := *chain[4]
	next.Header.View = 3
	next.Seal()
	require.Len(t, r.Step(Receive{Message: &next}).StorePrepares, 1)

	out = r.Step(Checkpointed{ID: chain[2].Header.ID()})
	require.Equal(t, chain[2].Header.ID(), out.StoreState.Base)
	require.Equal(t, []wire.PrepareHeader{chain[3].Header, next.Header}, out.StoreState.Headers)
	require.Zero(t, out.Release)
	out = r.Step(StateStored{LogView: 3})
	require.Equal(t, wire.Op(3), out.Release)
	require.Equal(t, wire.Op(5), r.Step(PrepareStored{ID: next.Header.ID()}).Messages[0].
		Message.(*wire.PrepareOK).Op, "what was being stored enters the log")
	require.Equal(t, wire.Op(3), r.log.base.Op)

	require.Nil(t, r.Step(Checkpointed{ID: chain[1].Header.ID()}).StoreState, "an older one")
	require.Panics(t, func() { r.Clone().Step(Checkpointed{ID: chain[3].Header.ID()}) })
	ask := &wire.RequestPrepares{View: 3, Replica: 2, FromOp: 3, ToOp: 4}
	ask.Wanted = []wire.Checksum{wire.AnyPrepare, wire.AnyPrepare}
	out = r.Step(Receive{Message: ask})
	require.Equal(t, idsOf(chain[3:4]), out.Reads[0].IDs, "what is released is not served")
}

// A primary that does not know an op as committed, and a backup that has released it: the
// backup says so, it cannot acknowledge (R11; mutant acks_carry_no_commit of Transfer.tla).
func TestABackupThatReleasedAnOpTellsThePrimaryThatItIsCommitted(t *testing.T) {
	t.Parallel()
	chain := chainOf(3)
	base := chain[1].Header.ID()
	r := rebooted(t, Recovered{Base: base, Headers: logOf(chain[2:]), Stored: idsOf(chain[2:])})
	out := adopts(r, wire.PrepareID{}, logOf(chain), 1)
	require.Equal(t, wire.Op(2), r.log.base.Op, "what the checkpoint covers stays away")
	told := out.Messages[0].Message.(*wire.Commit)
	require.Equal(t, wire.Op(2), told.Commit)
	out = r.Step(Receive{Message: chain[1]})
	require.Equal(t, wire.Op(2), out.Messages[0].Message.(*wire.Commit).Commit)

	p := rebooted(t, Recovered{Headers: logOf(chain), Stored: idsOf(chain)})
	p.status, p.view, p.logView = StatusNormal, 1, 1
	for _, id := range idsOf(chain) {
		p.pipeline = append(p.pipeline, inFlight{id: id})
	}
	p.Step(Receive{Message: &wire.Commit{View: 1, Replica: 2, Commit: 2}})
	require.Equal(t, wire.Op(2), p.commitMax)
	p.Step(Receive{Message: &wire.Commit{View: 1, Replica: 2, Commit: 4}})
	require.Equal(t, wire.Op(2), p.commitMax, "what this primary has not cannot be committed")
}

// Adoption keeps of the old log what chains to the suffix; the rest below is a hole, which is
// repaired downward: each header names its parent, and nothing else belongs there (R11).
func TestAHoleIsRepairedDownwardByTheParentsIdentity(t *testing.T) {
	t.Parallel()
	chain := chainOf(6)
	dead := *chain[1] // another op 2, which the replica stored in an older view
	dead.Header.UserID++
	dead.Seal()
	r := rebooted(t, Recovered{
		Headers: []wire.PrepareHeader{chain[0].Header, dead.Header},
		Stored:  []wire.PrepareID{chain[0].Header.ID(), dead.Header.ID()},
	})
	base := chain[4].Header.ID()
	out := adopts(r, base, logOf(chain[5:]), 5)
	require.Empty(t, out.Executes, "nothing is executed above a hole")
	require.Equal(t, StopMissingHeader, r.walkStop())
	require.Equal(t, []wire.Op{1, 2, 3, 4, 5, 6}, r.State().Hollow)
	ask := out.Messages[0].Message.(*wire.RequestPrepares)
	require.Equal(t, wire.Op(1), ask.FromOp)
	require.Equal(t, base.Checksum, ask.Wanted[4])

	for _, i := range []int{1, 2, 4} { // in any order, and one that does not belong
		r.Step(Receive{Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: *chain[i]}})
	}
	r.Step(Receive{Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: dead}})
	require.Equal(t, wire.Op(4), r.log.base.Op)
	for _, i := range []int{3, 1} {
		r.Step(Receive{Message: &wire.RepairPrepare{View: 3, Replica: 2, Prepare: *chain[i]}})
	}
	require.Equal(t, wire.Op(1), r.log.base.Op)
	out = r.Step(Expire{Timer: TimerRepair})
	require.Equal(t, []Read{{IDs: idsOf(chain[:1]), To: 1}}, out.Reads[:1], "the own journal")
	out = r.Step(PreparesRead{Prepares: chain[:1], To: 1})
	require.Zero(t, r.log.base.Op)
	for _, i := range []int{1, 2, 3, 4} {
		r.Step(PrepareStored{ID: chain[i].Header.ID()})
	}
	executes(t, r, out, 5)
}

// Below a base everything is committed: a vote need not speak of it.
func TestVotesOfDifferentBasesMerge(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	whole := &wire.DoViewChange{
		Replica: 0, Headers: logOf(chain), Present: wire.Bits{false, false, true, false},
		Nack: wire.Bits{false, false, false, true}, Faulty: wire.NewBits(4),
	}
	above := &wire.DoViewChange{
		Replica: 1, Base: chain[1].Header.ID(), Headers: logOf(chain[2:3]), Commit: 2,
		Present: wire.NewBits(1), Nack: wire.Bits{true}, Faulty: wire.NewBits(1),
	}
	for _, votes := range [][]*wire.DoViewChange{{whole, above}, {above, whole}} {
		m := votesOf(3, PolicyPersisted, votes...).Decide()
		require.Equal(t, OutcomeReady, m.Outcome)
		require.Equal(t, logOf(chain[:3]), m.Headers, "op 4 is nacked by both")
	}
	above.LogView = 1
	m := votesOf(3, PolicyPersisted, whole, above).Decide()
	require.Equal(t, above.Base, m.Base)
	require.Equal(t, logOf(chain[2:3]), m.Headers)
	r := rebooted(t, Recovered{})
	l := r.completed(log{base: m.Base, headers: m.Headers}, []*wire.DoViewChange{above, whole})
	require.Zero(t, l.base, "what another vote has below it fits")
	require.Equal(t, logOf(chain[:3]), l.headers)
}

// A vote carries what may be uncommitted, however little its replica knows: the head's header
// says what its primary knew.
func TestAVoteCarriesWhatMayBeUncommitted(t *testing.T) {
	t.Parallel()
	chain := chainOf(6)
	chain[5].Header.Commit = 4
	chain[5].Seal()
	r := rebooted(t, Recovered{Headers: logOf(chain), Stored: idsOf(chain)})
	vote := r.newVote()
	require.Equal(t, chain[3].Header.ID(), vote.Base)
	require.Len(t, vote.Headers, 2)
	require.Equal(t, wire.Op(4), vote.Commit)
	r.config.Suffix = 4
	require.Len(t, r.newVote().Headers, 4)
}

func TestWhatStorageHoldsIsFittedToTheNewestSnapshot(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	other := chain[2].Header.ID()
	other.Checksum.Lo++
	for name, tc := range map[string]struct {
		stored Recovered
		base   wire.Op
		head   wire.Op
		fails  string
	}{
		"a log above it": {
			stored: Recovered{Base: chain[1].Header.ID(), Headers: logOf(chain[2:])}, base: 2, head: 4,
		},
		"a log from below it is cut": {
			stored: Recovered{Base: chain[1].Header.ID(), Headers: logOf(chain)}, base: 2, head: 4,
		},
		"a log that ends below it": {
			stored: Recovered{Base: chain[3].Header.ID(), Headers: logOf(chain[:2])}, base: 4, head: 4,
		},
		"a log of something else is dead": {
			stored: Recovered{Base: other, Headers: logOf(chain)}, base: 3, head: 3,
		},
		"a log with a hole": {
			stored: Recovered{
				Base: chain[0].Header.ID(), LogBase: chain[2].Header.ID(), Headers: logOf(chain[3:]),
			}, base: 3, head: 4,
		},
		"a hole that the state record does not name": {
			stored: Recovered{Base: chain[0].Header.ID(), Headers: logOf(chain[3:])},
			fails:  "header 0: expected op 2, got 4",
		},
		"another base at the same op": {
			stored: Recovered{Base: other, LogBase: chain[2].Header.ID(), Headers: logOf(chain[3:])},
			fails:  "expected the checkpoint",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := New(Config{
				Replica: 1, ReplicaCount: 3, Timers: DefaultTimers(),
				Incarnation: wire.Incarnation{Lo: 9},
			}, tc.stored)
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.base, r.log.base.Op)
			require.Equal(t, tc.head, r.log.head())
			require.Equal(t, tc.stored.Base.Op, r.commitMin)
		})
	}
}

// A new primary that has a checkpoint needs no body of what that covers, whoever sends one:
// the WAL would keep what nothing ever releases (R3, R17).
func TestANewPrimaryStoresNothingThatItsCheckpointCovers(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	r := rebooted(t, Recovered{
		Base: chain[1].Header.ID(), Headers: logOf(chain[2:3]), Stored: idsOf(chain[2:3]),
	})
	r.status, r.merged = StatusViewChange, &merged{log: log{headers: logOf(chain)}}
	for _, p := range chain {
		out := r.Step(Receive{Message: &wire.RepairPrepare{Replica: 2, Prepare: *p}})
		require.Len(t, out.StorePrepares, int(p.Header.Op/4), "op %d", p.Header.Op)
	}
}

// A new primary repairs its merged log downward; what a clone of it repairs is the clone's.
func TestACloneRepairsItsOwnMergedLog(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	r := rebooted(t, Recovered{})
	r.status = StatusViewChange
	r.merged = &merged{log: log{base: chain[2].Header.ID(), headers: logOf(chain[3:])}}
	clone := r.Clone()
	clone.Step(Receive{Message: &wire.RepairPrepare{Replica: 2, Prepare: *chain[2]}})
	require.Equal(t, wire.Op(2), clone.merged.log.base.Op)
	require.Equal(t, wire.Op(3), r.merged.log.base.Op)
}
