package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizeOf is what a search bears of the model.
func sizeOf(model Model) int {
	if model == Partition {
		return 2_000
	}
	return 40
}

func TestGeneratedWorldsAreLinearizableAndTheirMutantsAreFound(t *testing.T) {
	t.Parallel()
	for _, model := range shaped() {
		for _, plant := range append([]Plant{PlantNone}, PlantsOf(model)...) {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("%s %s %d", model, plant, seed), func(t *testing.T) {
					t.Parallel()
					h := mustGenerate(t, GenerateOptions{
						Seed: seed, Model: model, Operations: sizeOf(model), Clients: 4, Keys: 2,
						UnknownShare: 0.02, Plant: plant,
					})
					report := mustCheck(t, h, CheckOptions{Workers: 1, StepsMax: 200_000, ShrinkStepsMax: 20_000})
					if plant == PlantNone {
						require.Equal(t, Linearizable, report.Verdict, report.Summary())
						return
					}
					require.Equal(t, Violation, report.Verdict, report.Summary())
					spec, _ := model.specification()
					if w := report.Witness; plant != PlantBackRead && len(w.Operations) < 30 {
						assert.Equal(t, Violation, plainVerdict(spec, w.pointers()))
					}
				})
			}
		}
	}
}
