package node_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Topics come and go, with far more messages in them than the log holds: what is left of those that
// are gone holds up neither the log nor a later boot, also on a process that was down when they
// went.
func TestProcessDisksAreFreedOfRemovedTopics(t *testing.T) {
	t.Parallel()
	const topics, batches = 9, 8
	p := newProcessesAs(t, 3, layout{storage: "wal_file = \"1 MiB\"\nwal_max = \"6 MiB\"\n"})
	p.startAll()
	c := newTester(p.clients, rootPassword)
	message := strings.Repeat("x", 128<<10)
	for n := range topics {
		if n == topics/2 {
			p.kill(2)
		}
		name := fmt.Sprint("stream-", n)
		require.NoError(t, c.createTopic(name, 1, "persisted"))
		for range batches {
			require.NoError(t, c.sendOnce(name, message))
		}
		_, err := c.do(protocol.CodeDeleteStream, &protocol.StreamRef{Stream: protocol.Named(name)})
		require.NoError(t, err)
	}
	p.start(2)
	p.ready(2)
	for i := range 3 {
		p.eventually(fmt.Sprintf("process %d keeps no group", i), func() bool {
			report, err := inspect.Directory(p.dirs[i], wire.ClusterID{})
			if err != nil {
				return false // it was read while it changed
			}
			for _, g := range report.Groups {
				if g.Group != 0 {
					return false
				}
			}
			return true
		})
		files, err := filepath.Glob(filepath.Join(p.dirs[i], "groups", "*", "*", "*"))
		require.NoError(t, err)
		for _, file := range files {
			assert.Contains(t, file, filepath.Join("groups", "0000000000000000"))
		}
		p.stop(i)
	}
	p.startAll()
	require.NoError(t, c.createTopic("last", 1, "persisted"))
	require.NoError(t, c.sendOnce("last", "last-0-0"))
}
