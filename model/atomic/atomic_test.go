package atomic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
)

// At each bound the protocol keeps what it promises; each mutant breaks the invariants
// that name it, in as many states as in TLC.
func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		bug      Bug
		property string // Empty: none is broken.
		states   int
	}{
		{"", "", 0},
		{PromiseAlone, "StartsWithCommitted", 6},
		{PromiseAlone, "CommittedHeld", 7},
		{AckAfterLeaving, "StartsWithCommitted", 7},
		{AckAfterLeaving, "CommittedHeld", 7},
		{StartAgainBug, "StartsOnce", 4},
		{ExecutesUncommitted, "ExecutedCommitted", 3},
	} {
		t.Run(fmt.Sprint(tc.property, " by ", tc.bug), func(t *testing.T) {
			t.Parallel()
			c := Config{MaxRequest: 1, MaxView: 1}
			if tc.bug != "" {
				c.Bugs = []Bug{tc.bug}
			}
			m := Model(c)
			if tc.property != "" {
				for _, property := range invariants() {
					if property.Name == tc.property {
						m.Always = []explore.Property[State]{property}
					}
				}
			}
			result, err := explore.Check(t.Context(), m, explore.Options{})
			require.NoError(t, err)
			if tc.property == "" {
				assert.Nil(t, result.Violation)
				assert.True(t, result.Complete)
				assert.Empty(t, result.Unreached())
				return
			}
			require.NotNil(t, result.Violation, "%d states and no violation", result.Distinct)
			assert.Len(t, result.Violation.Path, tc.states)
			assert.NotEmpty(t, result.Violation.Reason)
		})
	}
}

// bounds are those at which the refinement is tested: small, in both forms of the log
// view and with both shapes of the commit driver.
func bounds() []vsr.Config {
	return []vsr.Config{
		{N: N, MaxRequest: 1, MaxView: 1, Drivers: vsr.Walk},
		{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1, Drivers: vsr.Walk},
		{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1, Drivers: vsr.Walk, LazyLogView: true},
		{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1, Drivers: vsr.WalkAndPipeline},
	}
}

func refine(t *testing.T, c vsr.Config) *explore.Refinement[vsr.State, vsr.Action, State, Action] {
	t.Helper()
	found, err := explore.Refine(t.Context(), vsr.Model(c), Model(Abstract(c)),
		func(s vsr.State) State { return Image(c, s) }, explore.Options{Workers: 1})
	require.NoError(t, err)
	return found
}

// Every action but those of mutants is the image of some step, and many steps are not
// seen: votes that are sent, what is merged and repaired before a start.
func TestVSRRefinesTheAtomicViewChange(t *testing.T) {
	t.Parallel()
	for _, c := range bounds() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			found := refine(t, c)
			require.Nil(t, found.Violation)
			assert.True(t, found.Concrete.Complete)
			assert.Greater(t, found.Concrete.Distinct, 4*found.Images)
			for _, kind := range []ActionKind{
				Prepare, Accept, Fill, Commit, Execute, Leave, StartView, Adopt,
			} {
				assert.Positive(t, found.Steps[kind.String()], kind)
			}
			assert.Positive(t, found.Steps[explore.Stutter])
			assert.Equal(t, c.MaxCrash > 0, found.Steps[Crash.String()] > 0)
		})
	}
}

// A mutant of VSR whose view change is not what it looks like is refused at the step in
// which it shows, before any invariant breaks. merge_resurrects breaks none.
func TestMutantsOfVSRDoNotRefine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mutant vsr.Mutant
		config vsr.Config
		states int
		action string // The last step.
	}{
		{vsr.MergeResurrects, vsr.Config{N: N, MaxRequest: 1, MaxView: 2}, 16, "BecomePrimary"},
		{vsr.LongestLog, vsr.Config{N: N, MaxRequest: 1, MaxView: 2}, 16, "BecomePrimary"},
		{vsr.DVCDropsHollow, vsr.Config{N: N, MaxRequest: 1, MaxView: 2}, 13, "SendDoViewChange"},
		{vsr.StartHollow, vsr.Config{N: N, MaxRequest: 1, MaxView: 1}, 8, "BecomePrimary"},
		{vsr.VolatileView, vsr.Config{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1}, 3, "Restart"},
		{vsr.SendFirst, vsr.Config{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1}, 3, "Restart"},
		{vsr.NoNonce, vsr.Config{N: N, MaxRequest: 1, MaxView: 1, MaxCrash: 1}, 12, "ReceiveStartView"},
		{vsr.SameViewSV, vsr.Config{N: N, MaxRequest: 1, MaxView: 1}, 11, "ReceiveStartView"},
		{
			vsr.AckOverHole,
			vsr.Config{N: N, MaxRequest: 2, MaxView: 1, LazyLogView: true},
			12,
			"ReceivePrepare",
		},
	} {
		t.Run(tc.mutant.String(), func(t *testing.T) {
			t.Parallel()
			c := tc.config
			c.Drivers, c.Bugs = vsr.Walk, vsr.MutantSet(tc.mutant)
			v := refine(t, c).Violation
			require.NotNil(t, v)
			require.Len(t, v.Path, tc.states)
			assert.Equal(t, tc.action, v.Path[len(v.Path)-1].Action.Name())
			assert.Contains(t, v.Reason, "is no step of AtomicViewChange")
		})
	}
}

// Liveness is not the business of the refinement: a mutant that only leaves undone what
// it owes refines.
func TestMutantsThatOnlyStallRefine(t *testing.T) {
	t.Parallel()
	for _, mutant := range []vsr.Mutant{
		vsr.JoinIsSilent, vsr.RepairOnlyWhenNormal, vsr.FillIsDuplicate, vsr.PrepareOKOnce,
		vsr.CommitNumberNotSent, vsr.NarrowRepair,
	} {
		c := bounds()[0]
		c.Bugs = vsr.MutantSet(mutant)
		assert.Nil(t, refine(t, c).Violation, mutant)
	}
}

// merge_resurrects breaks no invariant of VSR at the bound where the refinement notices.
func TestOnlyTheRefinementNoticesMergeResurrects(t *testing.T) {
	t.Parallel()
	c := vsr.Config{
		N: N, MaxRequest: 1, MaxView: 2, Drivers: vsr.Walk, Bugs: vsr.MutantSet(vsr.MergeResurrects),
	}
	result, err := explore.Check(t.Context(), vsr.Model(c), explore.Options{Workers: 1})
	require.NoError(t, err)
	assert.Nil(t, result.Violation)
	assert.True(t, result.Complete)
}

// The text shows all of a state and is equal for equal keys.
func TestCanonicalTextTellsStatesApart(t *testing.T) {
	t.Parallel()
	m := Model(Config{MaxRequest: 1, MaxView: 1})
	graph, err := explore.GraphOf(t.Context(), m, 0)
	require.NoError(t, err)
	states, edges, perAction := graph.Counts()
	assert.Equal(t, 4463, states)
	assert.Equal(t, 31612, edges)
	assert.Zero(t, perAction[StartAgain.String()])
	s := m.Init()[0]
	assert.Equal(t, `["committed":[],"executed":[0:0,1:0,2:0],"held":[0:{},1:{},2:{}],`+
		`"log":[0:[],1:[],2:[]],"log_view":[0:0,1:0,2:0],"log_view_durable":[0:0,1:0,2:0],`+
		`"oks":[0:{},1:{}],"prepared":[0:{},1:{}],"promises":[0:{},1:{}],"requests":0,`+
		`"starts":[0:{[]},1:{}],"status":[0:"normal",1:"normal",2:"normal"],`+
		`"view":[0:0,1:0,2:0]]`, string(m.Canonical(nil, s)))
	assert.NotEmpty(t, m.Format(s))
}

func TestConfigIsValidated(t *testing.T) {
	t.Parallel()
	require.NoError(t, Config{MaxRequest: 3, MaxView: 3, Bugs: Bugs()}.Validate())
	require.ErrorContains(t, Config{MaxRequest: 31}.Validate(), "MaxRequest is 31, expected 0 to 30")
	require.ErrorContains(t, Config{MaxView: -1}.Validate(), "MaxView is -1, expected 0 to 100")
	require.ErrorContains(t, Config{Bugs: []Bug{"none"}}.Validate(), `bug "none", expected one of`)
}

func TestCallsNameEveryAction(t *testing.T) {
	t.Parallel()
	calls := ActionCalls(Config{MaxRequest: 1, MaxView: 1})
	assert.Len(t, calls, 3*(8+2*2+3))
	assert.Contains(t, calls,
		ActionCall{"StartView_1_0_1", "StartView(1, {0, 1})", "StartView(1,{0,1})"})
	assert.Contains(t, calls, ActionCall{"Leave_2_1", "Leave(2, 1)", "Leave(2,1)"})
	assert.Contains(t, calls, ActionCall{"Crash_0", "Crash(0)", "Crash(0)"})
}
