package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// smallDisk mounts a file system of so many MiB at a directory of its own. The function that it
// returns changes the size.
func smallDisk(t *testing.T, mib int) (directory string, resize func(mib int)) {
	t.Helper()
	directory = t.TempDir()
	size := func(mib int) string { return fmt.Sprintf("size=%dm", mib) }
	if err := syscall.Mount("none", directory, "tmpfs", 0, size(mib)); err != nil {
		t.Skipf("a small file system needs the superuser: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(directory, 0)) })
	return directory, func(mib int) {
		require.NoError(t, syscall.Mount("none", directory, "tmpfs", syscall.MS_REMOUNT, size(mib)))
	}
}

// A real process on a disk that fills up: clients are told that it is full, also by a process that
// was killed meanwhile; once there is space it goes on, and has all that it acknowledged.
func TestAProcessOnAFullDiskSaysSoAndGoesOnWhenThereIsSpace(t *testing.T) {
	t.Parallel()
	base, resize := smallDisk(t, 44) // Four files of the log and a half.
	p := newProcessesAt(t, 1, base)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("s", 1, "persisted"))
	acknowledged := map[uint64]string{}
	send := func(text string) error {
		offset, err := c.send("s", 0, text+strings.Repeat("x", 256<<10))
		if err == nil {
			acknowledged[offset] = text
		}
		return err
	}
	full := protocol.StatusDiskFull.String()
	refused := func() {
		t.Helper()
		c.limit = time.Second
		p.eventually("the disk is full", func() bool {
			err := send(fmt.Sprintf("message %d ", len(acknowledged)))
			return err != nil && strings.Contains(err.Error(), full)
		})
		c.limit = patience
		assert.True(t, p.status(0).StorageFull)
		ready, _ := p.get(0, "/readyz")
		assert.Equal(t, http.StatusServiceUnavailable, ready)
	}
	refused()
	assert.Greater(t, len(acknowledged), 30, "what was set aside is used first")

	p.kill(0)
	p.start(0)
	p.eventually("it answers", func() bool {
		code, _ := p.get(0, "/livez")
		return code == http.StatusOK
	})
	refused()

	resize(200)
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
