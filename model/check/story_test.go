package check

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// counterexampleOf returns the Go model's counterexample of a mutant's cfg.
func counterexampleOf(t *testing.T, name string) (spec.Cfg, *Counterexample) {
	t.Helper()
	cfg := lookup(t, name)
	outcome, err := Go(context.Background(), cfg, Options{Workers: 1})
	require.NoError(t, err)
	require.NotNil(t, outcome.Counterexample)
	return cfg, outcome.Counterexample
}

func TestStory(t *testing.T) {
	t.Parallel()
	for name, wanted := range map[string][]string{
		"bug-start_hollow": {
			"Mutant start_hollow of VSR: R13: a new primary starts before it holds the bodies.",
			"It breaks PipelineBacked: ",
			"r1 has waited long enough for its primary",
			"[StartViewChange(1)]",
			"PipelineBacked does not hold in state 8: ",
		},
		"journal-bug-adopt_torn": {
			"the next op of the view, made as primary or taken as backup  [AppendPrepare]",
		},
		"sessions-bug-birth_ignored": {
			"Seen in the wild as iggy#3905.", "any message that was ever sent gets the next op",
		},
		"partition-bug-adopt_torn": {"Mutant adopt_torn of PartitionLog"},
	} {
		t.Run("the story of "+name+" says what, who and why", func(t *testing.T) {
			t.Parallel()
			cfg, c := counterexampleOf(t, name)
			story, err := Story(cfg, cfg.Mutant, false, c)
			require.NoError(t, err)
			for _, text := range wanted {
				assert.Contains(t, story, text)
			}
			assert.Equal(t, c.States, strings.Count(story, "\n\n")-1, "one paragraph per state")
		})
	}
}

func TestAStorySaysWhatAnInvariantClaims(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, comment, want string }{
		{
			"KillSafe", "KillSafe, R3, R14: kills lose nothing that was acknowledged. Mutant x.",
			" (R3, R14): kills lose nothing that was acknowledged",
		},
		{"NoTorn", "NoTorn: no torn record is adopted", ": no torn record is adopted"},
		{
			"Starts", "A view starts once, with one log (R2). Mutant start_again breaks it.",
			": A view starts once, with one log (R2)",
		},
		{
			"NoStall", "Both as one.  Fair steps only consume: nothing is left. Mutant x.",
			": Both as one. Fair steps only consume: nothing is left",
		},
		{"One", "One op, one entry. Broken by longest.", ": One op, one entry"},
		{"Agreed", "Agreed, as it were. Mutants a, b.", ": Agreed, as it were"},
		{"Mute", "Mutants a, b.", ""},
		{"Bare", "", ""},
	} {
		got := claimOf(spec.Invariant{Name: tc.name, Comment: tc.comment})
		assert.Equal(t, tc.want, got, tc.comment)
	}
}

func TestAStoryShowsOfTheInitialStateWhatMatters(t *testing.T) {
	t.Parallel()
	steps := []explore.Described{
		{Changes: []string{"a = 0", "b = {}", "c = 0", "d = 7", "alone", "asleep"}},
		{Changes: []string{"c = 1  (was 0)", "e = 5  (new)"}},
		{Changes: []string{"a = 2  (was 0)", "b = {1}", "alone  (gone)"}},
	}
	assert.Equal(t, []string{
		"a, c = 0", "b = {}", "alone", "(and 2 that no step changes: --full shows them)",
	}, initialLines(steps))
	assert.Equal(t, []string{"a = 0"}, initialLines([]explore.Described{
		{Changes: []string{"a = 0"}}, {Changes: []string{"a = 1"}},
	}), "nothing is left out, so nothing is said")

	cfg, c := counterexampleOf(t, "journal-bug-adopt_torn")
	short, err := Story(cfg, cfg.Mutant, false, c)
	require.NoError(t, err)
	whole, err := Story(cfg, cfg.Mutant, true, c)
	require.NoError(t, err)
	assert.Contains(t, short, "--full shows them")
	assert.Less(t, strings.Count(short, "\n"), strings.Count(whole, "\n"))
	for _, line := range c.Steps[0].Changes {
		assert.Contains(t, whole, "        "+line+"\n")
	}
	assert.Contains(t, whole, "It breaks NoTorn (R14): boot takes no batch of which nothing verifies.")
}

func TestSentenceOf(t *testing.T) {
	t.Parallel()
	sentences := map[string]spec.ActionComment{
		"Join":  {Name: "Join", Parameters: []string{"r", "v"}, Sentence: "r joins view v's change"},
		"Merge": {Name: "Merge", Parameters: []string{"p", "S"}, Sentence: "p merges the votes of S"},
	}
	for label, want := range map[string]string{
		"Join(2,1)":      "r2 joins view 1's change  [Join(2,1)]",
		"Merge(1,{0,1})": "r1 merges the votes of {0,1}  [Merge(1,{0,1})]",
		"Join(2)":        "Join(2)", // Too few arguments: the label alone.
		"Other(1)":       "Other(1)",
	} {
		assert.Equal(t, want, sentenceOf(sentences, label))
	}
}

func written(t *testing.T, c *Counterexample, f Format) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, c.Write(&text, f))
	return text.String()
}

func TestCounterexampleAsMermaid(t *testing.T) {
	t.Parallel()
	_, c := counterexampleOf(t, "bug-no_nonce")
	text := written(t, c, FormatMermaid)
	assert.True(t, strings.HasPrefix(text, "sequenceDiagram\n  participant p0 as client\n"))
	for _, line := range []string{
		"  participant p2 as r2\n", "  p2->>p1: 4. DoViewChange (view 1)\n",
		"  p1->>p2: 10. Prepare (view 1)\n", "  Note over p2: 11. Restart(2)\n",
	} {
		assert.Contains(t, text, line)
	}

	_, c = counterexampleOf(t, "journal-bug-adopt_torn")
	assert.Contains(t, written(t, c, FormatMermaid), "  participant p0 as Journal\n",
		"a module without replicas")
}

// SANY must take what is written, for every kind of module.
func TestCounterexampleAsTLA(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"bug-start_hollow", "journal-bug-adopt_torn", "sessions-bug-birth_ignored",
		"partition-bug-adopt_torn", "live-bug-same_view_sv", "bug-merge_resurrects",
	} {
		t.Run("the counterexample of "+name+" is a module", func(t *testing.T) {
			t.Parallel()
			_, c := counterexampleOf(t, name)
			text := written(t, c, FormatTLA)
			assert.Equal(t, c.States, strings.Count(text, "\nState"))
			files := map[string][]byte{TLAModule + ".tla": []byte(text)}
			require.NoError(t, tools(t).SANY(t.Context(), files, TLAModule))
		})
	}
}

func TestOnlyTheGoModelsCounterexamplesAreSaved(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.ErrorContains(t, (&Counterexample{}).Write(&text, FormatTLA), "TLC's")
	_, c := counterexampleOf(t, "bug-start_hollow")
	require.ErrorContains(t, c.Write(&text, 0), "Format(0), expected tla, itf or mermaid")
}
