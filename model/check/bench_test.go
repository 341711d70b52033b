package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpeedIsJudgedByTheRatio(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		byGo, byTLC float64
		want        Status
		reason      string
	}{
		"ten times is enough":        {100_000, 10_000, Passed, ""},
		"a little less is a failure": {99_000, 10_000, Failed, "9.9 times TLC's"},
		"slower than TLC":            {5_000, 10_000, Failed, "0.5 times TLC's"},
		"no CPU time of the search":  {0, 10_000, Undecided, "does not tell"},
		"no CPU time of the process": {100_000, 0, Undecided, "does not tell"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Outcome{Figures: map[string]float64{}}
			o.compareSpeed(tc.byGo, tc.byTLC)
			assert.Equal(t, tc.want, o.Status)
			assert.Contains(t, o.Reason, tc.reason)
			assert.InDelta(t, tc.byGo, o.Figures[FigureGoPerCPUSecond], 0)
			assert.InDelta(t, tc.byTLC, o.Figures[FigureTLCPerCPUSecond], 0)
		})
	}
}

func TestNoSpeedWithoutTLC(t *testing.T) {
	t.Parallel()
	o, err := Bench(t.Context(), nil, lookup(t, "ci-110"), Options{NoTLC: "no Java"})
	require.NoError(t, err)
	assert.Equal(t, Skipped, o.Status)
	assert.Equal(t, "no Java", o.Reason)
}
