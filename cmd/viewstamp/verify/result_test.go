package verify

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		statuses []Status
		want     Status
	}{
		"one failure outweighs everything":     {[]Status{Passed, Undecided, Failed, Skipped}, Failed},
		"undecided is not passed":              {[]Status{Passed, Undecided, Skipped}, Undecided},
		"what was skipped stops nobody":        {[]Status{Passed, Skipped}, Passed},
		"but skipping all is not passing":      {[]Status{Skipped, Skipped}, Skipped},
		"and no check at all is no pass":       {nil, Skipped},
		"all passed":                           {[]Status{Passed, Passed}, Passed},
		"undecided and nothing else":           {[]Status{Undecided}, Undecided},
		"a failure beside an undecided search": {[]Status{Undecided, Failed}, Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var checks []Check
			for _, status := range tc.statuses {
				checks = append(checks, Check{Status: status})
			}
			require.Equal(t, tc.want, Judge(checks))
		})
	}
}

func TestAReasonIsOneLine(t *testing.T) {
	t.Parallel()
	c := Errored("a/b", EngineGo, "viewstamp verify", errors.New("line one\n\tline two"))
	require.Equal(t, Failed, c.Status)
	require.Equal(t, "line one line two", c.Reason)
	require.NotNil(t, c.Figures)
}

func TestATallyWithoutAnythingFails(t *testing.T) {
	t.Parallel()
	c := Check{Figures: Figures{}}
	sum := newTally()
	sum.add(Check{Status: Skipped, Figures: Figures{FigureTraces: 1}})
	sum.into(&c, "traces")
	require.Equal(t, Failed, c.Status)
	require.Equal(t, "no traces, expected some", c.Reason)
	require.Empty(t, c.Figures, "what was skipped counts for nothing")
}

func TestATallyNamesTheFirstFailure(t *testing.T) {
	t.Parallel()
	c := Check{Figures: Figures{}}
	sum := newTally()
	sum.add(Check{Name: "a", Status: Passed, Figures: Figures{FigureTraces: 1}})
	sum.add(Check{Name: "b", Status: Failed, Reason: "broken", Figures: Figures{FigureTraces: 1}})
	sum.into(&c, "traces")
	require.Equal(t, Failed, c.Status)
	require.Equal(t, "1 of 2 traces failed; b: broken", c.Reason)
	require.InDelta(t, 2, c.Figures[FigureTraces], 0)
}
