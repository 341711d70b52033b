package verify

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/conform/tlcbatch"
)

// TLC and the Go model say the same of each mutant's counterexample: both refuse it at the same
// event, or both explain it, where what is wrong is in nothing that a trace shows. To find them
// all takes a minute: 'make nightly' does.
func TestTLCAgreesAboutEachMutantsCounterexample(t *testing.T) {
	t.Parallel()
	if os.Getenv("VIEWSTAMP_COUNTEREXAMPLES") == "" {
		t.Skip("VIEWSTAMP_COUNTEREXAMPLES is not set")
	}
	box := FindTLC(t.Context())
	if box.status == Skipped {
		t.Skip(box.reason)
	}
	manifest, err := spec.Read()
	require.NoError(t, err)
	var all []*traces.Trace
	for _, cfg := range manifest.Select(func(c spec.Cfg) bool {
		return !c.IsClean() && check.HasTraces(c)
	}) {
		_, err := EachCounterexample(t.Context(), cfg, func(trace *traces.Trace) error {
			if tlcbatch.Fits(trace) == nil { // Two mutants have other quorums than the module.
				all = append(all, trace)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, len(all), 25)
	result, err := tlcbatch.Check(t.Context(), box.tools, all)
	require.NoError(t, err)
	refused := 0
	for i, trace := range all {
		report, err := conform.Trace(trace)
		require.NoError(t, err)
		var byTLC Check
		byTLC.compare(report, result.Verdicts[i])
		assert.Empty(t, byTLC.Reason, "%s", trace.Header.Mutant)
		if !report.Passed() {
			refused++
		}
	}
	assert.Greater(t, refused, 15)
	t.Logf("%d counterexamples, %d of them refused", len(all), refused)
}
