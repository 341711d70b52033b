package generate

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// Two thousand walks take every action a hundred times and more. A quarter of them is walked
// here, with a quarter of the demand, in each shape.
func TestWalksTakeEveryActionAndReachEveryGoal(t *testing.T) {
	t.Parallel()
	for _, c := range []vsr.Config{
		bound(8, 6, 4, vsr.Walk), bound(8, 6, 4, vsr.WalkAndPipeline),
	} {
		t.Run(c.Drivers.String(), func(t *testing.T) {
			t.Parallel()
			counted := options
			counted.Coverage = &Coverage{}
			_, err := Walks(c, 1, 500, 150, counted)
			require.NoError(t, err)
			assert.Equal(t, 500, counted.Coverage.Traces)
			sum := 0
			for _, count := range counted.Coverage.Actions {
				sum += count
			}
			assert.Equal(t, counted.Coverage.Steps, sum)
			for _, kind := range vsr.LiveActions(c) {
				assert.GreaterOrEqual(t, counted.Coverage.Actions[kind.String()], 100/4, kind.String())
			}
			for _, rule := range RuleNames() {
				if rule != "R6" { // Only a mutant's StallTruncate and repairs are about it.
					assert.Positive(t, counted.Coverage.Rules[rule], rule)
				}
			}
			assert.Empty(t, counted.Coverage.Missing(c))
		})
	}
	empty := &Coverage{}
	assert.Contains(t, empty.Missing(bound(1, 1, 1, vsr.Walk)), "Recover")
	assert.Contains(t, empty.Missing(bound(1, 1, 1, vsr.Walk)), "a nack drops an op")
}

func TestAWalkTowardsAGoalEndsThere(t *testing.T) {
	t.Parallel()
	c := bound(8, 6, 4, vsr.Walk)
	for _, name := range GoalNames(c) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counted := options
			counted.Coverage = &Coverage{}
			trace, err := Towards(c, name, 1, 150, counted)
			require.NoError(t, err)
			assert.NotEmpty(t, trace.Events)
			assert.Equal(t, 1, counted.Coverage.Goals[name])
			last := trace.Events[len(trace.Events)-1].Action
			switch name {
			case "a nack drops an op":
				assert.Equal(t, "MergeVotes", last)
			case "a rejoined primary repairs a hollow op":
				assert.Equal(t, "RepairPrepare", last)
			}
		})
	}
	_, err := Towards(c, "nobody is ever there", 1, 10, options)
	require.ErrorContains(t, err, "no such goal")
	_, err = Towards(c, "a nack drops an op", 1, 2, options)
	require.ErrorContains(t, err, "no walk of 5000 seeds")
}

// The rules of an action are those of the table in ARCHITECTURE.md.
func TestRulesOfActionsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\|[^|]*\\|[^|]*\\| (R[^|]*) \\| `(\\w+)` \\|")
	listed := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		listed[m[2]] = strings.Split(m[1], ", ")
	}
	for action, names := range rules {
		assert.Equal(t, listed[action], names, action)
	}
}
