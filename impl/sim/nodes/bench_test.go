package nodes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

// The figures of `viewstamp bench sim`, with a profile if one is asked for.
func BenchmarkRun(b *testing.B) {
	for name, options := range map[string]nodes.Options{
		"calm": {
			Replicas: 3, Groups: 2, Clients: 256, Calm: true, Writes: true, Ticks: 2000,
		},
		"swarm": {},
	} {
		b.Run(name, func(b *testing.B) {
			requests, seed := 0, uint64(0)
			for b.Loop() {
				seed++
				options.Seed = seed
				result, err := nodes.Run(options)
				require.NoError(b, err)
				require.True(b, result.Passed, result.String())
				requests += result.Requests
			}
			b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
