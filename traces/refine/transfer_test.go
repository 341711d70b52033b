package refine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
)

// fetching are the smallest bounds at which somebody needs a checkpoint.
func fetching(b Bounds) Bounds {
	b.Replicas, b.Requests, b.Checkpoints, b.Suffix = 3, 1, 1, 1
	return b
}

func TestCoresRefineTransfer(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		fetching(Bounds{}),
		fetching(Bounds{Crashes: 1, Chunks: 2, Retain: 1}),
		{Replicas: 3, Requests: 1, Wipes: 1},
		{Replicas: 3, Views: 1, Wipes: 1},
	} {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			r, err := Check(t.Context(), b, explore.Options{Workers: 1})
			require.NoError(t, err)
			require.Nil(t, r.Violation, "%s", r.Story)
			require.True(t, r.Complete)
			require.Empty(t, r.Missing, "actions of the specification that no core took")
			for _, u := range r.Untaken {
				assert.NotEmpty(t, u.Why, u.Branch)
			}
		})
	}
}

// Each defect of a core or of its host is found, and the story tells why.
func TestADefectOfTransferIsFound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		bounds Bounds
		says   string
	}{
		{
			"the walk goes on in a transfer",
			fetching(Bounds{Defects: vsr.DefectTransferRewinds}), "no step of Transfer",
		},
		{
			"a checkpoint of no known chain is fetched",
			fetching(Bounds{Defects: vsr.DefectLoose}), "StartTransfer(2) is not enabled",
		},
		{
			"a fetch outlives its view",
			fetching(Bounds{Views: 1, Defects: vsr.DefectFetchOutlivesView}), "no step of Transfer",
		},
		{
			"the superblock names a snapshot that is not there",
			fetching(Bounds{Host: PairingBeforeSnapshot}), "no step of Transfer",
		},
		{
			"a replica without its disk adopts any view",
			Bounds{Replicas: 3, Views: 1, Wipes: 1, Defects: vsr.DefectWipedAnyView},
			"OneVote",
		},
		{
			"a replica without its disk votes",
			Bounds{Replicas: 3, Views: 1, Wipes: 1, Defects: vsr.DefectWipedVotes},
			"OneVote",
		},
		{
			"a new disk has no mark",
			Bounds{Replicas: 3, Views: 1, Wipes: 1, Host: ForgottenMark},
			"OneVote",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := Check(t.Context(), tc.bounds, explore.Options{Workers: 1})
			require.NoError(t, err)
			require.NotNil(t, r.Violation)
			require.Contains(t, r.Violation.Reason, tc.says)
		})
	}
}

// What the host of a core must not do is told as that.
func TestAMessageThatPromisesTooMuchIsTold(t *testing.T) {
	t.Parallel()
	header := wire.PrepareHeader{Op: 1, Checksum: wire.Checksum{Lo: 7}}
	stored := disk{
		superblock: vsr.Superblock{View: 2, LogView: 1}, logView: 1,
		bodies: []*wire.Prepare{{Header: header}},
	}
	for name, tc := range map[string]struct {
		message wire.Message
		says    string
	}{
		"a view that is durable": {message: &wire.StartViewChange{View: 2}},
		"a view that is not": {
			&wire.StartViewChange{View: 3}, "R1: StartViewChange of view 3, durable is 2",
		},
		"a vote of another log view": {
			&wire.DoViewChange{View: 2, LogView: 2},
			"R1: DoViewChange of view 2, log view 2, durable are 2 and 1",
		},
		"a vote that shows a body": {
			message: &wire.DoViewChange{
				View: 2, LogView: 1, Headers: []wire.PrepareHeader{header}, Present: wire.Bits{true},
			},
		},
		"a vote that shows one that is not here": {
			&wire.DoViewChange{
				View: 2, LogView: 1, Headers: []wire.PrepareHeader{{Op: 2}}, Present: wire.Bits{true},
			}, "R3: a vote says that op 2 is stored, which is not",
		},
		"a view that begins before its log": {
			&wire.StartView{View: 2}, "R1: StartView of view 2, durable is log view 1",
		},
		"a promise that is kept": {
			message: &wire.PrepareOK{View: 1, Op: 1, PrepareChecksum: header.Checksum},
		},
		"a promise of another body": {
			&wire.PrepareOK{View: 1, Op: 1},
			"R3: PrepareOK of op 1 in view 1, and it is not stored under it",
		},
		"a promise under a log view to come": {
			&wire.PrepareOK{View: 2, Op: 1, PrepareChecksum: header.Checksum},
			"R3: PrepareOK of op 1 in view 2, and it is not stored under it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.says, stored.untrue(tc.message))
		})
	}
}
