package vsr

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Each mutant is caught by the property that the spec's cfg/bug-*.cfg expects, in a
// counterexample as long as TLC's. Not here is longest_log at (3,2,0): its search
// visits two million states, some 20 s of CPU, and is left to "viewstamp check"; the
// test below follows its counterexample.
func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mutant   Mutant
		config   Config
		property string
		states   int // Length of the counterexample, the initial state included.
	}{
		{StallIsPipeline, bound(1, 1, 0, WalkAndPipeline), "PipelineBacked", 12},
		{WalkTakesPipeline, bound(1, 1, 0, WalkAndPipeline), "PipelineAhead", 12},
		{HeadersVolatile, bound(1, 2, 1, Walk), "AckedDurable", 19},
		{AckOverHole, lazy(bound(2, 1, 1, Walk)), "PrepareOKBacked", 15},
		{NarrowRepair, bound(1, 1, 1, Walk), "NoStall", 11},
		{VolatileView, bound(1, 1, 1, Walk), "AckedDurable", 14},
		{SendFirst, bound(1, 1, 1, Walk), "AckedDurable", 14},
		{NoNonce, bound(1, 1, 1, Walk), "PrepareOKBacked", 12},
		{StaleBody, bound(2, 1, 1, Walk), "PrepareOKBacked", 11},
		{StartHollow, bound(1, 1, 0, Walk), "PipelineBacked", 8},
		{DVCDropsHollow, bound(1, 2, 0, Walk), "AckedDurable", 18},
		{SameViewSV, bound(1, 1, 0, Walk), "PrepareOKBacked", 11},
		{HalfIsQuorum, of(2, bound(1, 0, 0, Walk)), "AckedDurable", 3},
		{OneQuorum, of(4, bound(1, 1, 0, Walk)), "AckedDurable", 11},
	} {
		t.Run(tc.mutant.String(), func(t *testing.T) {
			t.Parallel()
			m := Model(with(tc.config, tc.mutant))
			m.Sometimes = nil
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "%d states and no violation", result.Distinct)
			assert.Equal(t, tc.property, result.Violation.Property, result.Violation.Reason)
			assert.Len(t, result.Violation.Path, tc.states)
			assert.NotEmpty(t, result.Violation.Reason)
		})
	}
}

// What the comments of the invariants claim beyond what the table above shows: the
// mutant breaks that very invariant. stall_truncates is here since its cfg leaves out
// NoStall, which would be the first to break.
func TestMutantsBreakTheInvariantsThatNameThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		property string
		mutant   Mutant
		config   Config
		states   int
	}{
		{"Agreement", StallTruncates, bound(1, 2, 0, Walk), 20},
		{"Agreement", VolatileView, bound(1, 1, 1, Walk), 15},
		{"Agreement", SendFirst, bound(1, 1, 1, Walk), 15},
		{"Agreement", DVCDropsHollow, bound(1, 2, 0, Walk), 19},
		{"CommitAgree", StallIsPipeline, bound(2, 1, 0, WalkAndPipeline), 13},
		{"AckedDurable", StallIsPipeline, bound(1, 1, 0, WalkAndPipeline), 12},
	} {
		t.Run(tc.property+" by "+tc.mutant.String(), func(t *testing.T) {
			t.Parallel()
			c := with(tc.config, tc.mutant)
			only, err := InvariantsNamed(c, tc.property)
			require.NoError(t, err)
			m := Model(c)
			m.Always, m.Sometimes = only, nil
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "%d states and no violation", result.Distinct)
			assert.Len(t, result.Violation.Path, tc.states)
		})
	}
}

// longestLog is TLC's counterexample for mutant longest_log. In view 0, replica 0
// prepares two ops that nobody receives. View 1 starts without them and commits an op
// of its own. View 2 is merged from replica 0, whose log is longer, and replica 2,
// whose log view is higher.
var longestLog = []string{
	"StartViewChange(1)", "StartViewChange(2)", "SendDoViewChange(2)", "SendDoViewChange(1)",
	"MergeVotes(1,{1,2})", "ClientRequest(0)", "BecomePrimary(1)", "ClientRequest(0)",
	"ReceiveStartView(2,1)", "ClientRequest(1)", "ReceivePrepare(2)", "StartViewChange(2)",
	"ReceiveStartViewChange(0,2)", "SendDoViewChange(2)", "SendDoViewChange(0)",
	"MergeVotes(2,{0,2})", "PrimaryCommit(1)", "RepairPrepare(2,2)", "RepairPrepare(2,1)",
	"BecomePrimary(2)",
}

func TestLongestLogLosesAnAcknowledgedOp(t *testing.T) {
	t.Parallel()
	c := with(bound(3, 2, 0, Walk), LongestLog)
	s := Init(c)
	for _, label := range longestLog {
		require.Empty(t, broken(c, s), "before %s", label)
		s = take(t, c, s, label)
	}
	assert.Equal(t, []string{
		"AckedDurable: op 1: acknowledged 1.1.3 is held by {1} only",
	}, broken(c, s))

	// Some steps later the new primary knows another entry as committed.
	for _, label := range []string{"ReceiveStartView(0,2)", "PrimaryCommit(2)"} {
		s = take(t, c, s, label)
	}
	assert.Contains(t, broken(c, s),
		"CommitAgree: op 1: r2 has 1.0.1, acknowledged is 1.1.3")

	// The correct merge keeps the log of the higher log view.
	clean := c.Clean()
	s = Init(clean)
	for _, label := range longestLog[:16] {
		s = take(t, clean, s, label)
	}
	assert.Equal(t, "<1.1.3> commit 0", s.Merged(2).String())
}

// take follows the one step of a label.
func take(t *testing.T, c Config, s State, label string) State {
	t.Helper()
	var after []State
	Next(&c, &s, func(a Action, next State) {
		if a.String() == label {
			after = append(after, next)
		}
	})
	require.Len(t, after, 1, "steps of %s", label)
	return after[0]
}

// broken lists the invariants that s breaks, with their reasons.
func broken(c Config, s State) []string {
	var reasons []string
	for _, property := range Invariants(c) {
		if err := property.Check(s); err != nil {
			reasons = append(reasons, property.Name+": "+err.Error())
		}
	}
	return reasons
}

func TestMutantNames(t *testing.T) {
	t.Parallel()
	all := AllMutants().Members()
	assert.Len(t, all, 22)
	for _, m := range all {
		parsed, err := ParseMutant(m.String())
		require.NoError(t, err)
		assert.Equal(t, m, parsed)
	}
	_, err := ParseMutant("no_such")
	assert.ErrorContains(t, err, `mutant "no_such": expected one of stall_is_pipeline, `)
	_, err = ParseMutant("")
	require.Error(t, err)

	set := MutantSet(NoNonce, StaleBody)
	assert.Equal(t, "no_nonce,stale_body", set.String())
	assert.True(t, slices.Equal([]Mutant{NoNonce, StaleBody}, set.Members()))
	assert.False(t, set.Has(SendFirst))
	assert.Zero(t, MutantSet())
}

// The spec chooses any vote of the highest rank. The choice must not matter, or model
// and TLC could choose differently: votes of equal rank have equal logs.
func TestVotesOfEqualRankHaveEqualLogs(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(2, 2, 0, Walk), bound(1, 2, 1, Walk), with(bound(2, 2, 0, Walk), LongestLog),
		with(bound(2, 2, 1, Walk), VolatileView), with(bound(2, 2, 1, Walk), SendFirst),
	} {
		ties := 0
		for _, s := range reachable(t, c, 4000) {
			eachMerge(&c, &s, func(votes []*Vote) bool {
				if votes[0].LogView == votes[1].LogView && votes[0].Log.Head() == votes[1].Log.Head() {
					ties++
					require.True(t, votes[0].Log.Equal(votes[1].Log), "%v", votes)
				}
				return false
			})
		}
		assert.Greater(t, ties, 20)
	}
}
