package client

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Each outcome says the truth about what was executed, then and for ever after.
func TestOutcomesAreTrue(t *testing.T) {
	t.Parallel()
	for name, unnumbered := range map[string]bool{"numbered": false, "as upstream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
				require.NoError(t, newWorld(choose, unnumbered, 0).run(200))
			})
		})
	}
}

// seeded runs a world from a seed.
func seeded(seed uint64, unnumbered bool, broken defect) (*world, error) {
	r := rand.New(rand.NewPCG(seed, 7))
	w := newWorld(r.IntN, unnumbered, broken)
	return w, w.run(600)
}

const seeds = 400

func TestOutcomesAreTrueInLongRuns(t *testing.T) {
	t.Parallel()
	count := map[Verdict]int{}
	for seed := range uint64(seeds) {
		for _, unnumbered := range []bool{false, true} {
			w, err := seeded(seed, unnumbered, 0)
			require.NoError(t, err, "seed %d, unnumbered %t", seed, unnumbered)
			for _, a := range w.asked {
				if a.outcome != nil {
					count[a.outcome.Verdict]++
				}
			}
		}
	}
	t.Logf("verdicts: %v", count)
	for _, v := range []Verdict{Succeeded, Failed, Unknown} {
		assert.Greater(t, count[v], 1000, "%s hardly occurs", v)
	}
}

// Without each of the rules some world shows an outcome that is not true.
func TestBrokenSessionsAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		broken     defect
		unnumbered bool
	}{
		"repeats what may have been executed":         {broken: brokenRepeats},
		"... as upstream":                             {broken: brokenRepeats, unnumbered: true},
		"forgets a copy without an answer":            {broken: brokenForgets},
		"believes the watermark of a row born since":  {broken: brokenBorn},
		"gives a number away that may have been used": {broken: brokenNumbers},
		"takes any reply":                             {broken: brokenMatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				if _, err := seeded(seed, tc.unnumbered, tc.broken); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d seeds show nothing", seeds)
		})
	}
}
