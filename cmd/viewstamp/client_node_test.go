package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
)

// newNode runs a node that is a cluster by itself, and returns who asks it.
func newNode(t *testing.T) *asked {
	t.Helper()
	free, err := dev.FreeAddresses(2)
	require.NoError(t, err)
	directory := filepath.Join(t.TempDir(), "data")
	require.NoError(t, node.Format(directory, node.Identity{Cluster: "c", Replicas: 1}))
	config, err := node.LoadConfig(write(t, "node.toml", fmt.Sprintf("data_dir = %q\n[cluster]\n"+
		"name = \"c\"\nreplica = 0\n[[replicas]]\nmesh = %q\nclient = %q\n"+
		"[users]\nroot_password = \"secret\"\n[run]\ntick = \"2ms\"\nshards = 1\n"+
		"[storage]\nwal_file = \"8 MiB\"\nwal_max = \"64 MiB\"\n", directory, free[0], free[1])),
		nil, nil)
	require.NoError(t, err)
	n, err := node.Start(config, slog.New(slog.NewTextHandler(io.Discard, nil)))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(func() { stop(); assert.NoError(t, <-ended) })
	return &asked{t: t, flags: []string{
		"--address", free[1], "--password-file", write(t, "password", "secret\n"),
	}}
}

// Commands that ask a node for what the cluster in memory does not have.
func TestClientCommandsOfConsumerGroups(t *testing.T) {
	t.Parallel()
	a := newNode(t)
	a.ok("stream create shop")
	a.ok("topic create shop orders --partitions 2")
	assert.Equal(t, "created group billing, id 1\n", a.ok("group create shop orders billing"))
	assert.Contains(t, a.ok("group list shop orders"), "1   billing  2           0")
	a.ok("send shop orders", write(t, "lines", "one\ntwo\nthree\n"))
	read := a.ok("group join shop orders billing --limit 2") +
		a.ok("group join shop orders #1 --limit 1")
	got := strings.Fields(read)
	assert.ElementsMatch(t, []string{"0/0", "one", "0/1", "three", "1/0", "two"}, got)
	assert.Equal(t, "MEMBER  PARTITIONS\n", a.ok("group show shop orders billing"))
	var stats map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.ok("stats --json")), &stats))
	for name, want := range map[string]float64{
		"streams": 1, "topics": 1, "partitions": 2, "consumer_groups": 1, "messages": 3,
	} {
		assert.InDelta(t, want, stats[name], 0, name)
	}
	assert.Contains(t, a.ok("stats"), "messages         3")
	assert.Contains(t, a.ok("stream list"), "1   shop  1       3")
	assert.Equal(t, "deleted group billing\n", a.ok("group delete shop orders billing"))
	for line, want := range map[string]string{
		"group join shop orders billing":   "no consumer group of this name",
		"group show shop orders billing":   `no group "billing" of topic "orders"`,
		"group create shop nothing g":      "no topic of this name",
		"group delete shop orders billing": "no consumer group of this name",
		"topic list nowhere":               "no stream of this name",
	} {
		status, stdout, stderr := a.do(line)
		assert.Equal(t, statusFailed, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}
