package node_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A process that ends gracefully leaves a checkpoint of all that it has executed, in each group:
// the next boot executes nothing again.
func TestProcessThatIsStoppedLeavesACheckpoint(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 1)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	require.NoError(t, c.createTopic("replicated", 1, "replicated"))
	for _, stream := range []string{"persisted", "replicated"} {
		_, err := c.send(stream, 0, stream+"-0-0", stream+"-0-1")
		require.NoError(t, err)
	}
	before := p.status(0).Groups
	p.stop(0)
	report, err := inspect.Directory(p.dirs[0], wire.ClusterIDOf("processes"))
	require.NoError(t, err)
	require.Len(t, report.Groups, 3)
	for i, g := range report.Groups {
		assert.Equal(t, before[i].CommitMin, g.Adopted, "group %d", g.Group)
		assert.Equal(t, g.Paired, g.Adopted, "group %d", g.Group)
	}
	p.startAll()
	for i := range before {
		p.group(0, before[i].Group)
	}
	for _, stream := range []string{"persisted", "replicated"} {
		p.holds(newTester(p.clients, rootPassword), stream, 0, 2)
	}
}
