package linearizability

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerdictsOfSmallHistories(t *testing.T) {
	t.Parallel()
	keyed := func(key string, o Operation) Operation {
		o.Key = key
		return o
	}
	for name, tc := range map[string]struct {
		history *builder
		want    Verdict
	}{
		"nothing happened": {registerHistory(), Linearizable},
		"a read overlaps the write that it sees": {
			registerHistory().during(0, 9, write("a")).during(1, 2, read("a")), Linearizable,
		},
		"... and another that does not": {
			registerHistory().during(0, 9, write("a")).during(1, 2, read("a")).
				during(1, 2, readNull()),
			Linearizable,
		},
		"a later read goes back behind an earlier one": {
			registerHistory().during(0, 9, write("a")).during(1, 2, read("a")).
				during(3, 4, readNull()),
			Violation,
		},
		"operations that touch overlap": {
			registerHistory().during(0, 5, write("a")).during(5, 9, readNull()), Linearizable,
		},
		"an open write takes effect late": {
			registerHistory().from(0, write("a")).during(5, 6, readNull()).during(7, 8, read("a")),
			Linearizable,
		},
		"... but not before its call": {
			registerHistory().during(0, 1, read("a")).from(2, write("a")), Violation,
		},
		"... and not twice": {
			registerHistory().from(0, write("a")).during(1, 2, read("a")).during(3, 4, write("b")).
				during(5, 6, read("b")).during(7, 8, read("a")),
			Violation,
		},
		"keys do not share values": {
			registerHistory().during(0, 1, keyed("x", write("a"))).
				during(2, 3, keyed("y", readNull())),
			Linearizable,
		},
		"the empty key is a key": {
			registerHistory().during(0, 1, keyed("", write("a"))).
				during(2, 3, keyed("", readNull())).during(0, 1, keyed("y", readNull())),
			Violation,
		},
		"one of two swaps wins": {
			registerHistory().during(0, 1, write("a")).during(2, 9, cas("a", "b", true)).
				during(2, 9, cas("a", "c", false)),
			Linearizable,
		},
		"two swaps cannot both win": {
			registerHistory().during(0, 1, write("a")).during(2, 9, cas("a", "b", true)).
				during(2, 9, cas("a", "c", true)),
			Violation,
		},
		"appends build a text": {
			kvHistory().during(0, 1, get("")).during(2, 3, put("a")).during(4, 9, appended("b")).
				during(4, 9, appended("c")).during(10, 11, get("acb")),
			Linearizable,
		},
		"an append is not lost": {
			kvHistory().during(2, 3, put("a")).during(4, 9, appended("b")).
				during(10, 11, get("a")),
			Violation,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := mustCheck(t, &tc.history.history, CheckOptions{})
			assert.Equal(t, tc.want, report.Verdict)
			assert.Equal(t, len(tc.history.history.Operations), report.Operations)
			assert.Equal(t, tc.want == Violation, report.Witness != nil)
			skipped := mustCheck(t, &tc.history.history, CheckOptions{SkipWitness: true})
			assert.Equal(t, tc.want, skipped.Verdict)
			assert.Nil(t, skipped.Witness)
		})
	}
}

// many makes a partition that no bounded search decides: the last read returns what
// nobody wrote, and before it any subset of the writes may have happened, in any
// order.
func many(key string) *builder {
	b := registerHistory()
	for i := range 40 {
		b.during(0, 1000, write(string(rune('a'+i%20))))
	}
	b.during(500, 2000, read("nowhere"))
	for i := range b.history.Operations {
		b.history.Operations[i].Key = key
	}
	return b
}

func TestLimitsLeaveTheVerdictOpen(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		context context.Context
		options CheckOptions
		stop    StopReason
		says    string
	}{
		"out of steps": {
			t.Context(),
			CheckOptions{StepsMax: 10_000},
			StopSteps,
			"undecided (out of steps): 40 of 41 operations ordered; 41 operations in 1 partitions",
		},
		"out of memory": {
			t.Context(),
			CheckOptions{MemoryMaxBytes: 1 << 20},
			StopMemory,
			"undecided (out of memory): 40 of 41 operations ordered; 41 operations in 1 partitions",
		},
		"out of time": {
			cancelled,
			CheckOptions{},
			StopTime,
			"undecided (out of time): 0 of 41 operations ordered; 41 operations in 1 partitions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := Check(tc.context, &many("").history, tc.options)
			require.NoError(t, err)
			assert.Equal(t, Undecided, report.Verdict)
			assert.Equal(t, tc.stop, report.Stop)
			assert.Nil(t, report.Witness)
			assert.Contains(t, report.Summary(), tc.says)
		})
	}
}

func TestOneViolationDecidesWhateverElseIsHard(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]struct{ hard, wrong string }{
		"a hard partition first": {"a", "b"},
		"a hard partition last":  {"b", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := many(keys.hard)
			wrong := read("z")
			wrong.Key = keys.wrong
			b.during(0, 1, wrong)
			report := mustCheck(t, &b.history, CheckOptions{})
			assert.Equal(t, Violation, report.Verdict)
			require.NotNil(t, report.Witness)
			assert.Equal(t, keys.wrong, report.Witness.Key)
			for _, p := range report.Partitions {
				if p.Key == keys.hard {
					assert.Equal(t, Undecided, p.Verdict)
				}
			}
		})
	}
}

func TestUndecidedIsNotHiddenByWhatPassed(t *testing.T) {
	t.Parallel()
	b := many("b")
	for _, key := range []string{"a", "c"} {
		fine := readNull()
		fine.Key = key
		b.during(0, 1, fine)
	}
	report := mustCheck(t, &b.history, CheckOptions{StepsMax: 5_000})
	assert.Equal(t, Undecided, report.Verdict)
	require.Len(t, report.Partitions, 3)
	assert.Equal(t, Linearizable, report.Partitions[0].Verdict)
	assert.Equal(t, Undecided, report.Partitions[1].Verdict)
	assert.GreaterOrEqual(t, report.Partitions[1].Steps, uint64(5_000))
	assert.Equal(t, Linearizable, report.Partitions[2].Verdict)
	assert.Equal(t, 43, report.Searched())
	assert.Equal(t, 42, report.Linearized())
}

// TestReportsAreReproducible has several wrong and several right keys, so that who
// is faster could show.
func TestReportsAreReproducible(t *testing.T) {
	t.Parallel()
	h := mustGenerate(t, GenerateOptions{
		Seed: 5, Model: Register, Operations: 600, Clients: 8, Keys: 12, UnknownShare: 0.1,
		Plant: PlantNone,
	})
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Kind == Read && o.constrains() && i%50 == 0 {
			o.Output.Value = Text("nowhere")
		}
	}
	check := func(workers int) Report {
		report := mustCheck(t, h, CheckOptions{Workers: workers})
		report.Seconds = 0
		return report
	}
	want := check(1)
	require.Equal(t, Violation, want.Verdict)
	for range 5 {
		require.Equal(t, want, check(4))
	}
}

func TestNamesOfVerdictsAndReasons(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "linearizable", Linearizable.String())
	assert.Equal(t, "violation", Violation.String())
	assert.Equal(t, "undecided", Undecided.String())
	assert.Equal(t, "verdict(0)", Verdict(0).String())
	assert.Equal(t, "none", StopNone.String())
	assert.Equal(t, "decided elsewhere", StopElsewhere.String())
	assert.Equal(t, "stop_reason(0)", StopReason(0).String())
}
