package linearizability

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoDropMakesAViolation tries each way in which the shrinker takes operations
// away on histories that are linearizable: what is left must be so too.
func TestNoDropMakesAViolation(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			spec, _ := model.specification()
			s := &shrinker{spec: spec}
			ends, beginnings, chunks := 0, 0, 0
			for seed := range randomPartitions(model) {
				operations := randomPartition(seed, model).pointers()
				if plainVerdict(spec, operations) == Violation {
					continue
				}
				still := func(rest []*Operation, how string) int {
					require.Equal(t, Linearizable, plainVerdict(spec, rest), "seed %d, %s of\n%sto\n%s",
						seed, how, describe(operations), describe(rest))
					return len(operations) - len(rest)
				}
				for to := range len(operations) {
					if spec.shapes != nil {
						s.stepsLeft, s.stepsEach, s.ended = 1_000, 1_000, unlimited
						require.Equal(t, operations, s.forget(operations, to+1), "seed %d", seed)
					}
				}
				for _, at := range cutTimes(operations) {
					if spec.shapes != nil {
						break
					}
					ends += still(s.endsAt(operations, at), "cut of the end")
				}
				for _, w := range cutWrites(operations) {
					if spec.shapes != nil {
						break
					}
					beginnings += still(s.beginsWith(operations, w), "cut of the beginning")
				}
				for to := range len(operations) {
					for from := range to {
						chunks += still(dropChunk(spec, operations, from, to), "drop")
					}
				}
			}
			if spec.shapes == nil {
				assert.Greater(t, ends, 100)
				assert.Greater(t, beginnings, 100)
			}
			assert.Greater(t, chunks, 100)
		})
	}
}

// TestWitnessesAreMinimal judges witnesses of random violations by plain Porcupine:
// they are violations, parts of the history, and nothing more can be dropped.
func TestWitnessesAreMinimal(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		spec, _ := model.specification()
		if spec.shapes != nil {
			continue // TestWeakenedWitnessesAreViolations has these
		}
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			found, smaller, named := 0, 0, 0
			for seed := range randomPartitions(model) / 4 {
				b := randomPartition(seed, model)
				report := mustCheck(t, &b.history, CheckOptions{})
				if report.Verdict != Violation {
					require.Nil(t, report.Witness)
					continue
				}
				found++
				w := report.Witness
				require.True(t, w.Minimal)
				requireMinimal(t, spec, w, b)
				if len(w.Operations) < len(b.history.Operations) {
					smaller++
				}
				if w.Conflict != nil {
					named++
				}
			}
			assert.Greater(t, found, 50)
			assert.Greater(t, smaller, found/2)
			assert.Greater(t, named, found/2)
		})
	}
}

func requireMinimal(t *testing.T, spec *specification, w *Witness, b *builder) {
	t.Helper()
	for _, o := range w.Operations {
		require.Contains(t, b.history.Operations, o, "the witness changed an operation")
	}
	operations := w.pointers()
	require.Equal(t, Violation, plainVerdict(spec, operations))
	for i := range operations {
		rest := dropChunk(spec, operations, i, i+1)
		if len(rest) < len(operations) {
			require.Equal(t, Linearizable, plainVerdict(spec, rest),
				"%s can be dropped from\n%s", operations[i], describe(operations))
		}
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		history *builder
		kind    ConflictKind
		// first and second are the operations' clients, left the size of the witness.
		first, second, left int
		says                string
	}{
		"a read misses a write that had returned": {
			registerHistory().during(0, 1, write("a")).during(2, 3, write("b")).
				during(4, 5, read("a")).during(6, 7, read("b")).during(8, 9, write("c")),
			ConflictStale, 1, 2, 3,
			`client 1's write("b") (id 0) had returned before client 2's read() -> "a" (id 0) ` +
				`was called, whose answer misses it`,
		},
		"a read misses the first write": {
			registerHistory().during(0, 1, write("a")).during(2, 3, readNull()),
			ConflictStale, 0, 1, 2,
			`client 0's write("a") (id 0) had returned before client 1's read() -> null (id 0) ` +
				`was called, whose answer misses it`,
		},
		"a swap misses a write": {
			registerHistory().during(0, 1, write("a")).during(2, 3, write("b")).
				during(4, 5, cas("a", "c", true)),
			ConflictStale, 1, 2, 3,
			`client 1's write("b") (id 0) had returned before client 2's cas("a" -> "c") -> ok ` +
				`(id 0) was called, whose answer misses it`,
		},
		"a read shows a write that was called later": {
			registerHistory().during(0, 1, read("a")).during(2, 3, write("a")),
			ConflictEarly, 0, 1, 2,
			`client 0's read() -> "a" (id 0) had returned before client 1's write("a") (id 0) ` +
				`was called, but its answer shows the latter's effect`,
		},
		"two reads see two writes in the wrong order": {
			registerHistory().during(0, 1, write("a")).during(2, 20, write("b")).
				during(3, 4, read("b")).during(5, 6, read("a")),
			ConflictAnswers, 2, 3, 4,
			`client 2's read() -> "b" (id 0) had returned before client 3's read() -> "a" (id 0) ` +
				`was called, but their answers need the other order`,
		},
		"a text shows two appends in the wrong order": {
			kvHistory().during(0, 1, appended("a")).during(2, 3, appended("b")).
				during(4, 5, get("ba")),
			ConflictOrder, 0, 1, 3,
			`client 0's append("a") (id 0) had returned before client 1's append("b") (id 0) ` +
				`was called, but other answers show the other order`,
		},
		"a read returns what nobody wrote": {
			registerHistory().during(0, 9, write("a")).during(2, 3, read("b")),
			ConflictImpossible, -1, 1, 1,
			`no order of the other operations gives the answer of client 1's read() -> "b" (id 0)`,
		},
		"a text lacks what was appended before": {
			kvHistory().during(0, 1, appended("a")).during(2, 3, appended("b")).
				during(4, 5, get("a")),
			ConflictStale, 1, 2, 3,
			`client 1's append("b") (id 0) had returned before client 2's get() -> "a" (id 0) ` +
				`was called, whose answer misses it`,
		},
		"two texts contradict each other": {
			kvHistory().from(0, appended("a")).from(0, appended("b")).
				during(4, 9, get("ab")).during(4, 9, get("ba")),
			ConflictIncompatible, 2, 3, 4,
			`no order gives both the answer of client 2's get() -> "ab" (id 0) and that of ` +
				`client 3's get() -> "ba" (id 0)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := mustCheck(t, &tc.history.history, CheckOptions{})
			require.Equal(t, Violation, report.Verdict)
			w := report.Witness
			require.NotNil(t, w.Conflict)
			assert.True(t, w.Minimal)
			assert.Len(t, w.Operations, tc.left)
			assert.Equal(t, tc.kind, w.Conflict.Kind)
			assert.Equal(t, tc.says, w.Conflict.String())
			operations := tc.history.history.Operations
			assert.Equal(t, operations[tc.second], *w.Conflict.Second)
			if tc.first < 0 {
				assert.Nil(t, w.Conflict.First)
			} else {
				assert.Equal(t, operations[tc.first], *w.Conflict.First)
			}
			assert.Contains(t, report.Summary(), tc.says)
		})
	}
}

// A value that was overwritten long ago must not look like one that nobody wrote.
func TestWitnessesKeepTheOriginOfWhatTheyShow(t *testing.T) {
	t.Parallel()
	b := registerHistory()
	at := int64(0)
	next := func(o Operation) {
		b.during(at, at+1, o)
		at += 2
	}
	next(write("old"))
	for range 50 {
		next(write("x"))
		next(read("x"))
		next(cas("x", "y", true))
		next(cas("x", "z", false))
	}
	next(read("old"))
	report := mustCheck(t, &b.history, CheckOptions{})
	require.Equal(t, Violation, report.Verdict)
	require.Len(t, report.Witness.Operations, 3)
	assert.Equal(t, write("old").Input, report.Witness.Operations[0].Input)
	assert.Equal(t, ConflictStale, report.Witness.Conflict.Kind)
}

func TestShrinkingStopsAtItsBound(t *testing.T) {
	t.Parallel()
	h := mustGenerate(t, GenerateOptions{
		Seed: 3, Model: Register, Operations: 400, Clients: 4, Keys: 1, Plant: PlantStaleRead,
	})
	report := mustCheck(t, h, CheckOptions{ShrinkStepsMax: 1})
	require.Equal(t, Violation, report.Verdict)
	assert.False(t, report.Witness.Minimal)
	spec, _ := h.Model.specification()
	assert.Equal(t, Violation, plainVerdict(spec, report.Witness.pointers()))
	assert.Nil(t, report.Witness.Conflict)
	assert.Contains(t, report.Summary(), `violation of key "k0" by `)
}
