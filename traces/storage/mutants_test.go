package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

// A defect of the model's disk or boot is told apart from the production code.
func TestEveryMutantOfTheDiskIsToldApart(t *testing.T) {
	t.Parallel()
	const walks, steps = 400, 40
	for _, bug := range model.JournalBugs() {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, c := range large {
					c.Bugs = []model.Bug{bug}
					machine, err := storage.NewMachine(c, storage.Production())
					require.NoError(t, err)
					if err := machine.Follow(walk(c, seed, steps)); err != nil {
						t.Log(seed, err)
						return
					}
				}
			}
			assert.Fail(t, "the mutant was followed")
		})
	}
}
