package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// firstFailure runs seeds from one on until one fails other than by a tolerated kind.
func firstFailure(
	t *testing.T, defects vsr.Defects, from, seeds uint64, tolerated ...string,
) *Result {
	t.Helper()
	for seed := from; seed < from+seeds; seed++ {
		options, err := Options{
			Seed: seed, Faults: FaultsSwarm, Defects: defects, NoCheckpoints: true,
			Wipe: defects.Has(vsr.DefectWipedVotes) || defects.Has(vsr.DefectWipedAnyView),
		}.withDefaults()
		require.NoError(t, err)
		s, err := newSimulation(options)
		require.NoError(t, err)
		s.tolerated = tolerated
		require.NoError(t, s.run())
		if !s.result.Passed {
			return s.result
		}
	}
	require.Fail(t, "no seed fails", "%v, %d seeds", defectsIn(defects), seeds)
	return nil
}

// Each rule that a core breaks on purpose is found out by the swarm, and by the check that is
// there for it. Where one check sees the defect as such, those behind it must see what comes
// of it, too.
func TestEachDefectIsCaught(t *testing.T) {
	t.Parallel()
	const seeds = 300
	for _, tc := range []struct {
		name      string
		from      uint64 // first seed; 1 if zero
		tolerated []string
		want      []string
	}{
		{name: "stall_is_pipeline", want: []string{FailContradiction}},
		{name: "narrow_repair", want: []string{FailStalled}},
		{name: "volatile_view", want: []string{FailMonotone}},
		{
			name: "volatile_view", tolerated: []string{FailMonotone},
			want: []string{FailVote, FailPromise, FailContradiction, FailPrimary},
		},
		{name: "send_first", want: []string{FailDurableFirst}},
		{name: "no_nonce", want: []string{FailIncarnation}},
		{
			name: "no_nonce", tolerated: []string{FailIncarnation},
			want: []string{FailPromise, FailDurability, FailContradiction, FailAgreement},
		},
		{name: "start_hollow", want: []string{FailHollow}},
		{
			name: "start_hollow", tolerated: []string{FailHollow},
			want: []string{FailDurability, FailStalled, FailDurableFirst},
		},
		{
			name: "longest_log",
			want: []string{FailAgreement, FailDurability, FailContradiction, FailPromise},
		},
		{name: "wiped_votes", want: wipedKinds},
		{name: "wiped_any_view", want: wipedKinds},
	} {
		t.Run(fmt.Sprint(tc.name, " tolerating ", tc.tolerated), func(t *testing.T) {
			t.Parallel()
			defect, err := vsr.ParseDefect(tc.name)
			require.NoError(t, err)
			result := firstFailure(t, defect, max(tc.from, 1), seeds, tc.tolerated...)
			t.Log(result)
			assert.Contains(t, tc.want, result.Failure.Kind, result.String())
			assert.Contains(t, result.Reproduce(), "--defect "+tc.name)
		})
	}
}

// A defect that joins the core must join the list here, or nothing runs it.
func TestEveryDefectOfTheCoreIsRun(t *testing.T) {
	t.Parallel()
	_, err := vsr.ParseDefect("none of them")
	require.Error(t, err)
	_, list, found := strings.Cut(err.Error(), "expected one of ")
	require.True(t, found, err.Error())
	assert.Equal(t, list, fmt.Sprint(defectNames))
}

// A local read that says it is linearizable is found out by what it shows, and by the history.
func TestMislabelledReadsAreCaught(t *testing.T) {
	t.Parallel()
	for kind, tolerated := range map[string][]string{FailRead: nil, FailHistory: {FailRead}} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			options, err := Options{Seed: 2, Faults: FaultsLight, Clients: 6}.withDefaults()
			require.NoError(t, err)
			s, err := newSimulation(options)
			require.NoError(t, err)
			s.mislabelled, s.tolerated = true, tolerated
			require.NoError(t, s.run())
			require.NotNil(t, s.result.Failure)
			assert.Equal(t, kind, s.result.Failure.Kind, s.result.String())
		})
	}
}
