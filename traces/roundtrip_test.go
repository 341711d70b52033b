package traces_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/traces"
)

// replicaCount is the number of replicas in generated traces.
const replicaCount = 5

var (
	texts = rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{
		"c9", "two words", `"quoted"`, "<&>", "line\nbreak", "\x1b[2J", "\ufffd", "\u2028", "日本",
	}), rapid.String())
	replicas = rapid.IntRange(0, replicaCount-1)
	ops      = rapid.OneOf(rapid.Uint64Range(0, 30), rapid.Uint64())
	views    = rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Uint32())

	states = rapid.Custom(func(t *rapid.T) traces.ReplicaState {
		s := traces.ReplicaState{
			Status: rapid.SampledFrom([]string{
				traces.StatusNormal, traces.StatusViewChange, traces.StatusRecovering,
			}).Draw(t, "status"),
			View: views.Draw(t, "view"), LogView: views.Draw(t, "log_view"),
			ViewDurable:    views.Draw(t, "view_durable"),
			LogViewDurable: views.Draw(t, "log_view_durable"),
			OpHead:         ops.Draw(t, "op_head"),
			HeadChecksum:   texts.Draw(t, "head_checksum"),
			Contiguous:     ops.Draw(t, "contiguous"),
			InDoubt:        rapid.Bool().Draw(t, "in_doubt"),
			CommitMin:      ops.Draw(t, "commit_min"), CommitMax: ops.Draw(t, "commit_max"),
			Incarnation: texts.Draw(t, "incarnation"), Stop: texts.Draw(t, "stop"),
		}
		if hollow := rapid.SliceOfNDistinct(ops, 0, 4, rapid.ID).Draw(t, "hollow"); len(hollow) > 0 {
			slices.Sort(hollow)
			s.Hollow = hollow
		}
		if rapid.Bool().Draw(t, "pipeline") {
			first, last := ops.Draw(t, "first"), ops.Draw(t, "last")
			s.Pipeline = []uint64{min(first, last), max(first, last)}
		}
		return s
	})

	events = rapid.Custom(func(t *rapid.T) traces.Event {
		e := traces.Event{
			Group: texts.Draw(t, "group"), Replica: replicas.Draw(t, "replica"),
			Action: rapid.SampledFrom(traces.Actions()).Draw(t, "action"),
			Args: traces.Args{
				Op: ops.Draw(t, "op"), Checksum: texts.Draw(t, "checksum"),
				View: views.Draw(t, "view"), Commit: ops.Draw(t, "commit"),
				To: rapid.Ptr(replicas, true).Draw(t, "to"), Request: ops.Draw(t, "request"),
				From:        rapid.Ptr(replicas, true).Draw(t, "from"),
				Incarnation: texts.Draw(t, "incarnation"),
				Class:       texts.Draw(t, "class"), Reason: texts.Draw(t, "reason"),
			},
			Stutter: rapid.Bool().Draw(t, "stutter"),
			After:   states.Draw(t, "after"),
		}
		if quorum := rapid.SliceOfN(replicas, 0, replicaCount).Draw(t, "quorum"); len(quorum) > 0 {
			e.Args.Quorum = quorum
		}
		if rapid.Bool().Draw(t, "imported") {
			e.Args.Parent, e.Args.Client = texts.Draw(t, "parent"), texts.Draw(t, "client")
			e.Args.Operation, e.Args.Role = texts.Draw(t, "operation"), texts.Draw(t, "role")
			e.Args.Message, e.Args.OldView = texts.Draw(t, "message"), views.Draw(t, "old_view")
			e.Args.Acknowledged, e.Args.Needed = replicas.Draw(t, "count"), replicas.Draw(t, "needed")
			e.Args.Reached, e.Args.Depth = rapid.Bool().Draw(t, "reached"), ops.Draw(t, "depth")
			e.Open = []string{texts.Draw(t, "open"), "status"}
			e.After.Status = rapid.SampledFrom([]string{"", traces.StatusNormal}).Draw(t, "said")
			e.Origin = &traces.Origin{
				File: replicas.Draw(t, "file"), Line: 1 + replicas.Draw(t, "line"),
			}
		}
		if e.Stutter {
			e.Action = rapid.StringN(1, 10, -1).Draw(t, "finer action")
		}
		return e
	})

	headers = rapid.Custom(func(t *rapid.T) traces.Header {
		quorums := rapid.IntRange(0, replicaCount)
		h := traces.Header{
			Format: traces.Format, Version: traces.Version,
			Source: texts.Draw(t, "source"), Replicas: replicaCount,
			Quorum: traces.Quorum{
				Replication: quorums.Draw(t, "replication"),
				ViewChange:  quorums.Draw(t, "view_change"),
				Nack:        quorums.Draw(t, "nack"),
			},
			Seed: rapid.Uint64().Draw(t, "seed"), Spec: texts.Draw(t, "spec"),
			Commit: texts.Draw(t, "commit"),
			CommitDrivers: rapid.SampledFrom([]string{
				"", traces.CommitDriversWalk, traces.CommitDriversWalkAndPipeline,
			}).Draw(t, "commit_drivers"),
			Mutant: texts.Draw(t, "mutant"), Violates: texts.Draw(t, "violates"),
			RefusedAt: rapid.IntRange(0, 100).Draw(t, "refused_at"),
		}
		if rapid.Bool().Draw(t, "imported") {
			h.Open, h.Files = []string{texts.Draw(t, "open")}, []string{texts.Draw(t, "file")}
			h.Order = rapid.SampledFrom([]string{
				"", traces.OrderTotal, traces.OrderReplica,
			}).Draw(t, "order")
		}
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			h.Groups = append(h.Groups, traces.Group{
				ID: texts.Draw(t, "id"), Plane: texts.Draw(t, "plane"),
				Durability: texts.Draw(t, "durability"),
			})
		}
		return h
	})

	wholeTraces = rapid.Custom(func(t *rapid.T) *traces.Trace {
		trace := &traces.Trace{Header: headers.Draw(t, "header")}
		for step := range rapid.IntRange(0, 8).Draw(t, "events") {
			e := events.Draw(t, "event")
			e.Step = step + 1
			trace.Events = append(trace.Events, e)
		}
		return trace
	})
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := wholeTraces.Draw(t, "trace")
		text := written(t, want.Header, want.Events)
		require.Len(t, bytes.Split(text, []byte("\n")), len(want.Events)+2)
		header, got, err := readAll(bytes.NewReader(text), "run.jsonl")
		require.NoError(t, err)
		require.Equal(t, want.Header, header)
		require.Equal(t, want.Events, got)
		require.Equal(t, text, written(t, header, got))
	})
}

func TestWhatIsInAFileIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := wholeTraces.Draw(t, "trace")
		want.Path = filepath.Join(dir, rapid.SampledFrom([]string{
			"run.jsonl", "run.jsonl.zst",
		}).Draw(t, "name"))
		require.NoError(t, traces.WriteFile(want.Path, want))
		got, err := traces.ReadFile(t.Context(), want.Path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// Whatever byte of a trace is cut off, the reader says so, and what it returned
// before is what was written.
func TestEveryCutInsideALineIsSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := wholeTraces.Draw(t, "trace")
		text := written(t, want.Header, want.Events)
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		_, got, err := readAll(bytes.NewReader(text[:cut]), "run.jsonl")
		whole := bytes.Count(text[:cut], []byte("\n"))
		if cut > 0 && text[cut-1] == '\n' {
			require.NoError(t, err, "a cut between two lines cannot be seen")
		} else {
			var bad *traces.FormatError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, whole+1, bad.Line)
		}
		require.Len(t, got, max(0, whole-1))
		for i := range got {
			require.Equal(t, want.Events[i], got[i])
		}
	})
}
