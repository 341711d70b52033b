package node_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// Clients of a process on a full disk are told that it is full, also when it was killed meanwhile:
// a boot needs room for its superblock. Once there is space it has all that it acknowledged.
func TestAProcessBootsOnAFullDiskAndSaysSo(t *testing.T) {
	t.Parallel()
	p, c, disk := onSmallDisk(t, "s")
	ballast := filepath.Join(disk, "ballast")
	fillDisk(t, ballast)
	acknowledged := map[uint64]string{}
	send := func(text string) error {
		offset, err := c.send("s", 0, text+strings.Repeat("x", 256<<10))
		if err == nil {
			acknowledged[offset] = text
		}
		return err
	}
	refused := func() {
		t.Helper()
		c.limit = time.Second
		p.eventually("the client is told", func() bool {
			err := send(fmt.Sprintf("message %d ", len(acknowledged)))
			return err != nil && strings.Contains(err.Error(), protocol.StatusDiskFull.String())
		})
		c.limit = patience
		assert.True(t, p.status(0).StorageFull)
	}
	refused()
	assert.Greater(t, len(acknowledged), 10, "what was set aside is used first")

	p.kill(0)
	p.start(0)
	p.eventually("it answers", func() bool {
		code, _ := p.get(0, "/livez")
		return code == http.StatusOK
	})
	refused()

	require.NoError(t, os.Remove(ballast))
	p.ready(0)
	require.NoError(t, send("there is space"))
	p.kill(0)
	p.startAll()
	holdsAll(t, newTester(p.clients, rootPassword), acknowledged)
	p.stop(0)
}

// holdsAll checks that each message is at its offset.
func holdsAll(t *testing.T, c *tester, acknowledged map[uint64]string) {
	t.Helper()
	for offset, text := range acknowledged {
		messages, err := c.poll("s", 0, offset, 1)
		require.NoError(t, err)
		require.Len(t, messages, 1)
		require.True(t, strings.HasPrefix(messages[0], text), "offset %d", offset)
	}
}
