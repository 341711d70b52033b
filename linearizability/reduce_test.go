package linearizability

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomPartitions is how many small histories the properties are tried on.
func randomPartitions(model Model) uint64 {
	if spec, _ := model.specification(); spec.shapes != nil {
		return 1_200
	}
	if testing.Short() || raceEnabled {
		return 1_000
	}
	return 6_000
}

// TestReductionAndSearchChangeNoVerdict compares with Porcupine on the histories as
// they were recorded. The reduction and the search's shortcuts are tried apart and
// together.
func TestReductionAndSearchChangeNoVerdict(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			spec, _ := model.specification()
			counts := map[Verdict]int{}
			dropped, lowered := 0, 0
			for seed := range randomPartitions(model) {
				operations := randomPartition(seed, model).pointers()
				want := plainVerdict(spec, operations)
				counts[want]++
				reduced := reduce(spec, operations)
				dropped += len(operations) - len(reduced)
				var kept []*Operation
				for _, c := range reduced {
					kept = append(kept, c.operation)
					if c.until != c.operation.end() {
						lowered++
					}
				}
				require.Equal(t, want, plainVerdict(spec, kept),
					"seed %d: the reduction\n%s", seed, describe(operations))
				require.Equal(t, want, search(unlimited, spec, recorded(operations), limits{}).verdict,
					"seed %d: the search alone\n%s", seed, describe(operations))
				found := search(unlimited, spec, reduced, limits{})
				require.Equal(t, want, found.verdict,
					"seed %d: both together\n%s", seed, describe(operations))
				requireLegal(t, spec, found, reduced)
			}
			assert.Greater(t, counts[Linearizable], 100)
			assert.Greater(t, counts[Violation], 100)
			assert.Greater(t, dropped, 100)
			if model == Register {
				assert.Greater(t, lowered, 100)
			}
		})
	}
}

// requireLegal replays the longest order that a search found.
func requireLegal(t *testing.T, spec *specification, found outcome, candidates []candidate) {
	t.Helper()
	byIdentity := map[identity]candidate{}
	for _, c := range candidates {
		byIdentity[c.operation.identity()] = c
	}
	order := found.deepest.identities()
	if found.verdict == Linearizable {
		require.Len(t, order, len(candidates))
	}
	holds, possible := spec.initial, false
	for i, id := range order {
		c, known := byIdentity[id]
		require.True(t, known, "an operation stands in the order twice, or is not of the history")
		delete(byIdentity, id)
		possible, holds = spec.step(holds, c.operation)
		require.True(t, possible)
		for _, later := range order[i+1:] {
			require.GreaterOrEqual(t, byIdentity[later].until, c.operation.Call,
				"the order does not respect time")
		}
	}
}

// blind observers see nothing, so that a reduction by them drops too much.
type blind struct{}

func (blind) add(*Operation)    {}
func (blind) remove(*Operation) {}
func (blind) sees(Value) bool   { return false }

// The comparison above must be able to fail.
func TestAWrongReductionChangesVerdicts(t *testing.T) {
	t.Parallel()
	for _, model := range Models() {
		spec, _ := model.specification()
		wrong := *spec
		wrong.observers = func() observers { return blind{} }
		differ := 0
		for seed := range randomPartitions(model) {
			operations := randomPartition(seed, model).pointers()
			found := search(unlimited, spec, reduce(&wrong, operations), limits{})
			if found.verdict != plainVerdict(spec, operations) {
				differ++
			}
		}
		assert.Positive(t, differ, model)
	}
}

func TestReduction(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		history *builder
		kept    []int
		until   map[int]int64 // By position in the history.
	}{
		"a read without an answer says nothing": {
			registerHistory().during(0, 1, write("a")).from(0, Operation{Kind: Read}),
			[]int{0},
			nil,
		},
		"an open write that nobody saw never happened": {
			registerHistory().from(0, write("a")).during(1, 2, readNull()), []int{1}, nil,
		},
		"... and one that was seen happened by then": {
			registerHistory().from(0, write("a")).during(5, 9, read("a")).during(5, 8, read("a")),
			[]int{0, 1, 2},
			map[int]int64{0: 8},
		},
		"... unless somebody else may have written it": {
			registerHistory().from(0, write("a")).during(0, 3, write("a")).during(5, 9, read("a")),
			[]int{0, 1, 2},
			map[int]int64{0: never},
		},
		"... but not before its own call": {
			registerHistory().during(0, 1, read("a")).from(5, write("a")),
			[]int{0, 1},
			map[int]int64{1: 5},
		},
		"a failed swap keeps open writes, since any may be its reason": {
			registerHistory().from(0, write("a")).during(1, 2, cas("b", "c", false)),
			[]int{0, 1},
			map[int]int64{0: never},
		},
		"an open swap is seen by who expects what it sets": {
			registerHistory().from(0, openCAS("a", "b")).during(0, 9, cas("b", "c", true)),
			[]int{0, 1},
			map[int]int64{0: 9},
		},
		"open writes that see only each other never happened": {
			registerHistory().from(0, write("a")).from(0, openCAS("a", "b")).
				from(0, openCAS("b", "c")).during(0, 1, readNull()),
			[]int{3},
			nil,
		},
		"an open append that is part of an answer is kept to the end": {
			kvHistory().from(0, appended("b")).from(0, appended("x")).during(1, 2, get("abc")),
			[]int{0, 2},
			map[int]int64{0: never},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, _ := tc.history.history.Model.specification()
			var kept []int
			for _, c := range reduce(spec, tc.history.pointers()) {
				kept = append(kept, c.operation.Client)
				if want, given := tc.until[c.operation.Client]; given {
					assert.Equal(t, want, c.until)
				}
			}
			assert.Equal(t, tc.kept, kept)
		})
	}
}
