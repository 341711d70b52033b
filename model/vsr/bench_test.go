package vsr

import (
	"context"
	"testing"

	"github.com/viewstamp/viewstamp/model/explore"
)

// BenchmarkSearch is the speed that design.md section 11 bounds: distinct states per
// second of one core.
func BenchmarkSearch(b *testing.B) {
	b.ReportAllocs()
	distinct := 0
	for b.Loop() {
		result, err := explore.Check(context.Background(), Model(bound(1, 2, 0, Walk)),
			explore.Options{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		distinct += result.Distinct
	}
	b.ReportMetric(float64(distinct)/b.Elapsed().Seconds(), "states/s")
}
