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
)

// A disk that fills up is an answer to clients, not a crash: nothing that was acknowledged is
// lost, and when there is room again the process goes on, without a restart and after one.
func TestProcessWithAFullDisk(t *testing.T) {
	t.Parallel()
	p, c, disk := onSmallDisk(t, "persisted")
	reader := newTester(p.clients, rootPassword) // A login later would need room in the log.
	_, err := reader.pollStrictly("persisted", 0, 1)
	require.NoError(t, err)
	ballast := filepath.Join(disk, "ballast")
	fillDisk(t, ballast)
	c.limit = time.Second
	chunk := strings.Repeat("x", 100<<10)
	sent, refused := 0, 0
	for refused < 3 {
		_, err := c.send("persisted", 0, fmt.Sprintf("%s-%d", chunk, sent))
		if err != nil {
			refused++
			continue
		}
		require.Zero(t, refused, "room came from nowhere")
		sent++
	}
	require.Positive(t, sent)
	status, body := p.get(0, "/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "disk is full")
	status, _ = p.get(0, "/livez")
	assert.Equal(t, http.StatusOK, status)
	assert.True(t, p.status(0).StorageFull)
	whole := func() {
		t.Helper()
		messages, err := reader.pollStrictly("persisted", 0, 1)
		require.NoError(t, err)
		assert.Equal(t, []string{chunk + "-0"}, messages)
		messages, err = reader.poll("persisted", 0, uint64(sent-1), 1)
		require.NoError(t, err)
		assert.Equal(t, []string{fmt.Sprintf("%s-%d", chunk, sent-1)}, messages)
	}
	whole()
	require.NoError(t, os.Remove(ballast))
	c.limit = patience
	p.ready(0)
	_, err = c.send("persisted", 0, "again")
	require.NoError(t, err)
	p.kill(0)
	p.start(0)
	p.ready(0)
	whole()
	require.NoError(t, c.sendOnce("persisted", "and again"))
}

// onSmallDisk starts a process on a disk of 64 MiB, with one topic, and returns where the disk is.
func onSmallDisk(t *testing.T, topic string) (p *processes, c *tester, disk string) {
	t.Helper()
	disk = smallDisk(t, 64<<20)
	p = newProcessesAs(t, 1, layout{
		directory: func(int) string { return filepath.Join(disk, "data") },
	})
	p.startAll()
	c = newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic(topic, 1, "persisted"))
	return p, c, disk
}

// fillDisk takes all the room that a disk has.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	file, err := os.Create(name)
	require.NoError(t, err)
	zeros := make([]byte, 64<<10)
	for {
		if _, err := file.Write(zeros); err != nil {
			require.ErrorContains(t, err, "no space left")
			break
		}
	}
	require.NoError(t, file.Close())
}
