package merge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/merge"
)

// step is one step of a story: a label, and what r1 knows of the body of op 1 behind it, where
// the label alone leaves a choice of bases.
type step struct {
	label string
	body  merge.Body
}

// follow takes the steps of a story.
func follow(t *testing.T, m model, story []step) state {
	t.Helper()
	s := m.Init()[0]
	for _, want := range story {
		var next []state
		m.Next(s, func(a action, successor state) {
			body := successor.Replicas[1].Log.Bodies[0]
			if a.String() == want.label && (want.body == 0 || want.body == body) {
				next = append(next, successor)
			}
		})
		require.Len(t, next, 1, "ways to take %s", want.label)
		s = next[0]
	}
	return s
}

// comesBack is a story: r1 acknowledges op 1, which commits, and loses its disk. It comes back
// in doubt with a log that begins above the op, which ends the doubt, and gets the op back with
// the next log, which begins below it. Then it forgets the commit number, and votes with a
// replica that never had the op.
func comesBack(body merge.Body) []step {
	return []step{
		{label: "ClientRequest(0)"},
		{label: "ReceivePrepare(1)"},
		{label: "PrimaryCommit(0)"},
		{label: "Wipe(1)"},
		{"ReceiveStartView(1,0)", merge.Below},
		{label: "SendDoViewChange({0,1},3)"},
		{label: "MergeVotes(0,{0,1})"},
		{label: "BecomePrimary(0)"},
		{"ReceiveStartView(1,3)", body},
		{label: "Restart(1)"},
		{label: "SendDoViewChange({1,2},4)"},
		{label: "MergeVotes(1,{1,2})"},
	}
}

// views allows the story of comesBack.
var views = with(func(c *config) { c.Bases, c.MaxView, c.MaxRestart, c.MaxWipe = true, 4, 1, 1 })

func TestWhatComesBackFromBelowABaseIsInDoubt(t *testing.T) {
	t.Parallel()
	m := merge.Model(views)
	s := follow(t, m, comesBack(merge.Doubtful))
	assert.Equal(t, uint8(1), s.Replicas[1].Merged.Log.Length, "the op waits for its body")
	m.Next(s, func(a action, _ state) {
		assert.NotEqual(t, merge.BecomePrimary, a.Kind, "it starts without the body")
	})
}

func TestDoubtThatEndsBelowABaseTruncatesACommittedOp(t *testing.T) {
	t.Parallel()
	c := views
	c.Bugs = []merge.Bug{merge.DoubtEndsBelowBase}
	m := merge.Model(c)
	s := follow(t, m, append(comesBack(merge.Hollow), step{label: "BecomePrimary(1)"}))
	err := exploretest.Pick(t, m, "CommittedKept")[0].Check(s)
	require.ErrorContains(t, err, "op 1 of view 0, committed in view 0, is not in the log of view 4")
}
