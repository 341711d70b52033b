package transfer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/transfer"
)

type (
	state  = transfer.State
	action = transfer.Action
	model  = explore.Model[state, action]
	config = transfer.Config
)

// bounds returns a group of three with a pipeline, a suffix, a window and a checkpoint
// of one.
func bounds(requests, view, crashes, checkpoints int, change ...func(c *config)) config {
	c := config{
		N: 3, MaxRequest: requests, MaxView: view, MaxCrash: crashes,
		MaxCheckpoint: checkpoints, MaxPipeline: 1, MaxSuffix: 1, MaxWindow: 1, Chunks: 1,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func late(c *config)   { c.LateStartViews = true }
func chunks(c *config) { c.Chunks = 2 }
func retain(c *config) { c.Retain = true }
func wrong(c *config)  { c.WrongSender = true }
func window(c *config) { c.MaxWindow = 2 }
func deep(c *config)   { c.MaxPipeline, c.MaxSuffix = 2, 2 }
func four(c *config)   { c.N = 4 }
func three(c *config)  { c.MaxPipeline = 3 }

func check(t *testing.T, m model) *explore.Result[state, action] {
	t.Helper()
	result, err := explore.Check(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	return result
}

// At these bounds nothing fails and each goal is reached. The figures are TLC's.
func TestCleanBoundsHaveTheStatesThatTLCFinds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config          config
		distinct, depth int
	}{
		"an elect transfers":              {bounds(1, 1, 0, 2), 3137, 20},
		"restarts and view changes":       {bounds(1, 1, 1, 2), 19293, 22},
		"holes are repaired":              {bounds(2, 1, 0, 0), 11422, 23},
		"StartViews come late":            {bounds(1, 1, 1, 0, late), 4725, 18},
		"a checkpoint in two chunks":      {bounds(2, 0, 0, 2, chunks), 15910, 28},
		"a sender offers its head":        {bounds(2, 0, 0, 1, wrong), 4618, 23},
		"a sender keeps what it serves":   {bounds(1, 1, 1, 2, chunks, retain), 20519, 23},
		"two ops in the pipeline":         {bounds(2, 0, 1, 2, window, deep), 77357, 29},
		"four replicas transfer":          {bounds(1, 1, 0, 2, four), 84368, 28},
		"three views, one of them unused": {bounds(1, 2, 0, 1, window), 17747, 24},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := check(t, transfer.Model(tc.config))
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.distinct, result.Distinct)
			assert.Equal(t, tc.depth, result.Depth)
			require.NotEmpty(t, result.Goals)
			assert.Empty(t, result.Unreached())
		})
	}
}

// Each mutant is caught by the property of its comment, in as many states as TLC needs.
// The three that need more than 100,000 states are left to the tool: viewstamp check
// --mutants.
func TestEachMutantIsCaught(t *testing.T) {
	t.Parallel()
	caught := map[transfer.Bug]bool{
		transfer.TransferKeepsDeadSuffix: true, transfer.AcksWithheldStayWithheld: true,
		transfer.Loose: true,
	}
	for _, tc := range []struct {
		bug      transfer.Bug
		config   config
		property string
		states   int
	}{
		{transfer.SuffixlessAdoptionTrustsOldEntries, bounds(2, 1, 0, 0), "Agreement", 12},
		{transfer.NoChainCheckBelowSuffix, bounds(3, 1, 0, 0), "Agreement", 13},
		{transfer.WalkByOpNotChecksum, bounds(2, 1, 0, 0), "Agreement", 12},
		{transfer.StartviewNeverRaisesHead, bounds(2, 0, 0, 1), "NoStall", 9},
		{transfer.StartviewLowersHead, bounds(1, 1, 0, 0, late), "AckedDurable", 10},
		{transfer.LateAnswerToProbe, bounds(1, 1, 1, 0, late), "AckedDurable", 11},
		{transfer.RepairStopsAtCommit, bounds(2, 1, 0, 0), "NoStall", 5},
		{transfer.ServeStopsAtCommit, bounds(2, 1, 0, 0), "NoStall", 5},
		{transfer.WindowStandsStill, bounds(2, 1, 0, 0), "NoStall", 8},
		{transfer.AcksCarryNoCommit, bounds(1, 1, 1, 1), "NoStall", 12},
		{transfer.BarrierNeverLowered, bounds(1, 2, 1, 0), "NoStall", 14},
		{transfer.NoBarrier, bounds(2, 1, 1, 0), "Admission", 10},
		{transfer.HoleDisowns, bounds(3, 1, 1, 0, three), "AckedDurable", 11},
		{transfer.ViewChangeKeepsTransfer, bounds(2, 1, 0, 2), "FetchFollows", 10},
		{transfer.ViewChangeDropsInstall, bounds(2, 1, 0, 2), "SnapshotExecuted", 12},
		{transfer.TransferJumpsViewBeforeLog, bounds(2, 2, 0, 0), "AckedDurable", 10},
		{transfer.VoteWhileTransferringWithOldLog, bounds(3, 2, 0, 0), "Agreement", 13},
		{transfer.TransferRewinds, bounds(2, 0, 0, 1), "NoRewind", 19},
		{transfer.InstallTruncates, bounds(2, 0, 0, 1), "AckedDurable", 16},
		{transfer.AckWhileTransferring, bounds(2, 0, 0, 1), "AckedDurable", 16},
		{transfer.InstallNotAtomic, bounds(1, 1, 0, 2), "Bootable", 11},
		{transfer.PairingBeforeSnapshot, bounds(1, 1, 0, 2), "Bootable", 11},
		{transfer.ServeCheckpointAheadOfCommit, bounds(2, 0, 0, 1), "Agreement", 11},
		{transfer.ServeCheckpointAheadOfCommit, bounds(2, 0, 0, 1), "CommitKnown", 13},
		{transfer.StickyRepairPeer, bounds(1, 1, 1, 1), "NoStall", 15},
		{transfer.ChunksOfTwoCheckpoints, bounds(2, 0, 0, 2, chunks), "Agreement", 18},
		{transfer.ElectNeverTransfers, bounds(1, 1, 0, 2), "NoStall", 12},
		{transfer.NoTransfer, bounds(1, 1, 0, 2), "NoStall", 11},
	} {
		caught[tc.bug] = true
		t.Run(string(tc.bug)+" breaks "+tc.property, func(t *testing.T) {
			t.Parallel()
			c := tc.config
			c.Bugs = []transfer.Bug{tc.bug}
			m := transfer.Model(c)
			m.Always = exploretest.Pick(t, m, tc.property)
			v := check(t, m).Violation
			require.NotNil(t, v, "the mutant survived")
			assert.Len(t, v.Path, tc.states)
			assert.NotEmpty(t, v.Reason)
			require.Error(t, m.Always[0].Check(v.Path[len(v.Path)-1].State))
		})
	}
	assert.Len(t, caught, len(transfer.Bugs()))
}

// The rejected variant, a checkpoint of any live peer, breaks what the log view says and
// nothing else at a bound of one op: it loses nothing that was committed.
func TestTheRejectedVariantLosesNothing(t *testing.T) {
	t.Parallel()
	c := bounds(1, 1, 1, 2)
	c.Bugs = []transfer.Bug{transfer.Loose}
	m := transfer.Model(c)
	m.Always = exploretest.Pick(t, m,
		"Agreement", "NoRewind", "AckedDurable", "Bootable", "CommitKnown")
	result := check(t, m)
	assert.Nil(t, result.Violation)
	assert.True(t, result.Complete)
}

// What makes the module interesting is taken, and not only once.
func TestSituationsOccur(t *testing.T) {
	t.Parallel()
	const none, fetching = 0, 1
	adopts := func(a action) bool {
		return a.Kind == transfer.ReceiveStartView || a.Kind == transfer.LateStartView
	}
	of := func(s *state, a action) *transfer.Replica { return &s.Replicas[a.Replica] }
	for name, tc := range map[string]struct {
		config config
		occurs func(s *state, a action) bool
	}{
		"a replica adopts during an install": {bounds(1, 1, 0, 2), func(s *state, a action) bool {
			return adopts(a) && of(s, a).Transfer.Stage > fetching
		}},
		"an elect merges during an install": {bounds(1, 1, 0, 2), func(s *state, a action) bool {
			return a.Kind == transfer.MergeVotes && of(s, a).Transfer.Stage > fetching
		}},
		"an elect transfers before it starts": {bounds(1, 1, 0, 2), func(s *state, a action) bool {
			return a.Kind == transfer.StartTransfer && of(s, a).Status == transfer.ViewChange
		}},
		"a replica crashes during an install": {bounds(1, 1, 1, 2), func(s *state, a action) bool {
			return a.Kind == transfer.Restart && of(s, a).Transfer.Stage > fetching
		}},
		"an adoption ends a transfer": {bounds(1, 2, 0, 2), func(s *state, a action) bool {
			return a.Kind == transfer.StartViewChange && of(s, a).Transfer.Stage == fetching
		}},
		"a StartView comes when its primary has left": {
			bounds(1, 2, 0, 0, late), func(s *state, a action) bool {
				return a.Kind == transfer.LateStartView &&
					s.Replicas[a.Argument%3].View > a.Argument
			},
		},
		"a StartView comes when its primary has gone on": {
			bounds(1, 1, 0, 0, late), func(s *state, a action) bool {
				return a.Kind == transfer.LateStartView && s.Replicas[1].Status == transfer.Normal &&
					s.Replicas[1].Headers.Length > s.StartViews[1].Headers.Length
			},
		},
		"a transfer goes on behind its chunks": {
			bounds(1, 1, 1, 2, chunks), func(s *state, a action) bool {
				return a.Kind == transfer.ResumeTransfer && of(s, a).Transfer.ChunkCount > none
			},
		},
		"a chunk of a replaced checkpoint comes": {
			bounds(2, 0, 0, 2, chunks, retain), func(s *state, a action) bool {
				x := of(s, a).Transfer
				return a.Kind == transfer.FetchChunk && s.Replicas[x.Sender].Pairing != x.Target
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := transfer.Model(tc.config)
			count := 0
			exploretest.Each(m, func(s state) {
				m.Next(s, func(a action, _ state) {
					if tc.occurs(&s, a) {
						count++
					}
				})
			})
			assert.Positive(t, count)
		})
	}
}

// NoStall says that a fair step can be taken where somebody has not caught up. That
// every run of fair steps ends there needs this: no cycle consists of fair steps.
func TestFairStepsOnlyConsume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config{
		"view changes and transfers": bounds(1, 1, 0, 2),
		"restarts":                   bounds(1, 1, 1, 2),
		"holes":                      bounds(2, 1, 0, 0),
		"late StartViews":            bounds(1, 1, 1, 0, late),
		"chunks":                     bounds(2, 0, 0, 2, chunks),
		"two ops in the pipeline":    bounds(2, 0, 1, 2, window, deep),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, edges, acyclic := subgraph(transfer.Model(c), transfer.ActionKind.Fair)
			assert.Greater(t, states, 1000)
			assert.Greater(t, edges, 1000)
			assert.True(t, acyclic)
		})
	}
}

// The check above finds a cycle where there is one: a step that changes nothing.
func TestASelfLoopIsACycle(t *testing.T) {
	t.Parallel()
	m := transfer.Model(bounds(1, 0, 0, 0))
	next := m.Next
	m.Next = func(s state, yield func(action, state)) {
		next(s, yield)
		if s.Requests == 1 {
			yield(action{Kind: transfer.RaiseHead}, s)
		}
	}
	_, _, acyclic := subgraph(m, transfer.ActionKind.Fair)
	assert.False(t, acyclic)
	_, _, acyclic = subgraph(m, func(k transfer.ActionKind) bool {
		return k == transfer.ClientRequest
	})
	assert.True(t, acyclic)
}

// The story of iggy#4075: a backup adopts a header whose body nobody is asked for,
// because it is above the commit point.
func TestAnAdoptedOpAboveTheCommitPointIsFilled(t *testing.T) {
	t.Parallel()
	steps := []string{
		"ClientRequest(0)", "ReceivePrepare(1)", "StartViewChange(1,1)", "StartViewChange(2,1)",
		"MergeVotes(1,{1,2})", "BecomePrimary(1)", "ReceiveStartView(2,1)",
	}
	clean := transfer.Model(bounds(1, 1, 0, 0))
	s := exploretest.Walk(t, clean, steps...)
	assert.Equal(t, uint8(0), s.Replicas[2].CommitMax)
	assert.Equal(t, uint8(1), s.Replicas[2].Headers.Length)
	assert.Contains(t, exploretest.Enabled(clean, s), "RepairPrepare(2,1)")
	for _, bug := range []transfer.Bug{transfer.RepairStopsAtCommit, transfer.ServeStopsAtCommit} {
		c := bounds(1, 1, 0, 0)
		c.Bugs = []transfer.Bug{bug}
		mutant := transfer.Model(c)
		s := exploretest.Walk(t, mutant, steps...)
		assert.NotContains(t, exploretest.Enabled(mutant, s), "RepairPrepare(2,1)", bug)
	}
}

// An elect lacks op 1, which the old primary has released under a checkpoint above the
// commit point that the elect knows. The other voter has a hole at op 1 and still its
// body: its log alone would not help, and the elect would wait for ever.
func TestAnElectTakesAHeaderWhereThePeerHasAHole(t *testing.T) {
	t.Parallel()
	m := transfer.Model(bounds(3, 2, 0, 1))
	s := exploretest.Walk(t, m, "ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)",
		"StartViewChange(0,1)", "StartViewChange(1,1)", "MergeVotes(1,{0,1})", "BecomePrimary(1)",
		"ClientRequest(1)", "ReceiveStartView(2,1)", "RepairPrepare(2,2)", "PrimaryCommit(1)",
		"ClientRequest(1)", "WalkExecute(1)", "ReceivePrepare(2)", "ReceiveStartView(0,1)",
		"WalkExecute(1)", "PrimaryCommit(1)", "WalkExecute(1)",
		"StartViewChange(2,2)", "StartViewChange(0,2)", "MergeVotes(2,{0,2})", "TakeCheckpoint(1)")
	voter := s.Replicas[0]
	assert.Zero(t, voter.Headers.Entries[0])
	assert.NotZero(t, voter.Bodies)
	assert.Greater(t, s.Replicas[1].Base, s.Replicas[2].CommitMax)
	s = exploretest.WalkFrom(t, m, s, "RepairHeader(2,1)", "RepairPrepare(2,1)", "BecomePrimary(2)")
	assert.Equal(t, transfer.Normal, s.Replicas[2].Status)
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config{
		"three replicas": bounds(1, 1, 1, 1, late), "four replicas": bounds(1, 1, 0, 0, four),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			labels, operators := map[string]bool{}, map[string]bool{}
			for _, call := range transfer.ActionCalls(c) {
				assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
				assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
				labels[call.Label], operators[call.Operator] = true, true
			}
			m := transfer.Model(c)
			exploretest.Each(m, func(s state) {
				m.Next(s, func(a action, _ state) {
					require.True(t, labels[a.String()], "step %s is not listed", a)
				})
			})
		})
	}
	assert.Contains(t, transfer.ActionCalls(bounds(1, 1, 0, 0)), transfer.ActionCall{
		Operator: "MergeVotes_1_1_2", Call: "MergeVotes(1,{1,2})", Label: "MergeVotes(1,{1,2})",
	})
}

func TestEveryActionIsTaken(t *testing.T) {
	t.Parallel()
	taken := map[string]int{}
	for _, c := range []config{
		bounds(1, 1, 1, 2), bounds(1, 1, 1, 0, late), bounds(2, 1, 0, 0),
	} {
		for name, n := range check(t, transfer.Model(c)).Actions {
			taken[name] += n
		}
	}
	for _, kind := range transfer.ActionKinds() {
		assert.Positive(t, taken[kind.String()], kind)
	}
	assert.Equal(t, "ActionKind(0)", transfer.ActionKind(0).String())
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	for _, c := range []config{bounds(1, 1, 1, 0, late), bounds(2, 0, 0, 1)} {
		m := transfer.Model(c)
		texts := map[string]bool{}
		states := 0
		exploretest.Each(m, func(s state) {
			states++
			texts[string(m.Canonical(nil, s))] = true
		})
		assert.Len(t, texts, states)
	}
}

func TestTheInitialStateHasItsText(t *testing.T) {
	t.Parallel()
	c := bounds(1, 0, 0, 0)
	c.N = 1
	m := transfer.Model(c)
	s := exploretest.Walk(t, m, "ClientRequest(0)", "PrimaryCommit(0)")
	assert.Equal(t, `["barrier":[0:0],"base":[0:0],"bodies":[0:{[1:0]}],"checkpoints":0,`+
		`"commit_max":[0:1],"committed":[1:0],"crashes":0,"executed":[0:[]],`+
		`"headers":[0:[1:[1:0]]],"log_view":[0:0],"pairing":[0:[]],"prepare_oks":[0:{}],`+
		`"requests":1,"rewound":F,"snapshot":[0:[]],`+
		`"start_views":[0:["commit_max":0,"headers":[],"sent":F]],"status":[0:"normal"],`+
		`"transfer":[0:["chunks":[],"sender":0,"stage":0,"target":[]]],"view":[0:0],`+
		`"view_logs":[0:[1:0]]]`, string(m.Canonical(nil, s)))
	assert.Equal(t, "r0 = normal view=0 log_view=0 headers=[<0>] bodies={<0>} executed=<> "+
		"commit_max=1 snapshot=<> pairing=<> base=0", m.Format(s)[0])
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(c *config){
		"Transfer: N is 6, expected 1 to 5":          func(c *config) { c.N = 6 },
		"Transfer: MaxRequest is 5, expected 0 to 4": func(c *config) { c.MaxRequest = 5 },
		"Transfer: Chunks is 0, expected 1 to 2":     func(c *config) { c.Chunks = 0 },
		"Transfer: unknown bug \"none\", expected one of": func(c *config) {
			c.Bugs = []transfer.Bug{"none"}
		},
		"Transfer: 4 requests in views 0 to 3 make 69 entries, expected at most 63": func(c *config) {
			c.MaxRequest, c.MaxView = 4, 3
		},
	} {
		c := bounds(1, 1, 0, 0, change)
		err := c.Validate()
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), want), err.Error())
		assert.Panics(t, func() { transfer.Model(c) })
	}
	require.NoError(t, bounds(4, 2, 9, 9).Validate())
}
