package node_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
)

// inside is a process that runs in this one, alone in its cluster, on a disk with a gate.
type inside struct {
	*node.Node
	config node.Config
	disk   *gatedDirectory
	client *tester
	// stop has it end gracefully; ended has what Run returns.
	stop  context.CancelFunc
	ended chan error
}

// gatedDirectory is a directory some of whose files are flushed when the test lets them.
type gatedDirectory struct {
	*disktest.Gated
	directory *storage.Directory
}

// Close implements io.Closer.
func (d *gatedDirectory) Close() error { return d.directory.Close() }

func gated(directory string) (*gatedDirectory, error) {
	d, err := storage.OpenDirectory(directory)
	if err != nil {
		return nil, err
	}
	return &gatedDirectory{disktest.NewGated(d), d}, nil
}

// newInside formats a directory and starts a process on it that has a topic; shutdown
// is how long it may take to end.
func newInside(t *testing.T, shutdown string) *inside {
	t.Helper()
	addresses, err := dev.FreeAddresses(3)
	require.NoError(t, err)
	base := t.TempDir()
	directory, file := filepath.Join(base, "data"), filepath.Join(base, "node.toml")
	identity := node.Identity{Cluster: "processes", Replicas: 1}
	require.NoError(t, node.Format(directory, identity))
	text := layout{}.config(0, 1, directory, addresses)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	p := &inside{client: newTester(addresses[1:2], rootPassword)}
	p.config, err = node.LoadConfig(file, nil, []string{"run.shutdown=" + shutdown})
	require.NoError(t, err)
	p.start(t)
	require.NoError(t, p.client.createTopic("s", 1, "persisted"))
	return p
}

func (p *inside) start(t *testing.T) {
	t.Helper()
	var err error
	p.Node, err = node.StartOn(p.config, slog.New(slog.DiscardHandler),
		func(directory string) (node.Disk, error) {
			p.disk, err = gated(directory)
			return p.disk, err
		})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	n, ended := p.Node, make(chan error, 1)
	p.stop, p.ended = stop, ended
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(stop)
}

// end waits for what the process died of.
func (p *inside) end(t *testing.T) (err error) {
	t.Helper()
	select {
	case err = <-p.ended:
	case <-time.After(patience):
		require.FailNow(t, "it does not end")
	}
	return err
}

// sendInto sends a message whose flush waits, and returns what waits for the client.
func (p *inside) sendInto(t *testing.T) (wait func() error) {
	t.Helper()
	p.disk.Hold(datadir.Log)
	p.client.limit = time.Second
	p.client.heard = nil
	sent := make(chan error, 1)
	go func() {
		_, err := p.client.send("s", 0, "held")
		sent <- err
	}()
	<-p.disk.Waiting
	return func() error { return <-sent }
}

// A disk that fails ends the process with its error, and nobody writes to the log any more. Who
// waits for an answer is told that the outcome is not known: what was not flushed may be there at
// the next boot, or not, and all that was acknowledged is.
func TestADiskThatFailsIsAnAnswerAndTheEnd(t *testing.T) {
	t.Parallel()
	p := newInside(t, "1h") // It waits for nothing that nobody works for.
	_, err := p.client.send("s", 0, "acknowledged")
	require.NoError(t, err)
	wait := p.sendInto(t)
	broken := errors.New("the disk is broken")
	p.disk.Let <- broken
	err = p.end(t)
	require.ErrorIs(t, err, broken)
	assert.Contains(t, err.Error(), p.config.DataDir)
	require.Error(t, wait())
	require.Len(t, p.client.heard, 1)
	assert.Equal(t, protocol.StatusNotCommitted, protocol.Status(p.client.heard[0].Status))
	require.ErrorIs(t, p.Work(), broken, "the log is closed to all that comes")

	p.start(t)
	again := newTester(p.client.addresses, rootPassword)
	messages, err := again.pollStrictly("s", 0, 10)
	require.NoError(t, err)
	require.NotEmpty(t, messages)
	assert.Equal(t, "acknowledged", messages[0])
	p.stop()
	require.NoError(t, p.end(t))
}

// A process ends though a flush does not: it says so, and keeps others out of the directory, as
// nobody knows what the disk still does to it.
func TestAProcessEndsThoughTheDiskDoesNotAnswer(t *testing.T) {
	t.Parallel()
	p := newInside(t, "100ms")
	wait := p.sendInto(t)
	p.stop()
	err := p.end(t)
	require.ErrorIs(t, err, node.ErrStuck)
	assert.NotContains(t, err.Error(), "\n")
	require.Error(t, wait(), "nothing is acknowledged that is not flushed")
	_, err = node.LockDirectory(p.config.DataDir)
	require.ErrorIs(t, err, node.ErrBusy)
	p.disk.Hold()
	p.disk.Let <- nil
}
