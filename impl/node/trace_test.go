package node_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// What three processes have recorded, through kills and restarts, is explained by the model; what
// did not happen is not.
func TestProcessTracesConform(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	file := func(i int) string { return filepath.Join(files, fmt.Sprintf("%d.jsonl", i)) }
	p := newProcessesAs(t, 3, layout{more: func(i int) string {
		return fmt.Sprintf("[trace]\nfile = %q\n", file(i))
	}})
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	require.NoError(t, c.createTopic("replicated", 1, "replicated"))
	send := func(round int) {
		for n := range 10 {
			message := fmt.Sprintf("%d-%d", round, n)
			require.NoError(t, c.sendOnce("persisted", message))
			require.NoError(t, c.sendOnce("replicated", message))
		}
	}
	send(0)
	flood(t, p, "replicated", replica.DefaultCheckpointOps+100)
	for round := range 2 {
		primary := int(p.group(round, 1).Primary)
		p.kill(primary)
		send(1 + 2*round)
		p.start(primary)
		p.ready(primary)
		send(2 + 2*round)
	}
	for i := range 3 {
		p.stop(i)
	}
	var recorded []*traces.Trace
	for i := range 3 {
		trace, err := traces.ReadFile(t.Context(), file(i))
		require.NoError(t, err)
		recorded = append(recorded, trace)
	}
	merged, err := traces.Merge(recorded...)
	require.NoError(t, err)
	report, err := conform.Trace(merged)
	require.NoError(t, err)
	require.True(t, report.Passed(), "%v", report.Mismatch)
	assert.Equal(t, 3, report.Groups)
	assert.Greater(t, report.Events-report.Stutters, 300)
	assert.Positive(t, report.Checkpoints)
	t.Logf("%d events, %d of them stutter, %d checkpoints", report.Events, report.Stutters,
		report.Checkpoints)

	// The controls: a checkpoint is of another prepare than the one that was agreed.
	at := slices.IndexFunc(merged.Events, func(e traces.Event) bool {
		return e.Action == traces.EventTakeCheckpoint
	})
	agreed := merged.Events[at].Args.Checksum
	merged.Events[at].Args.Checksum = "0badc0de"
	report, err = conform.Trace(merged)
	require.NoError(t, err)
	require.NotNil(t, report.Mismatch)
	assert.Equal(t, at+1, report.Mismatch.Step)
	merged.Events[at].Args.Checksum = agreed

	// An op that nobody acknowledged is said to be committed.
	for i := range merged.Events {
		e := &merged.Events[i]
		if i > len(merged.Events)/2 && e.Action == traces.ActionPrimaryCommit {
			e.After.CommitMax++
			break
		}
	}
	report, err = conform.Trace(merged)
	require.NoError(t, err)
	assert.False(t, report.Passed())
}

// flood sends so many messages to a topic, each an op, by many clients at once.
func flood(t *testing.T, p *processes, topic string, messages int) {
	t.Helper()
	const clients = 24
	var wg errgroup.Group
	for n := range clients {
		wg.Go(func() error {
			c := newTester(p.clients, rootPassword)
			for i := range messages/clients + 1 {
				if err := c.sendOnce(topic, fmt.Sprintf("%d-%d", n, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, wg.Wait())
}

// A recording has a bound: the newest events are kept, and it says that others were before.
func TestProcessTraceIsBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "steps.jsonl")
	p := newProcessesAs(t, 1, layout{more: func(int) string {
		return fmt.Sprintf("[trace]\nfile = %q\nmax = \"2 MiB\"\n", file)
	}})
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("s", 1, "replicated"))
	old := func() bool { _, err := os.Stat(file + ".old"); return err == nil }
	for n := 0; !old() && n < 5000; n++ {
		_, err := c.send("s", 0, "x")
		require.NoError(t, err)
	}
	require.True(t, old())
	p.kill(0) // What was recorded is there all the same.
	whole, err := traces.ReadFile(t.Context(), file+".old")
	require.NoError(t, err)
	report, err := conform.Trace(whole)
	require.NoError(t, err)
	require.True(t, report.Passed(), "%v", report.Mismatch)
	rest, err := traces.ReadFile(t.Context(), file)
	require.NoError(t, err)
	assert.Equal(t, len(whole.Events), rest.Header.Continues)
	_, err = traces.Merge(rest)
	require.ErrorContains(t, err, "expected the beginning")
	for _, name := range []string{file, file + ".old"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(3<<20))
	}
}
