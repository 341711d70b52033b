package node_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/impl/node/dev"
)

// waits lists the locks that goroutines waited for while do ran: each as the functions that let
// go of it, the innermost first. It is of the whole process: no other test may run meanwhile.
func waits(do func()) (sites [][]string) {
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	before := make(map[[32]uintptr]int64)
	each := func(see func(runtime.BlockProfileRecord)) {
		n, _ := runtime.MutexProfile(nil)
		records := make([]runtime.BlockProfileRecord, n+1024)
		n, _ = runtime.MutexProfile(records)
		for _, r := range records[:n] {
			see(r)
		}
	}
	each(func(r runtime.BlockProfileRecord) { before[r.Stack0] = r.Count })
	do()
	each(func(r runtime.BlockProfileRecord) {
		if r.Count == before[r.Stack0] {
			return
		}
		var site []string
		for frames, more := runtime.CallersFrames(r.Stack()), true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			site = append(site, f.Function[strings.LastIndex(f.Function, "/")+1:])
		}
		sites = append(sites, site)
	})
	return sites
}

// The locks that requests wait for. Nothing that all clients or all groups share is among them:
// each connection has a context of its own, each session its routes, each group the turns of its
// shard, and what they hand over to the log and to other replicas goes through queues.
func TestRequestsWaitForNoLockThatAllShare(t *testing.T) { //nolint:paralleltest // See waits.
	requests := inOneProcess(t, 16)
	ofRequests := func(site []string) bool {
		return strings.HasPrefix(site[0], "sync.") && slices.ContainsFunc(site, func(f string) bool {
			return f == "node.(*session).Serve" || f == "transport.(*clientConn).serve" ||
				f == "node.(*event).handle" || f == "node.(*shard).complete"
		})
	}
	for _, site := range waits(requests) {
		assert.False(t, ofRequests(site), "%s", strings.Join(site, " < "))
	}
	assert.NotEmpty(t, waits(func() {
		var shared sync.Mutex
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for range 100 {
					shared.Lock()
					runtime.Gosched() // to one who waits
					shared.Unlock()
				}
			})
		}
		running.Wait()
	}), "a lock that is waited for is seen")
}

// inOneProcess starts a node with a partition for each of its clients, and returns what has all
// clients send and poll at once.
func inOneProcess(t *testing.T, clients int) func() {
	t.Helper()
	addresses, err := dev.FreeAddresses(2)
	require.NoError(t, err)
	config := node.DefaultConfig()
	config.DataDir = filepath.Join(t.TempDir(), "data")
	config.Cluster.Name = "one"
	config.Replicas = []node.ReplicaConfig{{Mesh: addresses[0], Client: addresses[1]}}
	config.Users.RootPassword = rootPassword
	config.Run.Shards = 4
	config.Storage.WALFile, config.Storage.WALMax = 4<<20, 64<<20
	require.NoError(t, node.Format(config.DataDir, node.Identity{Cluster: "one", Replicas: 1}))
	n, err := node.Start(config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	t.Cleanup(func() { stop(); assert.NoError(t, <-ended) })
	require.NoError(t, newTester(addresses[1:], rootPassword).
		createTopic("s", uint32(clients), "replicated"))
	all := make([]*tester, clients)
	for i := range all {
		all[i] = newTester(addresses[1:], rootPassword)
		_, err := all[i].send("s", uint32(i), "the first, after the login")
		require.NoError(t, err)
	}
	return func() {
		var running sync.WaitGroup
		for i, c := range all {
			running.Go(func() {
				defer c.leave()
				for k := range 150 {
					_, err := c.send("s", uint32(i), fmt.Sprint(k))
					assert.NoError(t, err)
					_, err = c.poll("s", uint32(i), 0, 1)
					assert.NoError(t, err)
				}
			})
		}
		running.Wait()
	}
}
