package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// reader is a replica whose reads a test asks for and follows.
type reader struct {
	*Replica
	t     *testing.T
	ready []ReadReady
	no    []ReadRefused
	sent  []Envelope
}

func newReader(t *testing.T, r *Replica) *reader { return &reader{Replica: r, t: t} }

func (r *reader) step(in Input) Output {
	out := r.Step(in)
	r.ready = append(r.ready, out.ReadsReady...)
	r.no = append(r.no, out.ReadsRefused...)
	r.sent = append(r.sent, out.Messages...)
	return out
}

func (r *reader) read(id uint64) { r.step(ReadRequest{ID: id, Level: ReadLinearizable}) }

// confirm delivers a confirmation of the round that is under way now.
func (r *reader) confirm(from wire.ReplicaID) { r.confirmRound(from, r.reads.round) }

func (r *reader) confirmRound(from wire.ReplicaID, round uint64) {
	r.step(Receive{Message: &wire.ConfirmViewOK{
		View: r.view, Replica: from, Incarnation: r.config.Incarnation, Round: round,
	}})
}

// prepare takes a request up to its place in the log of this primary.
func (r *reader) prepare() wire.PrepareID {
	out := r.step(Receive{Message: aRequest()})
	require.Len(r.t, out.StorePrepares, 1)
	id := out.StorePrepares[0].Prepare.Header.ID()
	r.step(PrepareStored{ID: id})
	return id
}

func (r *reader) promise(from wire.ReplicaID, id wire.PrepareID) {
	r.step(Receive{Message: &wire.PrepareOK{
		View: r.view, Replica: from, Op: id.Op, PrepareChecksum: id.Checksum,
	}})
}

func (r *reader) answered() []uint64 {
	var ids []uint64
	for _, ready := range r.ready {
		ids = append(ids, ready.ID)
	}
	return ids
}

// inheritor returns the new primary of view 1 that has inherited op 1 and does not know whether
// it is committed.
func inheritor(t *testing.T) (*reader, wire.PrepareID) {
	t.Helper()
	r := newReader(t, running(t, 1))
	p := chainOf(1)[0]
	r.step(Receive{Message: p})
	r.step(PrepareStored{ID: p.Header.ID()})
	r.step(Receive{Message: &wire.StartViewChange{View: 1, Replica: 2}})
	r.step(SuperblockStored{Superblock: Superblock{View: 1}})
	r.step(Tick{})
	r.step(Receive{Message: &wire.DoViewChange{
		View: 1, Replica: 2, Headers: []wire.PrepareHeader{p.Header},
		Present: wire.Bits{true}, Nack: wire.Bits{false}, Faulty: wire.Bits{false},
	}})
	r.step(Tick{})
	out := r.step(Tick{})
	require.NotNil(t, out.StoreState)
	r.step(StateStored{LogView: 1})
	r.step(SuperblockStored{Superblock: Superblock{View: 1, LogView: 1}})
	require.True(t, r.isPrimary())
	return r, p.Header.ID()
}

// Each mutant of spec/Reads.tla as a table row: what the core must not do.
func TestReadsDoNotWhatTheMutantsDo(t *testing.T) {
	t.Parallel()
	for mutant, story := range map[string]func(*testing.T){
		"read_without_round: a primary asks before it answers": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			r.read(7)
			require.Empty(t, r.ready)
			require.Len(t, r.sent, 2)
			r.confirm(1)
			require.Equal(t, []ReadReady{{ID: 7, Level: ReadLinearizable}}, r.ready)
		},
		"round_before_arrival: who was asked earlier has not confirmed": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			r.read(1)
			r.read(2)
			first := r.reads.round
			r.confirm(1)
			require.Equal(t, []uint64{1}, r.answered())
			r.confirmRound(2, first) // late
			r.confirmRound(1, first) // once more
			require.Equal(t, []uint64{1}, r.answered())
			require.Equal(t, uint64(2), r.Refused(RefuseOtherRound))
			r.confirm(2)
			require.Equal(t, []uint64{1, 2}, r.answered())
		},
		"prepare_ok_confirms: a promise is no confirmation": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			id := r.prepare()
			r.read(1)
			r.promise(1, id)
			r.promise(2, id)
			r.step(Executed{ID: id})
			require.Empty(t, r.ready)
		},
		"primary_counts_twice: of five replicas three must be in the view": func(t *testing.T) {
			five, err := New(Config{
				ReplicaCount: 5, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
			}, Recovered{Formatted: true})
			require.NoError(t, err)
			r := newReader(t, five)
			r.read(1)
			r.confirm(4)
			r.confirm(4)
			require.Empty(t, r.ready)
			r.confirm(2)
			require.Equal(t, []uint64{1}, r.answered())
		},
		"lease_by_clock: a round just over answers nobody else": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			r.read(1)
			r.confirm(1)
			r.read(2)
			require.Equal(t, []uint64{1}, r.answered())
		},
		"inherited_not_committed: the index covers what the view began with": func(t *testing.T) {
			r, id := inheritor(t)
			r.read(1)
			r.confirm(2)
			require.Empty(t, r.ready, "op 1 may be acknowledged")
			r.promise(2, id)
			require.Empty(t, r.ready, "and is not executed")
			r.step(Executed{ID: id})
			require.Equal(t, []ReadReady{{ID: 1, Level: ReadLinearizable, Op: 1}}, r.ready)
		},
		"commit_own_view_first: what was inherited commits by itself": func(t *testing.T) {
			r, id := inheritor(t)
			r.promise(2, id)
			require.Equal(t, wire.Op(1), r.State().CommitMax)
		},
		"answer_before_execute: the index is waited for": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			id := r.prepare()
			r.promise(1, id)
			r.read(1)
			r.confirm(1)
			require.Empty(t, r.ready)
			r.step(Executed{ID: id})
			require.Equal(t, []uint64{1}, r.answered())
		},
		"read_prepared: what is prepared only is not shown": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			r.prepare()
			r.read(1)
			r.confirm(2)
			r.step(ReadRequest{ID: 2, Level: ReadLocal})
			require.Equal(t, []ReadReady{
				{ID: 1, Level: ReadLinearizable}, {ID: 2, Level: ReadLocal},
			}, r.ready)
		},
		"local_read_labelled_linearizable: a backup promises no more": func(t *testing.T) {
			r := newReader(t, running(t, 1))
			r.step(ReadRequest{ID: 1, Level: ReadLocal})
			require.Equal(t, []ReadReady{{ID: 1, Level: ReadLocal}}, r.ready)
			r.read(2)
			require.Equal(t, []ReadRefused{{ID: 2, Reason: RefuseNotPrimary}}, r.no)
		},
		"newest_round_only: nobody's read is displaced": func(t *testing.T) {
			r := newReader(t, running(t, 0))
			for id := uint64(1); id <= 5; id++ {
				r.read(id)
			}
			r.confirm(1)
			require.Equal(t, []uint64{1}, r.answered())
			r.confirm(1)
			require.Equal(t, []uint64{1, 2, 3, 4, 5}, r.answered(), "they share a round")
		},
	} {
		t.Run(mutant, func(t *testing.T) { t.Parallel(); story(t) })
	}
}

// Mutants confirm_any_view and confirm_by_log_view: who has left a view confirms it no more.
func TestWhoConfirmsAView(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status        Status
		view, logView wire.View
		asked         wire.View
		from          wire.ReplicaID
		want          Refusal // 0: it confirms
	}{
		"a backup of the view":            {StatusNormal, 3, 3, 3, 0, 0},
		"who changes to the view":         {StatusViewChange, 3, 2, 3, 0, 0},
		"who has left it":                 {StatusViewChange, 4, 3, 3, 0, RefuseStale},
		"who is in the next":              {StatusNormal, 4, 4, 3, 0, RefuseStale},
		"who has not come to it":          {StatusNormal, 2, 2, 3, 0, RefuseNewer},
		"who does not know its log yet":   {StatusRecovering, 3, 3, 3, 0, RefuseStatus},
		"whoever asks: it may be for R16": {StatusNormal, 3, 3, 3, 2, 0},
		"an older view than the own":      {StatusNormal, 3, 3, 2, 0, RefuseStale},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := running(t, 1)
			r.status, r.view, r.logView = tc.status, tc.view, tc.logView
			r.timers.rearm(r)
			r.ForgetTime()
			before := r.AppendKey(nil)
			ask := &wire.ConfirmView{
				View: tc.asked, Replica: tc.from, Incarnation: wire.Incarnation{Lo: 77}, Round: 5,
			}
			out := r.Step(Receive{Message: ask})
			if tc.want == 0 {
				require.Equal(t, []Envelope{{To: tc.from, Message: &wire.ConfirmViewOK{
					View: 3, Replica: 1, Incarnation: ask.Incarnation, Round: 5,
				}}}, out.Messages)
			} else {
				require.Equal(t, uint64(1), r.Refused(tc.want))
				for _, m := range out.Messages {
					require.IsType(t, &wire.RequestStartView{}, m.Message)
				}
			}
			r.ForgetTime()
			require.Equal(t, before, r.AppendKey(nil), "a question changes nothing")
		})
	}
}

func TestReadsAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	t.Run("as many wait as may", func(t *testing.T) {
		t.Parallel()
		r := newReader(t, running(t, 0))
		for id := range uint64(ReadsMax + 1) {
			r.read(id)
		}
		require.Equal(t, []ReadRefused{{ID: ReadsMax, Reason: RefuseTooManyReads}}, r.no)
	})
	t.Run("the view is being left", func(t *testing.T) {
		t.Parallel()
		r := newReader(t, running(t, 0))
		r.step(LeaveView{})
		r.read(1)
		require.Equal(t, []ReadRefused{{ID: 1, Reason: RefuseInTransition}}, r.no)
	})
	t.Run("the view is left while they wait, wherever they wait", func(t *testing.T) {
		t.Parallel()
		r := newReader(t, running(t, 0))
		id := r.prepare()
		r.promise(1, id)
		for read := uint64(1); read <= 3; read++ {
			r.read(read)
			if read == 1 {
				r.confirm(1) // it waits for the execution
			}
		}
		r.step(LeaveView{})
		require.Empty(t, r.no)
		r.step(SuperblockStored{Superblock: Superblock{View: 1}})
		require.Equal(t, []ReadRefused{
			{ID: 1, Reason: RefuseViewChanged},
			{ID: 2, Reason: RefuseViewChanged},
			{ID: 3, Reason: RefuseViewChanged},
		}, r.no)
		require.Equal(t, uint64(3), r.Refused(RefuseViewChanged))
		require.Zero(t, r.reads.waiting())
	})
	t.Run("a confirmation of another boot counts for nothing", func(t *testing.T) {
		t.Parallel()
		r := newReader(t, running(t, 0))
		r.read(1)
		r.step(Receive{Message: &wire.ConfirmViewOK{
			Replica: 1, Incarnation: wire.Incarnation{Lo: 9}, Round: r.reads.round,
		}})
		require.Empty(t, r.ready)
		require.Equal(t, uint64(1), r.Refused(RefuseOtherRound))
	})
	t.Run("a confirmation of another view counts for nothing", func(t *testing.T) {
		t.Parallel()
		r := newReader(t, running(t, 0))
		r.read(1)
		r.step(Receive{Message: &wire.ConfirmViewOK{
			View: 3, Replica: 1, Incarnation: r.config.Incarnation, Round: r.reads.round,
		}})
		require.Empty(t, r.ready)
		require.Equal(t, uint64(1), r.Refused(RefuseNotPrimary))
	})
}

// A lost question is asked again of whom it went to in vain, in the same round.
func TestARoundIsRepeatedUntilItIsConfirmed(t *testing.T) {
	t.Parallel()
	five, err := New(Config{
		ReplicaCount: 5, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	r := newReader(t, five)
	r.read(1)
	r.confirm(3)
	r.sent = nil
	r.ForgetTime()
	r.step(Expire{Timer: TimerReads})
	var to []wire.ReplicaID
	for _, m := range r.sent {
		ask, ok := m.Message.(*wire.ConfirmView)
		require.True(t, ok)
		require.Equal(t, uint64(1), ask.Round)
		to = append(to, m.To)
	}
	require.Equal(t, []wire.ReplicaID{1, 2, 4}, to)
	r.confirm(1)
	require.Equal(t, []uint64{1}, r.answered())
	require.False(t, r.timers.reads.running)
}

func TestAReplicaThatIsAloneNeedsNobody(t *testing.T) {
	t.Parallel()
	solo, err := New(Config{
		ReplicaCount: 1, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	r := newReader(t, solo)
	r.read(1)
	require.Equal(t, []uint64{1}, r.answered())
	id := r.prepare()
	r.read(2)
	require.Equal(t, []uint64{1}, r.answered(), "it is committed and not executed")
	r.step(Executed{ID: id})
	require.Equal(t, []uint64{1, 2}, r.answered())
	require.Empty(t, r.sent)
}
