package iggysim_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/iggysim"
	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

// imported reads logs, writes the trace and reads it back.
func imported(t *testing.T, sources ...iggysim.Source) (*traces.Trace, iggysim.Summary) {
	t.Helper()
	var text bytes.Buffer
	var w *traces.Writer
	summary, err := iggysim.Import(sources, 0, func(h traces.Header) (err error) {
		w, err = traces.NewWriter(&text, h)
		return err
	}, func(e traces.Event) error { return w.Write(e) })
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "t.jsonl")
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o600))
	trace, err := traces.ReadFile(t.Context(), path)
	require.NoError(t, err)
	return trace, summary
}

// log writes lines to a file and returns it as a source.
func log(t *testing.T, lines ...string) iggysim.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return iggysim.Source{Path: path, Replica: iggysim.AnyReplica}
}

func TestALogOfASimulatorBecomesATrace(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(5)
	trace, summary := imported(t, log(t, lines...))
	require.Equal(t, len(lines), summary.Events)
	require.Zero(t, summary.Foreign+summary.Missed)
	require.Equal(t, 5, trace.Header.Replicas)
	require.Equal(t, 3, trace.Header.Quorum.Replication)
	require.Equal(t, []traces.Group{
		{ID: "4296015872", Plane: "partition"}, {ID: "9223372036854775808", Plane: "metadata"},
	}, trace.Header.Groups)
	queued := trace.Events[1]
	require.Equal(t, iggysim.ActionPrepareQueued, queued.Action)
	require.Equal(t, uint64(1), queued.Args.Op)
	require.Equal(t, "0", queued.Args.Parent)
	require.Empty(t, queued.Open)
	require.Equal(t, &traces.Origin{Line: 2}, queued.Origin)
}

func TestColoursForeignLinesAndPackingChangeNothing(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(3)
	want, _ := imported(t, log(t, lines...))
	var noisy []string
	for _, line := range lines {
		coloured := strings.ReplaceAll(line, "iggy.sim", "\x1b[2miggy.sim\x1b[0m")
		coloured = strings.ReplaceAll(coloured, "view=", "\x1b[3mview\x1b[0m\x1b[2m=\x1b[0m")
		noisy = append(noisy, "some other text, a=b", coloured, "")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(strings.Join(noisy, "\r\n") + "\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "packed")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	got, summary := imported(t, iggysim.Source{Path: path, Replica: iggysim.AnyReplica})
	require.Equal(t, 2*len(lines), summary.Foreign)
	require.Len(t, got.Events, len(want.Events))
	for i := range want.Events {
		a, b := want.Events[i], got.Events[i]
		require.Equal(t, 3*a.Origin.Line-1, b.Origin.Line)
		a.Origin, b.Origin = nil, nil
		require.Equal(t, a, b)
	}
}

func TestWhatALineDoesNotSayIsLeftOpen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fields string
		open   []string
	}{
		"nothing but who": {
			`sim_event="PrimaryElected" plane="metadata" replica_id=1`,
			[]string{"view", "log_view", "commit_max", "status", "args.role"},
		},
		"an illegible view": {
			`sim_event="PrimaryElected" replica_id=1 namespace_raw=7 view=x log_view=1 commit=0 ` +
				`status="normal" role="primary"`,
			[]string{"view"},
		},
		"a status of another system": {
			`sim_event="PrimaryElected" replica_id=1 namespace_raw=7 view=1 log_view=1 commit=0 ` +
				`status="asleep" role="king"`,
			[]string{"status", "args.role"},
		},
		"the three ids instead of a namespace": {
			`sim_event="PrimaryElected" replica_id=1 stream_id=1 topic_id=1 partition_id=0 ` +
				`view=1 log_view=1 commit=0 status="normal" role="primary"`,
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace, summary := imported(t, log(t, "iggy.sim: "+tc.fields))
			require.Equal(t, 1, summary.Events)
			require.ElementsMatch(t, tc.open, trace.Events[0].Open)
		})
	}
}

func TestALineThatNamesNobodyIsLostAndLeavesAGap(t *testing.T) {
	t.Parallel()
	good := `iggy.sim: sim_event="PrimaryElected" plane="metadata" replica_id=1 view=1`
	for name, bad := range map[string]string{
		"no event":     `iggy.sim: plane="metadata" replica_id=1`,
		"no replica":   `iggy.sim: sim_event="PrimaryElected" plane="metadata"`,
		"no group":     `iggy.sim: sim_event="PrimaryElected" replica_id=1 plane="partitions"`,
		"bad replica":  `iggy.sim: sim_event="PrimaryElected" plane="metadata" replica_id=256`,
		"bad name":     `iggy.sim: sim_event="a b" plane="metadata" replica_id=1`,
		"far too long": good + " " + strings.Repeat("x", 70_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := log(t, good, bad)
			trace, summary := imported(t, source)
			require.Equal(t, 1, summary.Missed)
			require.Equal(t, 2, summary.Lost[0].Line)
			require.Equal(t, source.Path, summary.Lost[0].Path)
			require.Equal(t, iggysim.ActionGap, trace.Events[1].Action)
		})
	}
}

func TestLogsOfServersAreMergedByTime(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(3)
	var sources []iggysim.Source
	for r := range 3 {
		var own []string
		mark := " replica_id=" + string(rune('0'+r)) + " "
		for _, line := range lines {
			if strings.Contains(line, mark) {
				own = append(own, strings.Replace(line, mark, " ", 1))
			}
		}
		source := log(t, own...)
		source.Replica = r
		sources = append(sources, source)
	}
	want, _ := imported(t, log(t, lines...))
	got, _ := imported(t, sources...)
	require.Equal(t, traces.OrderReplica, got.Header.Order)
	require.Len(t, got.Header.Files, 3)
	require.Len(t, got.Events, len(want.Events))
	for i := range want.Events {
		require.Equal(t, want.Events[i].After, got.Events[i].After)
		require.Equal(t, want.Events[i].Replica, got.Events[i].Replica)
	}

	sources[0].Replica = 1
	_, summary := imported(t, log(t, lines...), iggysim.Source{
		Path: log(t, lines...).Path, Replica: 2,
	})
	require.NotZero(t, summary.Missed, "lines of others in the log of replica 2")
}

func TestARestartIsSeenInTheLineThatTellsOfIt(t *testing.T) {
	t.Parallel()
	c := sample.New(3)
	c.Request(sample.Metadata)
	c.Foreign("restored group view from its superblock replica=2 view=0 log_view=0")
	c.Foreign("restored group view from its superblock view=0")
	trace, summary := imported(t, log(t, c.Lines...))
	require.Equal(t, 2, summary.Foreign)
	last := trace.Events[len(trace.Events)-2:]
	require.Equal(t, iggysim.ActionRestarted, last[0].Action)
	require.Equal(t, 2, last[0].Replica)
	require.Equal(t, iggysim.ActionGap, last[1].Action, "nobody knows whose restart it was")
}

func TestNothingToImportIsSaid(t *testing.T) {
	t.Parallel()
	none := func(traces.Header) error { return nil }
	_, err := iggysim.Import([]iggysim.Source{log(t, "hello")}, 0, none, nil)
	require.ErrorIs(t, err, iggysim.ErrNoEvent)
	_, err = iggysim.Import([]iggysim.Source{log(t, sample.Standard(5)...)}, 3, none, nil)
	require.ErrorContains(t, err, "replica 4")
}

// Whatever stands in a log, an import reads all its lines and writes a trace that can be read.
func TestNoLineStopsAnImport(t *testing.T) {
	t.Parallel()
	lines := sample.Standard(3)
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		text := []byte(strings.Join(lines[:30], "\n"))
		for range rapid.IntRange(1, 20).Draw(r, "damage") {
			text[rapid.IntRange(0, len(text)-1).Draw(r, "at")] = rapid.Byte().Draw(r, "byte")
		}
		path := filepath.Join(folder, "a.log")
		require.NoError(r, os.WriteFile(path, append([]byte(lines[0]+"\n"), text...), 0o600))
		var out bytes.Buffer
		var w *traces.Writer
		summary, err := iggysim.Import([]iggysim.Source{{Path: path, Replica: -1}}, 0,
			func(h traces.Header) (err error) { w, err = traces.NewWriter(&out, h); return err },
			func(e traces.Event) error { return w.Write(e) })
		require.NoError(r, err)
		require.Equal(r, summary.Lines, summary.Events+summary.Foreign+summary.Missed)
	})
}
