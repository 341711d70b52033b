package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/atomic"
	"github.com/viewstamp/viewstamp/model/consumergroups"
	"github.com/viewstamp/viewstamp/model/logspace"
	"github.com/viewstamp/viewstamp/model/merge"
	"github.com/viewstamp/viewstamp/model/reads"
	"github.com/viewstamp/viewstamp/model/retention"
	"github.com/viewstamp/viewstamp/model/sessions"
	"github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/model/transfer"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
)

func namesOf[B any](bugs []B) []string {
	names := make([]string, 0, len(bugs))
	for _, bug := range bugs {
		names = append(names, fmt.Sprint(bug))
	}
	return names
}

// The lists of mutants in Go are those of the modules, in their order: whoever adds one
// adds it at both places, and no number anywhere says how many there are.
func TestGoModelsHaveTheMutantsOfTheirModules(t *testing.T) {
	t.Parallel()
	listed := map[string][]string{
		"VSR":              namesOf(vsr.AllMutants().Members()),
		"Refinement":       namesOf(vsr.AllMutants().Members()),
		"AtomicViewChange": namesOf(atomic.Bugs()),
		"PartitionLog":     namesOf(storage.Bugs()),
		"Sessions":         namesOf(sessions.Bugs()),
		"Journal":          namesOf(storage.JournalBugs()),
		"JournalGroups":    namesOf(storage.GroupsBugs()),
		"Reads":            namesOf(reads.Bugs()),
		"Merge":            namesOf(merge.Bugs()),
		"Transfer":         namesOf(transfer.Bugs()),
		"Retention":        namesOf(retention.Bugs()),
		"ConsumerGroups":   namesOf(consumergroups.Bugs()),
		"LogSpace":         namesOf(logspace.Bugs()),
	}
	for _, module := range modelled {
		mutants, err := spec.Mutants(module)
		require.NoError(t, err)
		require.NotEmpty(t, mutants)
		var names []string
		for _, m := range mutants {
			names = append(names, m.Name)
		}
		assert.Equal(t, names, listed[module], "BugNames of %s, and the list of its Go model", module)
	}
}
