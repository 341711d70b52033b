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
			story, err := Story(cfg, cfg.Mutant, c)
			require.NoError(t, err)
			for _, text := range wanted {
				assert.Contains(t, story, text)
			}
			assert.Equal(t, c.States, strings.Count(story, "\n\n")-1, "one paragraph per state")
		})
	}
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

func TestMermaid(t *testing.T) {
	t.Parallel()
	cfg, c := counterexampleOf(t, "bug-no_nonce")
	text, err := Mermaid(cfg, cfg.Mutant, c)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(text, "sequenceDiagram\n  title bug-no_nonce, mutant no_nonce: "))
	for _, line := range []string{
		"  participant client\n", "  r2->>r1: DoViewChange (view 1)\n", "  r1->>r2: Prepare (view 1)\n",
		"  Note over r2: Restart(2)\n", "  Note over r2: PrepareOKBacked is broken\n",
	} {
		assert.Contains(t, text, line)
	}

	cfg, c = counterexampleOf(t, "journal-bug-adopt_torn")
	text, err = Mermaid(cfg, cfg.Mutant, c)
	require.NoError(t, err)
	assert.Contains(t, text, "  participant system\n", "a module without replicas")
}

// SANY must take what is written, for every module.
func TestTLAText(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"bug-start_hollow", "journal-bug-adopt_torn", "sessions-bug-birth_ignored",
		"partition-bug-adopt_torn",
	} {
		t.Run("the counterexample of "+name+" is a module", func(t *testing.T) {
			t.Parallel()
			cfg, c := counterexampleOf(t, name)
			text, err := TLAText(cfg, cfg.Mutant, c)
			require.NoError(t, err)
			assert.Equal(t, c.States, strings.Count(text, "[action |-> "))
			files := map[string][]byte{TLAModule + ".tla": []byte(text)}
			require.NoError(t, tools(t).SANY(t.Context(), files, TLAModule))
		})
	}
	broken := &Counterexample{Steps: []explore.Described{{Canonical: "{"}}}
	_, err := TLAText(lookup(t, "bug-start_hollow"), "", broken)
	require.ErrorContains(t, err, "state 1")
}
