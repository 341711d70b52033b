package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImportedLogsAreCheckedAndTheirDefectsRejected(t *testing.T) {
	t.Parallel()
	checks := ConformImported().Run(t.Context())
	require.Len(t, checks, 1)
	require.Equal(t, Passed, checks[0].Status, checks[0].Reason)
	require.Greater(t, checks[0].Figures[FigureRejected], 100.0)
	require.NotZero(t, checks[0].Figures[FigureHeld])
}
