package dev_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
)

// TestMain is also the program that the tests start: with two arguments, "serve" and a file.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != "serve" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := node.LoadConfig(os.Args[2], nil, []string{
		"storage.wal_file=4 MiB",
		"storage.wal_max=64 MiB", "clients.request_max=1 MiB",
	})
	if err == nil {
		var n *node.Node
		if n, err = node.Start(config, node.NewLog(config.Log, os.Stderr)); err == nil {
			err = n.Run(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func options(dir string) dev.Options {
	return dev.Options{
		Dir: dir, Replicas: 3, Log: io.Discard,
		Program: func(config string) []string { return []string{os.Args[0], "serve", config} },
	}
}

// gone says that no process of a cluster is left.
func gone(t *testing.T, c *dev.Cluster) {
	t.Helper()
	for _, pid := range c.PIDs {
		assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "process %d", pid)
	}
}

func TestClusterStartsStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cluster")
	var addresses []string
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		c, err := dev.Start(ctx, options(dir))
		require.NoError(t, err)
		require.Len(t, c.PIDs, 3)
		for _, address := range c.MetricsAddresses {
			response, err := http.Get("http://" + address + "/readyz")
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusOK, response.StatusCode)
		}
		if addresses != nil {
			assert.Equal(t, addresses, c.ClientAddresses, "the same directory, the same addresses")
		}
		addresses = c.ClientAddresses
		env, err := os.ReadFile(filepath.Join(dir, "env"))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("export VIEWSTAMP_ADDRESS=%s VIEWSTAMP_PASSWORD=%s\n",
			strings.Join(addresses, ","), dev.RootPassword), string(env))
		_, err = dev.Start(ctx, options(dir))
		require.ErrorIs(t, err, node.ErrBusy, "who is ready is another cluster")
		cancel()
		require.NoError(t, c.Wait(ctx))
		gone(t, c)
	}
	other := options(dir)
	other.Replicas = 1
	_, err := dev.Start(context.Background(), other)
	require.ErrorContains(t, err, "expected --nodes 3")
}

func TestTemporaryDataIsRemoved(t *testing.T) {
	t.Parallel()
	o := options("")
	o.Replicas = 1
	ctx, cancel := context.WithCancel(context.Background())
	c, err := dev.Start(ctx, o)
	require.NoError(t, err)
	require.DirExists(t, c.Dirs[0])
	cancel()
	require.NoError(t, c.Wait(ctx))
	assert.NoDirExists(t, filepath.Dir(filepath.Dir(c.Dirs[0])))
	gone(t, c)
}

// A process that was killed stays dead; the end of the others is no failure of theirs.
func TestAKilledProcessIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := dev.Start(ctx, options(t.TempDir()))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(c.PIDs[0], syscall.SIGKILL))
	require.Eventually(t, func() bool { return syscall.Kill(c.PIDs[0], 0) != nil },
		10*time.Second, time.Millisecond)
	cancel()
	require.NoError(t, c.Wait(ctx))
	gone(t, c)
}

func TestForeignDirectoriesAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "diary"), nil, 0o600))
	_, err := dev.Start(context.Background(), options(dir))
	require.ErrorContains(t, err, "diary is there")
	o := options(filepath.Join(dir, "new"))
	o.Program = func(string) []string { return []string{"/nonexistent"} }
	_, err = dev.Start(context.Background(), o)
	require.ErrorContains(t, err, "/nonexistent")
	o = options(filepath.Join(dir, "newer"))
	o.Program = func(string) []string { return []string{os.Args[0], "serve", "/nonexistent"} }
	_, err = dev.Start(context.Background(), o)
	require.ErrorContains(t, err, "before it was ready")
}
