package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
)

func TestFormatMisuse(t *testing.T) {
	t.Parallel()
	formatted, busy := t.TempDir(), t.TempDir()
	status, stdout, stderr := do(t, "format", "--cluster", "c", "--replica", "0", "--replicas", "3",
		"--replace", formatted)
	require.Equal(t, statusPassed, status, stderr)
	require.Contains(t, stdout, "in place of a lost one")
	require.NoError(t, os.WriteFile(filepath.Join(busy, "diary"), nil, 0o600))
	for name, tc := range map[string]struct {
		line, want string
		status     int
	}{
		"no cluster": {"--replica 0 --replicas 3 " + busy, "no --cluster", statusUsage},
		"a replica that there is not": {
			"--cluster c --replica 3 --replicas 3 " + busy, "expected 0 to 2", statusUsage,
		},
		"a replacement of the only one": {
			"--cluster c --replica 0 --replicas 1 --replace " + busy, "restore a backup", statusUsage,
		},
		"a second time": {
			"--cluster c --replica 0 --replicas 3 " + formatted, "already", statusFailed,
		},
		"files of something else": {
			"--cluster c --replica 0 --replicas 3 " + busy, "diary", statusFailed,
		},
		"a place where nothing can be": {
			"--cluster c --replica 0 --replicas 3 /dev/null/data", "/dev/null", statusFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, append([]string{"format"}, strings.Fields(tc.line)...)...)
			assert.Equal(t, tc.status, status, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}

// without is a directory that a process has used, and of which something was removed.
func without(t *testing.T, names ...string) string {
	t.Helper()
	free, err := dev.FreeAddresses(2)
	require.NoError(t, err)
	config := node.DefaultConfig()
	config.DataDir = filepath.Join(t.TempDir(), "data")
	config.Cluster.Name = "c"
	config.Replicas = []node.ReplicaConfig{{Mesh: free[0], Client: free[1]}}
	require.NoError(t, node.Format(config.DataDir, node.Identity{Cluster: "c", Replicas: 1}))
	served, err := node.Start(config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, served.Run(ctx))
	for _, name := range names {
		require.NoError(t, os.RemoveAll(filepath.Join(config.DataDir, name)))
	}
	return config.DataDir
}

// What a person gets wrong is one line that names it, and a status: 1 for what does not work, 2
// for a configuration or command line that means nothing.
func TestServeMisuse(t *testing.T) {
	t.Parallel()
	free, err := dev.FreeAddresses(4)
	require.NoError(t, err)
	directory := filepath.Join(t.TempDir(), "data")
	require.NoError(t, node.Format(directory, node.Identity{
		Cluster: "c", Replica: 0, Replicas: 1,
	}))
	text := func(dir, mesh, client, more string) string {
		return fmt.Sprintf("data_dir = %q\n[cluster]\nname = \"c\"\nreplica = 0\n[[replicas]]\n"+
			"mesh = %q\nclient = %q\n%s", dir, mesh, client, more)
	}
	config, err := node.LoadConfig(
		write(t, "running.toml", text(directory, free[0], free[1], "")), nil, nil)
	require.NoError(t, err)
	running, err := node.Start(config, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- running.Run(ctx) }()
	defer func() { stop(); assert.NoError(t, <-ended) }()
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, node.Format(other, node.Identity{Cluster: "c", Replica: 0, Replicas: 1}))
	foreign := filepath.Join(t.TempDir(), "foreign")
	require.NoError(t, node.Format(foreign, node.Identity{
		Cluster: "d", Replica: 0, Replicas: 1,
	}))
	for name, tc := range map[string]struct {
		config string
		want   string
		status int
	}{
		"a key that is none": {
			text(other, free[2], free[3], "[run]\nshard = 1\n"), "shard", statusUsage,
		},
		"a value that is none": {
			text(other, free[2], free[3], "[run]\ntick = \"soon\"\n"), "run.tick", statusUsage,
		},
		"no directory": {
			text(filepath.Join(other, "none"), free[2], free[3], ""), "viewstamp format", statusFailed,
		},
		"a directory without an identity": {
			text(t.TempDir(), free[2], free[3], ""), "viewstamp format", statusFailed,
		},
		"another cluster's directory": {
			text(foreign, free[2], free[3], ""), "cluster.name", statusFailed,
		},
		"a directory of something else": {
			text(filepath.Dir(write(t, "diary", "x")), free[2], free[3], ""),
			"no part of a data directory", statusFailed,
		},
		"a directory without its superblock": {
			text(without(t, "superblock.a", "superblock.b"), free[2], free[3], ""),
			"viewstamp format --replace", statusFailed,
		},
		"a directory without its log": {
			text(without(t, "wal"), free[2], free[3], ""), "the write-ahead log is gone",
			statusFailed,
		},
		"a configuration of something else": {
			"\x00\x01", "line 1", statusUsage,
		},
		"a second process on a directory": {
			text(directory, free[2], free[3], ""), "another process uses it", statusFailed,
		},
		"a port that is taken": {
			text(other, free[2], free[1], ""), "listen.client", statusFailed,
		},
		"a certificate that is not there": {
			text(other, free[2], free[3], "[clients.tls]\ncertificate = \"none\"\nkey = \"none\"\n"),
			"clients", statusFailed,
		},
		"a trace that is none": {
			text(other, free[2], free[3], fmt.Sprintf("[trace]\nfile = %q\n",
				write(t, "trace.jsonl", "no trace\n"))), "trace.file", statusFailed,
		},
	} {
		t.Run(name, func(t *testing.T) { // One after the other: some share a directory.
			status, stdout, stderr := do(t, "serve", "--config", write(t, "node.toml", tc.config))
			assert.Equal(t, tc.status, status, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(strings.TrimSpace(stderr), "\n")+1, stderr)
		})
	}
}

// What 'viewstamp dev' prints can be copied: the program is called as it was called itself, and
// every command that it names exists.
func TestWhatDevPrintsCanBeCalled(t *testing.T) {
	t.Parallel()
	var out, none bytes.Buffer
	prints := &tool{stdout: &out, stderr: &none}
	prints.explain(&dev.Cluster{
		PIDs: []int{7}, ClientAddresses: []string{"127.0.0.1:1"}, Dirs: []string{"d"},
		MetricsAddresses: []string{"127.0.0.1:2"}, Configs: []string{"d/node.toml"},
	})
	called := 0
	for line := range strings.Lines(out.String()) {
		_, arguments, found := strings.Cut(line, os.Args[0]+" ")
		if !found {
			assert.NotContains(t, line, "  viewstamp ")
			continue
		}
		called++
		arguments, _, _ = strings.Cut(arguments, "#")
		command, rest, err := prints.root().Find(strings.Fields(arguments))
		require.NoError(t, err, line)
		require.NotNil(t, command.RunE, line)
		assert.NoError(t, command.ValidateArgs(slices.DeleteFunc(rest, func(arg string) bool {
			return strings.HasPrefix(arg, "--") || command.Name() == "serve"
		})), line)
	}
	assert.Equal(t, 6, called)
}
