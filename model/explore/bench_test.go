package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkCheck(b *testing.B) {
	for name, workers := range map[string]int{"one worker": 1, "two workers": 2} {
		b.Run(name, func(b *testing.B) {
			distinct := 0
			for b.Loop() {
				r, err := Check(b.Context(), twoPhase(7, false), Options{Workers: workers})
				require.NoError(b, err)
				require.Equal(b, 296448, r.Distinct)
				distinct += r.Distinct
			}
			b.ReportMetric(float64(distinct)/b.Elapsed().Seconds(), "distinct/s")
		})
	}
}

func BenchmarkGraphOf(b *testing.B) {
	edges := 0
	for b.Loop() {
		g, err := GraphOf(b.Context(), twoPhase(5, false), 0)
		require.NoError(b, err)
		_, n, _ := g.Counts()
		require.Len(b, g.Digest(), 64)
		edges += n
	}
	b.ReportMetric(float64(edges)/b.Elapsed().Seconds(), "edges/s")
}

func BenchmarkEachCover(b *testing.B) {
	steps := 0
	for b.Loop() {
		err := EachCover(b.Context(), twoPhase(5, false), 0,
			func(path []Step[twoPhaseState, label]) error {
				steps += len(path) - 1
				return nil
			})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps")
}
