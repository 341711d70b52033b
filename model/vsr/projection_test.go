package vsr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func TestProjection(t *testing.T) {
	t.Parallel()
	c := bound(3, 1, 1, Walk)
	initial := traces.ReplicaState{Status: traces.StatusNormal, Stop: traces.StopCaughtUp}
	assert.Equal(t, initial, Project(Init(c), 1))

	s := follow(t, c, "ClientRequest(0)", "ClientRequest(0)", "ClientRequest(0)",
		"ReceivePrepare(1)", "PrimaryCommit(0)")
	assert.Equal(t, traces.ReplicaState{
		Status: traces.StatusNormal, OpHead: 3, HeadChecksum: "3.0.3", Contiguous: 3,
		CommitMax: 1, Pipeline: []uint64{2, 3}, Stop: traces.StopAwaitingExecution,
	}, Project(s, 0))
	assert.Equal(t, traces.ReplicaState{
		Status: traces.StatusNormal, OpHead: 1, HeadChecksum: "1.0.1", Contiguous: 1,
		Stop: traces.StopCaughtUp,
	}, Project(s, 1))

	// Replica 2 adopts a log of three ops and gets the body of the second.
	s = follow(t, c, "ClientRequest(0)", "ClientRequest(0)", "ClientRequest(0)",
		"ReceivePrepare(1)", "PrimaryCommit(0)", "Restart(2)", "AnswerProbe(0,2)",
		"Recover(2,0)", "RepairPrepare(2,2)")
	assert.Equal(t, traces.ReplicaState{
		Status: traces.StatusNormal, OpHead: 3, HeadChecksum: "3.0.3", Contiguous: 0,
		Hollow: []uint64{1, 3}, CommitMax: 1, Stop: traces.StopMissingBody,
	}, Project(s, 2))

	s = take(t, c, s, "StartViewChange(1)")
	assert.Equal(t, traces.ReplicaState{
		Status: traces.StatusViewChange, View: 1, ViewDurable: 1, OpHead: 1,
		HeadChecksum: "1.0.1", Contiguous: 1, Stop: traces.StopNotNormal,
	}, Project(s, 1))
}

func TestWhyTheWalkStopped(t *testing.T) {
	t.Parallel()
	e := Entry{1, 0, 1}
	for want, change := range map[string]func(s *State){
		traces.StopCaughtUp:      func(*State) {},
		traces.StopNotNormal:     func(s *State) { s.status[1] = StatusRecovering },
		traces.StopMissingHeader: func(s *State) { s.commitMax[1] = 1 },
		traces.StopMissingBody:   func(s *State) { s.commitMax[1], s.headers[1] = 1, Log{e} },
		traces.StopAwaitingExecution: func(s *State) {
			s.commitMax[1], s.headers[1], s.bodies[1] = 1, Log{e}, EntrySet{e}
		},
	} {
		s := Init(bound(1, 1, 1, Walk))
		change(&s)
		assert.Equal(t, want, Project(s, 1).Stop)
	}
}

// What a restart finds of the log view depends on the variant; it must be what a
// restart in fact finds.
func TestDurableLogViewIsWhatARestartFinds(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{bound(1, 1, 1, Walk), lazy(bound(1, 1, 1, Walk))} {
		restarts := 0
		for _, s := range reachable(t, c, 6000) {
			for r := range c.N {
				Step(c, s, ActionRestart, r, func(_ Action, after State) {
					restarts++
					require.Equal(t, Project(s, r).LogViewDurable, Project(after, r).LogView)
					require.Equal(t, Project(s, r).ViewDurable, Project(after, r).View)
				})
			}
		}
		assert.Greater(t, restarts, 1000)
	}
}

// A mutant that looks bodies up by op believes to hold what it does not.
func TestProjectionIsWhatAnObserverSees(t *testing.T) {
	t.Parallel()
	c := with(bound(2, 1, 1, Walk), StaleBody)
	s := Init(c)
	s.headers[1], s.bodies[1] = Log{{1, 1, 2}}, EntrySet{{1, 0, 1}}
	require.Equal(t, Op(1), s.contiguous(&c, 1))
	assert.Equal(t, []uint64{1}, Project(s, 1).Hollow)
	assert.Zero(t, Project(s, 1).Contiguous)
}

func TestAccessors(t *testing.T) {
	t.Parallel()
	c := bound(2, 1, 1, Walk)
	s := follow(t, c, "ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)", "Restart(2)",
		"AnswerProbe(0,2)", "StartViewChange(1)", "ReceiveStartViewChange(0,1)",
		"SendDoViewChange(0)", "SendDoViewChange(1)", "MergeVotes(1,{0,1})")
	e := Entry{1, 0, 1}
	assert.Equal(t, Log{e}, s.Acknowledged())
	assert.Equal(t, Log{e}, s.Log(1))
	assert.True(t, s.Bodies(0).Has(e))
	assert.Equal(t, StatusViewChange, s.Status(0))
	assert.Equal(t, View(1), s.View(1))
	assert.Equal(t, View(0), s.LogView(1))
	assert.Equal(t, Op(1), s.CommitMax(0))
	assert.Equal(t, Op(0), s.CommitMin(0))
	assert.Empty(t, s.Pipeline(0))
	assert.Equal(t, []Answer{{View: 0, Log: Log{e}, Commit: 1}}, s.Answers(2))
	assert.Equal(t, EntrySet{e}, s.Prepares(0))
	assert.Empty(t, s.PrepareOKs(0, 1), "their view is over: garbage")
	assert.Equal(t, Op(1), s.Commits(0))
	assert.Equal(t, ReplicaSet(0b011), s.StartViewChanges(1))
	require.Len(t, s.Votes(1), 2)
	assert.Equal(t, 1, s.Votes(1)[1].Replica)
	assert.Equal(t, Request(1), s.Requests())
	assert.Equal(t, 1, s.Restarts())
	s = take(t, c, s, "BecomePrimary(1)")
	assert.Equal(t, []StartView{{Log: Log{e}}}, s.StartViews(1))
	assert.Nil(t, s.Merged(1))
	assert.Empty(t, s.Votes(1))
}
