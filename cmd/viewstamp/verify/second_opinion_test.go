package verify

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/conform/tlcbatch"
)

func reportAt(line int) conform.Report {
	if line == 0 {
		return conform.Report{}
	}
	return conform.Report{Mismatch: &conform.Mismatch{Line: line}}
}

func TestVerdictsThatDifferAreNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		byGo, byTLC int // The line that is rejected, 0 for none.
		want        string
	}{
		"both accept":             {0, 0, ""},
		"both reject one line":    {7, 7, ""},
		"only Go rejects":         {7, 0, "Go rejects line 7, TLC accepts the trace"},
		"only TLC rejects":        {0, 7, "Go accepts the trace, TLC rejects line 7"},
		"they reject two lines":   {7, 8, "Go rejects line 7, TLC rejects line 8"},
		"... the other way round": {8, 7, "Go rejects line 8, TLC rejects line 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, differ(reportAt(tc.byGo), tlcbatch.Verdict{Line: tc.byTLC}))
		})
	}
}

// The job fails for every way in which verdicts can be wrong, and for want of a control.
func TestOpinionsAreHeldAgainstEachOther(t *testing.T) {
	t.Parallel()
	// A trace as it was made, then one control of each kind, rejected at line 5.
	gathered := func() (*opinions, []tlcbatch.Verdict) {
		o := &opinions{names: []string{"made"}, kinds: []string{""}, reports: []conform.Report{{}}}
		verdicts := []tlcbatch.Verdict{{Events: 9}}
		for _, m := range mutators {
			o.names, o.kinds = append(o.names, m.name), append(o.kinds, m.name)
			o.reports = append(o.reports, reportAt(5))
			verdicts = append(verdicts, tlcbatch.Verdict{Events: 3, Line: 5})
		}
		return o, verdicts
	}
	for name, tc := range map[string]struct {
		change         func(o *opinions, verdicts []tlcbatch.Verdict)
		made, controls string // Reasons.
	}{
		"all are equal": {func(*opinions, []tlcbatch.Verdict) {}, "", ""},
		"TLC rejects what Go accepts": {
			func(_ *opinions, v []tlcbatch.Verdict) { v[0].Line = 3 },
			"made: the verdicts differ: Go accepts the trace, TLC rejects line 3", "",
		},
		"both reject what must be accepted": {
			func(o *opinions, v []tlcbatch.Verdict) { o.reports[0], v[0].Line = reportAt(3), 3 },
			"made: rejected at line 3, expected to be accepted", "",
		},
		"TLC accepts what Go rejects": {
			func(_ *opinions, v []tlcbatch.Verdict) { v[1].Line = 0 },
			"", "field: the verdicts differ: Go rejects line 5, TLC accepts the trace",
		},
		"both accept what must be rejected": {
			func(o *opinions, v []tlcbatch.Verdict) { o.reports[1], v[1].Line = reportAt(0), 0 },
			"", "field: accepted, expected a rejection",
		},
		"one kind of control is missing": {
			func(o *opinions, _ []tlcbatch.Verdict) { o.kinds[len(o.kinds)-1] = "field" },
			"", "no swap control, expected some",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, verdicts := gathered()
			tc.change(o, verdicts)
			made, controls := Check{Figures: Figures{}}, Check{Figures: Figures{}}
			o.compare(verdicts, &made, &controls)
			assert.Equal(t, []string{tc.made, tc.controls}, []string{made.Reason, controls.Reason})
			assert.Equal(t, []bool{tc.made == "", tc.controls == ""},
				[]bool{made.Status == Passed, controls.Status == Passed})
		})
	}
}

func TestWithoutTLCASecondOpinionIsSkipped(t *testing.T) {
	t.Parallel()
	path := recordedFile(t, false)
	checks, err := ConformByTLC(t.Context(), NoTLC("no Java here"), []string{path}, true)
	require.NoError(t, err)
	require.Len(t, checks, 2)
	assert.Equal(t, []Status{Passed, Skipped}, []Status{checks[0].Status, checks[1].Status})

	for _, c := range SecondOpinion(Quick().Opinion, NoTLC("no Java here")).Run(t.Context()) {
		assert.Equal(t, Skipped, c.Status, c.Name)
		assert.Equal(t, "no Java here", c.Reason)
	}
}

// recordedFile records a run, alters one of its events if wrong is set, and writes it.
func recordedFile(t *testing.T, wrong bool) string {
	t.Helper()
	recorded, _, err := Record(sim.Options{
		Seed: 2, Ticks: 300, Replicas: vsrReplicas, Faults: sim.FaultsHeavy,
	})
	require.NoError(t, err)
	if wrong {
		recorded.Events[9].After.CommitMax++
	}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	require.NoError(t, traces.WriteFile(path, recorded))
	return path
}

func TestFilesGetOneVerdictOfBothEngines(t *testing.T) {
	t.Parallel()
	box := FindTLC(t.Context())
	if box.status == Skipped {
		t.Skip(box.reason)
	}
	right, wrong := recordedFile(t, false), recordedFile(t, true)
	checks, err := ConformByTLC(t.Context(), box, []string{right, wrong}, true)
	require.NoError(t, err)
	var got []string
	for _, c := range checks {
		got = append(got, c.Engine+" "+string(c.Status))
	}
	assert.Equal(t, []string{"conform passed", "tlc passed", "conform failed", "tlc failed"}, got)
	for _, c := range checks[2:] {
		assert.Regexp(t, `run.jsonl:11: no step of the mod(el|ule) explains event 10: r2 Send`, c.Reason)
	}
	assert.InDelta(t, 9, checks[3].Figures[FigureEvents], 0)
}

// The counterexample of a mutant of the quorums lies among others in a folder: it is rejected, by
// each engine, and the others get their verdicts.
func TestATraceOfOtherQuorumsIsRejectedAndEndsNothing(t *testing.T) {
	t.Parallel()
	right := recordedFile(t, false)
	other, err := traces.ReadFile(t.Context(), right)
	require.NoError(t, err)
	other.Header.Quorum = traces.Quorum{Replication: 1, ViewChange: 2, Nack: 2}
	path := filepath.Join(t.TempDir(), "other.jsonl")
	require.NoError(t, traces.WriteFile(path, other))
	want := "other.jsonl:1: expected {Replication:2 ViewChange:2 Nack:2}: the model has no others"

	c, err := ConformFile(path)
	require.NoError(t, err)
	assert.Equal(t, Failed, c.Status)
	assert.Contains(t, c.Reason, want)

	checks, err := ConformByTLC(t.Context(), NoTLC("no Java here"), []string{path, right}, true)
	require.NoError(t, err)
	require.Len(t, checks, 4)
	var got []Status
	for _, c := range checks {
		got = append(got, c.Status)
	}
	assert.Equal(t, []Status{Failed, Failed, Passed, Skipped}, got)
	assert.Contains(t, checks[1].Reason, want)
}
