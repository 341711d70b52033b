package linearizability

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cut of a history that is right is right, wherever it is cut; so a cut that is wrong shows
// that the history is.
func TestNoOpenCutMakesAViolation(t *testing.T) {
	t.Parallel()
	for _, model := range shaped() {
		t.Run(string(model), func(t *testing.T) {
			t.Parallel()
			spec, _ := model.specification()
			cuts, violations := 0, 0
			for seed := range randomPartitions(model) / 4 {
				b := randomPartition(seed, model)
				operations := b.pointers()
				whole := plainVerdict(spec, operations)
				for _, moment := range cutTimes(operations) {
					cut := endsOpenAt(operations, moment)
					verdict := plainVerdict(spec, cut)
					if whole == Linearizable {
						require.Equal(t, Linearizable, verdict, "seed %d, cut at %d\n%sof\n%s", seed,
							moment, describe(cut), describe(operations))
					}
					cuts++
					if verdict == Violation {
						violations++
					}
				}
			}
			assert.Greater(t, cuts, 50)
			assert.Positive(t, violations, "cuts keep what is wrong before them")
		})
	}
}
