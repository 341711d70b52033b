package refine

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/explore"
)

func TestCoresRefineTheModel(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		{Replicas: 3, Requests: 1, Views: 1},
		{Replicas: 3, Requests: 1, Views: 1, Crashes: 1},
		{Replicas: 3, Requests: 2, Crashes: 1},
	} {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			r, err := Check(t.Context(), b, explore.Options{Workers: 1})
			require.NoError(t, err)
			require.Nil(t, r.Violation, "%s", r.Story)
			require.True(t, r.Complete)
			require.Empty(t, r.Missing, "actions of the specification that no core took")
			for _, u := range r.Untaken {
				assert.NotEmpty(t, u.Why, u.Branch)
			}
		})
	}
}

// Each defect of a core is found where the bounds can show it, and the story names its steps.
func TestADefectOfTheCoreIsFound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		defect string
		bounds Bounds
		says   string
		states int
	}{
		{"stall_is_pipeline", Bounds{Requests: 1, Views: 1}, "BecomePrimary", 12},
		{"narrow_repair", Bounds{Requests: 1, Views: 1}, "NoStall", 12},
		{"volatile_view", Bounds{Requests: 1, Views: 1, Crashes: 1}, "Restart", 3},
		{"send_first", Bounds{Requests: 1, Views: 1, Crashes: 1}, "R1", 2},
		{"no_nonce", Bounds{Requests: 1, Views: 1, Crashes: 1}, "ReceiveStartView", 10},
		{"start_hollow", Bounds{Requests: 1, Views: 1}, "BecomePrimary", 9},
		{"longest_log", Bounds{Requests: 1, Views: 2}, "MergeVotes", 16},
	} {
		t.Run(tc.defect, func(t *testing.T) {
			t.Parallel()
			defect, err := vsr.ParseDefect(tc.defect)
			require.NoError(t, err)
			tc.bounds.Replicas, tc.bounds.Defects = 3, defect
			r, err := Check(t.Context(), tc.bounds, explore.Options{Workers: 1})
			require.NoError(t, err)
			require.NotNil(t, r.Violation)
			require.LessOrEqual(t, len(r.Violation.Path), tc.states)
			require.Contains(t, r.Violation.Reason, tc.says)
			require.Contains(t, r.Story, "1  initial state")
		})
	}
}

// idle reports whether a replica has done what the reduced search does in one step.
func (m *member) idle() bool {
	return len(m.reads) == 0 && len(m.checkpointing.reads) == 0 &&
		(len(m.writes) == 0 || m.rebases(m.writes[0]))
}

// projections returns what the replicas show in all states that a search reaches.
func projections(t *testing.T, b Bounds) map[string]bool {
	t.Helper()
	s, err := newSystem(b)
	require.NoError(t, err)
	m := s.model()
	seen, mutex := map[string]bool{}, sync.Mutex{}
	m.Always = append(m.Always, explore.Property[*cluster]{
		Name: "seen", Check: func(c *cluster) error {
			var text strings.Builder
			for _, member := range c.members {
				if b.Checkpoints > 0 && !member.idle() {
					return nil // the unreduced search shows what is between a step and its writes
				}
				state := member.state
				state.Incarnation = wire.Incarnation{} // boots that nobody saw are counted in it
				fmt.Fprintf(&text, "%+v %+v\n", state, member.projected)
			}
			mutex.Lock()
			defer mutex.Unlock()
			seen[text.String()] = true
			return nil
		},
	})
	r, err := explore.Check(t.Context(), m, explore.Options{Workers: 1})
	require.NoError(t, err)
	require.True(t, r.Complete, "%v", r)
	return seen
}

// The reductions of doc.go lose nothing: without them the replicas show the same.
func TestTheReducedSearchShowsWhatTheUnreducedShows(t *testing.T) {
	t.Parallel()
	for _, b := range []Bounds{
		{Replicas: 3, Requests: 1},
		{Replicas: 3, Views: 1},
		{Replicas: 3, Crashes: 1},
		{Replicas: 3, Views: 1, Crashes: 1},
		{Replicas: 2, Requests: 1, Checkpoints: 1, Suffix: 1},
		{Replicas: 2, Requests: 1, Checkpoints: 1, Suffix: 1, Crashes: 1},
	} {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			reduced := projections(t, b)
			b.Full = true
			full := projections(t, b)
			requireEqualSets(t, full, reduced)
		})
	}
}

// The same where somebody fetches a checkpoint, which takes a minute: make nightly does it.
func TestTheReducedSearchShowsWhatTheUnreducedShowsOfTransfers(t *testing.T) {
	t.Parallel()
	if os.Getenv("VIEWSTAMP_UNREDUCED") == "" {
		t.Skip("VIEWSTAMP_UNREDUCED is not set")
	}
	b := fetching(Bounds{})
	reduced := projections(t, b)
	b.Full = true
	full := projections(t, b)
	requireEqualSets(t, full, reduced)
}

// requireEqualSets says of two sets that differ by how much, and by what for example.
func requireEqualSets(t *testing.T, full, reduced map[string]bool) {
	t.Helper()
	for _, pair := range [][2]map[string]bool{{full, reduced}, {reduced, full}} {
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(pair[0])),
			func(state string) bool { return pair[1][state] })
		if len(missing) > 0 {
			t.Fatalf("%d of %d states only in one, such as\n%s", len(missing), len(pair[0]), missing[0])
		}
	}
}

func TestTheUnreducedSearchFindsTheSameDefects(t *testing.T) {
	t.Parallel()
	for _, defect := range []vsr.Defects{vsr.DefectVolatileView, vsr.DefectNoNonce} {
		b := Bounds{Replicas: 3, Views: 1, Crashes: 1, Defects: defect}
		reduced, err := Check(t.Context(), b, explore.Options{Workers: 1})
		require.NoError(t, err)
		b.Full = true
		full, err := Check(t.Context(), b, explore.Options{Workers: 1})
		require.NoError(t, err)
		require.NotNil(t, reduced.Violation)
		require.NotNil(t, full.Violation)
	}
}
