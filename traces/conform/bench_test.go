//go:build unix

package conform_test

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// cpu is the CPU time of this process so far, user and system.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkConform measures recorded events checked a second of CPU time, from the text of a
// trace to the verdict.
func BenchmarkConform(b *testing.B) {
	for _, faults := range []sim.Faults{sim.FaultsNone, sim.FaultsHeavy} {
		b.Run(string(faults), func(b *testing.B) {
			text := recorded(b, sim.Options{Seed: 7, Ticks: 4000, Faults: faults})
			events, begin := 0, cpu(b)
			for b.Loop() {
				reader, err := traces.NewReader(bytes.NewReader(text), "run.jsonl")
				require.NoError(b, err)
				checker, err := conform.New(reader.Header(), "run.jsonl")
				require.NoError(b, err)
				for {
					e, err := reader.Next()
					if err != nil {
						break
					}
					require.Nil(b, checker.Add(e))
					events++
				}
			}
			b.ReportMetric(float64(events)/(cpu(b)-begin).Seconds(), "events/CPU-s")
		})
	}
}
