package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generated calls f on histories of several sizes, widths and shares of unknown
// outcomes, with the given plant.
func generated(t *testing.T, plant Plant, f func(t *testing.T, options GenerateOptions)) {
	t.Helper()
	for _, model := range []Model{Register, KV} {
		for _, size := range []struct{ operations, clients, keys int }{
			{max(1, plant.operations()), 1, 1}, {40, 4, 1}, {300, 8, 3}, {2_000, 16, 10}, {20_000, 32, 100},
		} {
			for _, unknown := range []float64{0, 0.05, 0.3} {
				name := fmt.Sprintf("%s, %d operations of %d clients on %d keys, %.0f%% unknown",
					model, size.operations, size.clients, size.keys, 100*unknown)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f(t, GenerateOptions{
						Seed: 11, Model: model, Operations: size.operations,
						Clients: size.clients, Keys: size.keys, UnknownShare: unknown, Plant: plant,
					})
				})
			}
		}
	}
}

func TestGeneratedHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	generated(t, PlantNone, func(t *testing.T, options GenerateOptions) {
		h := mustGenerate(t, options)
		assert.Len(t, h.Operations, options.Operations)
		report := mustCheck(t, h, CheckOptions{})
		assert.Equal(t, Linearizable, report.Verdict, report.Summary())
		assert.Equal(t, report.Searched(), report.Linearized())
	})
}

// The negative controls of the whole checker: each violation is found, and what is
// left of the history is what was planted.
func TestPlantedViolationsAreFound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		plant Plant
		left  int
		kind  ConflictKind
	}{
		{PlantStaleRead, 3, ConflictStale},
		{PlantLostWrite, 3, ConflictStale},
		{PlantPhantomValue, 1, ConflictImpossible},
	} {
		t.Run(string(tc.plant), func(t *testing.T) {
			t.Parallel()
			generated(t, tc.plant, func(t *testing.T, options GenerateOptions) {
				h := mustGenerate(t, options)
				assert.Len(t, h.Operations, options.Operations)
				report := mustCheck(t, h, CheckOptions{})
				require.Equal(t, Violation, report.Verdict, report.Summary())
				w := report.Witness
				require.True(t, w.Minimal, report.Summary())
				spec, _ := h.Model.specification()
				require.Equal(t, Violation, plainVerdict(spec, w.pointers()))
				require.Len(t, w.Operations, tc.left, report.Summary())
				require.NotNil(t, w.Conflict)
				require.Equal(t, tc.kind, w.Conflict.Kind)
			})
		})
	}
}

// The same run without its plant's lie is linearizable, so the lie is the reason.
func TestOnlyThePlantIsWrong(t *testing.T) {
	t.Parallel()
	for _, plant := range []Plant{PlantStaleRead, PlantPhantomValue} {
		for seed := range uint64(20) {
			h := mustGenerate(t, GenerateOptions{
				Seed: seed, Model: Register, Operations: 200, Clients: 6, Keys: 2,
				UnknownShare: 0.1, Plant: plant,
			})
			report := mustCheck(t, h, CheckOptions{})
			require.Equal(t, Violation, report.Verdict)
			liar := report.Witness.Conflict.Second.identity()
			for i := range h.Operations {
				if h.Operations[i].identity() == liar {
					h.Operations[i].Output = Output{Unknown: true}
				}
			}
			require.Equal(t, Linearizable, mustCheck(t, h, CheckOptions{}).Verdict,
				"%s, seed %d", plant, seed)
		}
	}
}

func TestGenerationIsReproducible(t *testing.T) {
	t.Parallel()
	options := GenerateOptions{
		Seed: 7, Model: Register, Operations: 500, Clients: 5, Keys: 4, UnknownShare: 0.2,
		Plant: PlantLostWrite,
	}
	first := mustGenerate(t, options)
	assert.Equal(t, first, mustGenerate(t, options))
	options.Seed = 8
	assert.NotEqual(t, first, mustGenerate(t, options))
}

func TestGeneratedHistoriesAreVaried(t *testing.T) {
	t.Parallel()
	for _, model := range []Model{Register, KV} {
		h := mustGenerate(t, GenerateOptions{
			Seed: 1, Model: model, Operations: 4_000, Clients: 8, Keys: 5, UnknownShare: 0.25,
			Plant: PlantNone,
		})
		kinds, keys, open, failed := map[Kind]int{}, map[string]int{}, 0, 0
		for _, o := range h.Operations {
			kinds[o.Kind]++
			keys[o.Key]++
			if o.Open {
				open++
			} else if o.Kind == CAS && !o.Output.OK {
				failed++
			}
		}
		assert.Len(t, kinds, 3)
		assert.Len(t, keys, 5)
		assert.InDelta(t, 1_000, open, 150)
		if model == Register {
			assert.Greater(t, failed, 50)
		}
		spec, _ := model.specification()
		seen := 0 // Open changes that took effect and were noticed.
		for _, p := range h.partitions() {
			for _, c := range reduce(spec, p.operations) {
				if c.operation.Open && c.until < never {
					seen++
				}
			}
		}
		if model == Register {
			assert.Greater(t, seen, 20)
		}
	}
}

func TestGenerateRefusesWhatItCannotMake(t *testing.T) {
	t.Parallel()
	good := GenerateOptions{
		Model: KV, Operations: 10, Clients: 2, Keys: 2, Plant: PlantStaleRead,
	}
	for name, tc := range map[string]struct {
		spoil func(o *GenerateOptions)
		want  string
	}{
		"an unknown model": {
			func(o *GenerateOptions) { o.Model = "queue" },
			`expected model ` + modelNames() + `, got "queue"`,
		},
		"an unknown plant": {
			func(o *GenerateOptions) { o.Plant = "" },
			`expected plant of ["none" "stale_read" "lost_write" "phantom_value"], got ""`,
		},
		"no room for the plant": {
			func(o *GenerateOptions) { o.Operations = 2 }, `expected at least 3 operations, got 2`,
		},
		"no clients": {
			func(o *GenerateOptions) { o.Clients = 0 }, `expected at least 1 clients, got 0`,
		},
		"no keys": {
			func(o *GenerateOptions) { o.Keys = 0 }, `expected at least 1 keys, got 0`,
		},
		"a share above one": {
			func(o *GenerateOptions) { o.UnknownShare = 1.5 },
			`expected a share of unknown outcomes from 0 to 1, got 1.5`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := good
			tc.spoil(&options)
			_, err := Generate(options)
			require.EqualError(t, err, "generate history: "+tc.want)
		})
	}
}
