package record_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/traces"
)

var state = vsr.State{
	Status: vsr.StatusNormal, View: 4, LogView: 4, ViewDurable: 4, LogViewDurable: 4,
	OpHead: 21, HeadChecksum: wire.Checksum{Lo: 0xc9}, Contiguous: 18, Hollow: []wire.Op{19, 20},
	CommitMin: 17, CommitMax: 18, PipelineFirst: 19, PipelineLast: 21,
	Incarnation: wire.Incarnation{Hi: 2, Lo: 1}, Stop: vsr.StopAwaitingExecution,
}

const (
	hexC9  = "000000000000000000000000000000c9"
	hexTwo = "00000000000000020000000000000001"
)

func TestAStateIsTranslatedFieldByField(t *testing.T) {
	t.Parallel()
	assert.Equal(t, traces.ReplicaState{
		Status: traces.StatusNormal, View: 4, LogView: 4, ViewDurable: 4, LogViewDurable: 4,
		OpHead: 21, HeadChecksum: hexC9, Contiguous: 18, Hollow: []uint64{19, 20},
		CommitMin: 17, CommitMax: 18, Pipeline: []uint64{19, 21}, Incarnation: hexTwo,
		Stop: traces.StopAwaitingExecution,
	}, record.State(state))
}

// An empty log has no head to name, and a backup no pipeline.
func TestWhatIsNotThereIsLeftOut(t *testing.T) {
	t.Parallel()
	got := record.State(vsr.State{
		Status: vsr.StatusRecovering, Stop: vsr.StopNotNormal,
		Incarnation: wire.Incarnation{Hi: 2, Lo: 1},
	})
	assert.Empty(t, got.HeadChecksum)
	assert.Empty(t, got.Pipeline)
	assert.Empty(t, got.Hollow)
	assert.Equal(t, traces.StatusRecovering, got.Status)
}

func TestAnEventIsTranslatedFieldByField(t *testing.T) {
	t.Parallel()
	zero, two := 0, 2
	for name, tc := range map[string]struct {
		event vsr.Event
		want  traces.Event
	}{
		"a commit names the prepare": {
			vsr.Event{
				Action: vsr.ActionPrimaryCommit, Op: 18, Checksum: wire.Checksum{Lo: 0xc9}, View: 4,
			},
			traces.Event{
				Action: traces.ActionPrimaryCommit,
				Args:   traces.Args{Op: 18, Checksum: hexC9, View: 4},
			},
		},
		"a request names its number": {
			vsr.Event{Action: vsr.ActionClientRequest, Op: 22, Request: 9},
			traces.Event{
				Action: traces.ActionClientRequest, Args: traces.Args{Op: 22, Request: 9},
			},
		},
		"a merge names its quorum": {
			vsr.Event{Action: vsr.ActionMergeVotes, Quorum: []int{1, 2}, Commit: 17},
			traces.Event{
				Action: traces.ActionMergeVotes, Args: traces.Args{Quorum: []int{1, 2}, Commit: 17},
			},
		},
		"an answer names who asked, replica 0 too": {
			vsr.Event{
				Action: vsr.ActionAnswerProbe, To: 0, HasTo: true,
				Incarnation: wire.Incarnation{Hi: 2, Lo: 1},
			},
			traces.Event{
				Action: traces.ActionAnswerProbe, Args: traces.Args{To: &zero, Incarnation: hexTwo},
			},
		},
		"an admission is a stutter with its class": {
			vsr.Event{Action: vsr.EventAdmit, Stutter: true, Class: vsr.AdmitFill, Op: 20},
			traces.Event{
				Action: "Admit", Stutter: true, Args: traces.Args{Op: 20, Class: "fill"},
			},
		},
		"a checkpoint is a stutter: the specification has none": {
			vsr.Event{Action: vsr.EventTakeCheckpoint, Op: 20},
			traces.Event{Action: "TakeCheckpoint", Stutter: true, Args: traces.Args{Op: 20}},
		},
		"a refusal is a stutter with its reason": {
			vsr.Event{
				Action: vsr.EventRefuse, Stutter: true, Reason: vsr.RefuseStale, From: 2,
				HasFrom: true,
			},
			traces.Event{
				Action: "Refuse", Stutter: true, Args: traces.Args{From: &two, Reason: "stale"},
			},
		},
		"a checkpoint is a stutter: the spec has none": {
			vsr.Event{Action: vsr.EventTakeCheckpoint, Op: 16, Checksum: wire.Checksum{Lo: 0xc9}},
			traces.Event{
				Action: traces.EventTakeCheckpoint, Stutter: true,
				Args: traces.Args{Op: 16, Checksum: hexC9},
			},
		},
		"a sender that is none is not named": {
			vsr.Event{
				Action: vsr.EventRefuse, Stutter: true, Reason: vsr.RefuseSender, From: 77,
				HasFrom: true,
			},
			traces.Event{Action: "Refuse", Stutter: true, Args: traces.Args{Reason: "sender"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.event.After = state
			tc.want.Group, tc.want.Replica, tc.want.After = "0", 1, record.State(state)
			assert.Equal(t, tc.want, record.Event(1, tc.event))
		})
	}
}

func TestTheHeaderSaysWhatWasRecorded(t *testing.T) {
	t.Parallel()
	assert.Equal(t, traces.Header{
		Source: traces.SourceSim, Replicas: 3,
		Quorum: traces.Quorum{Replication: 2, ViewChange: 2, Nack: 2},
		Seed:   7, Spec: "5e", CommitDrivers: traces.CommitDriversWalk,
		Groups: []traces.Group{{ID: "0", Plane: "metadata", Durability: "persisted"}},
	}, record.Header(7, 3, "5e"))
}

func readActions(t *testing.T, trace []byte) []string {
	t.Helper()
	reader, err := traces.NewReader(bytes.NewReader(trace), "trace")
	require.NoError(t, err)
	var actions []string
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return actions
		}
		require.NoError(t, err)
		actions = append(actions, e.Action)
	}
}

func TestFinerEventsAreRecordedAsTheOptionsSay(t *testing.T) {
	t.Parallel()
	events := []vsr.Event{
		{Action: vsr.EventAdmit, Stutter: true, Class: vsr.AdmitNext, After: state},
		{Action: vsr.ActionReceivePrepare, Op: 21, After: state},
		{Action: vsr.EventRefuse, Stutter: true, Reason: vsr.RefuseStale, After: state},
	}
	for name, tc := range map[string]struct {
		options record.Options
		want    []string
	}{
		"admissions by default": {record.Options{}, []string{"Admit", "ReceivePrepare"}},
		"actions alone":         {record.Options{SkipAdmits: true}, []string{"ReceivePrepare"}},
		"refusals too": {
			record.Options{Refusals: true}, []string{"Admit", "ReceivePrepare", "Refuse"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var trace bytes.Buffer
			w, err := traces.NewWriter(&trace, record.Header(1, 3, ""))
			require.NoError(t, err)
			r := record.New(w, tc.options)
			for _, e := range events {
				r.Record(1, e)
			}
			require.NoError(t, r.Err())
			assert.Equal(t, len(tc.want), r.Steps())
			require.NoError(t, w.Close())
			assert.Equal(t, tc.want, readActions(t, trace.Bytes()))
		})
	}
}

// After the first event that cannot be written nothing more is, and the reason is kept.
func TestTheFirstErrorIsKept(t *testing.T) {
	t.Parallel()
	var trace bytes.Buffer
	w, err := traces.NewWriter(&trace, record.Header(1, 3, ""))
	require.NoError(t, err)
	r := record.New(w, record.Options{})
	r.Record(3, vsr.Event{Action: vsr.ActionReceivePrepare, After: state})
	require.ErrorContains(t, r.Err(), "record ReceivePrepare of replica 3")
	first := r.Err()
	r.Record(1, vsr.Event{Action: vsr.ActionReceivePrepare, After: state})
	assert.Equal(t, first, r.Err())
	assert.Zero(t, r.Steps())
}
