package coverage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/impl/sim/coverage"
)

func TestATableSaysWhatWasExpectedAndNeverHappened(t *testing.T) {
	t.Parallel()
	var table coverage.Table
	assert.Empty(t, table.String())
	table.Expect("fault", []string{"lose", "rot", "flood"}, "flood")
	table.Expect("message", []string{"commit"})
	assert.Equal(t, []string{"fault/lose", "fault/rot", "message/commit"}, table.Missing())
	assert.Equal(t, 3, table.Expected())

	table.Add(coverage.Counts{"fault": {"lose": 2, "unheard_of": 1}, "weather": {"lose": 7}})
	table.Add(coverage.Counts{"fault": {"lose": 1}, "message": {"commit": 4}})
	assert.Equal(t, []string{"fault/rot"}, table.Missing())
	assert.Equal(t, 3, table.Count("fault", "lose"))
	assert.Zero(t, table.Count("weather", "lose"))
	assert.Equal(t, "fault      lose=3 rot=0 flood=0\nmessage    commit=4\n", table.String())
}
