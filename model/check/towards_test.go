package check

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

func seeded(seed uint64) explore.Random {
	return rand.New(rand.NewPCG(seed, 1)) //nolint:forbidigo // Seeded.
}

// A checkpoint during a view change: a new primary fetches one, and one that is being installed
// outlives its view.
func TestWalksOfEachModuleReachItsGoals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ cfg, goal string }{
		{"transfer-all-views", "ElectTransfers"},
		{"transfer-all-views", "InstallOutlivesView"},
	} {
		cfg, err := spec.Lookup(tc.cfg)
		require.NoError(t, err)
		way, err := Towards(t.Context(), cfg, tc.goal, 1, 300, seeded)
		require.NoError(t, err)
		assert.Positive(t, way.Steps)
		var text, again bytes.Buffer
		require.NoError(t, way.Write(&text, FormatITF))
		var trace struct {
			States []map[string]any `json:"states"`
		}
		require.NoError(t, json.Unmarshal(text.Bytes(), &trace))
		assert.Len(t, trace.States, way.Steps+1)
		same, err := Towards(t.Context(), cfg, tc.goal, max(way.Seed, 1), 300, seeded)
		require.NoError(t, err)
		require.NoError(t, same.Write(&again, FormatITF))
		assert.Equal(t, text.String(), again.String())
	}
}

func TestAGoalThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	cfg, err := spec.Lookup("ci-110")
	require.NoError(t, err)
	_, err = Towards(t.Context(), cfg, "fly", 1, 10, seeded)
	require.ErrorContains(t, err, `no such goal of cfg ci-110`)
}

func TestEachModuleWithGoalsNamesThem(t *testing.T) {
	t.Parallel()
	manifest, err := spec.Read()
	require.NoError(t, err)
	modules := map[string]int{}
	for _, cfg := range manifest.Select(spec.Cfg.IsClean) {
		names, err := GoalNames(cfg)
		if err == nil {
			modules[cfg.Module] = max(modules[cfg.Module], len(names))
		}
	}
	for _, module := range []string{"VSR", "Transfer", "Journal", "Sessions", "Merge", "Reads"} {
		assert.Positive(t, modules[module], module)
	}
}
