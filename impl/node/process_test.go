package node_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	lin "github.com/viewstamp/viewstamp/linearizability"
)

const rootPassword = "secret"

// Seed 003, with real processes, in full: six producers fill six partitions with 40,000 messages
// of each policy, every process is killed at once, and after the restart every acknowledged
// message is there, on each replica.
func TestProcessesKilledAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	const partitions, batches, perBatch = 6, 14, 500
	p := newProcessesAs(t, 3, layout{shards: 2})
	p.startAll()
	admin := newTester(p.clients, rootPassword)
	for _, policy := range []string{"persisted", "replicated"} {
		require.NoError(t, admin.createTopic(policy, partitions, policy))
	}
	var producers sync.WaitGroup
	for _, policy := range []string{"persisted", "replicated"} {
		for partition := range uint32(partitions) {
			producers.Go(func() {
				c := newTester(p.clients, rootPassword)
				for n := range batches {
					var messages []string
					for m := range perBatch {
						messages = append(messages, fmt.Sprintf("%s-%d-%d", policy, partition,
							n*perBatch+m))
					}
					offset, err := c.send(policy, partition, messages...)
					if !assert.NoError(t, err) {
						return
					}
					assert.Equal(t, uint64(n*perBatch), offset)
				}
			})
		}
	}
	producers.Wait()
	for i := range 3 {
		p.kill(i)
	}
	p.startAll()
	for replica := range 3 {
		c := newTester(p.clients[replica:replica+1], rootPassword)
		for _, policy := range []string{"persisted", "replicated"} {
			for partition := range uint32(partitions) {
				p.holds(c, policy, partition, batches*perBatch)
			}
		}
	}
	for i := range 3 {
		p.stop(i)
	}
}

// holds waits until a replica shows all messages of a partition, each at its place.
func (p *processes) holds(c *tester, policy string, partition uint32, count int) {
	p.t.Helper()
	var messages []string
	p.eventually(fmt.Sprintf("%s partition %d holds %d", policy, partition, count), func() bool {
		var err error
		messages, err = c.poll(policy, partition, 0, uint32(count+1))
		return err == nil && len(messages) == count
	})
	for n, m := range messages {
		require.Equal(p.t, fmt.Sprintf("%s-%d-%d", policy, partition, n), m)
	}
}

// One process is killed, then the primary of the metadata: a client goes on, at another process.
func TestProcessKillsAreSurvived(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	sent := 0
	send := func(n int) {
		t.Helper()
		for range n {
			_, err := c.send("persisted", 0, fmt.Sprintf("persisted-0-%d", sent))
			require.NoError(t, err)
			sent++
		}
	}
	send(20)
	primary := int(p.group(0, 0).Primary)
	backup := (primary + 1) % 3
	if p.clients[backup] == c.addresses[c.at] { // The client is not to be cut off here.
		backup = (primary + 2) % 3
	}
	p.kill(backup)
	send(10)
	p.start(backup)
	p.ready(backup)
	c.leave()
	c.session.Disconnected()
	c.addresses, c.at = []string{p.clients[backup]}, 0
	p.kill(primary)
	started := time.Now()
	send(10)
	assert.Less(t, time.Since(started), 10*time.Second)
	p.start(primary)
	p.ready(primary)
	p.holds(newTester(p.clients[primary:primary+1], rootPassword), "persisted", 0, sent)
}

// Clients append and read while processes are killed and started again: what they see is one
// log, of which strict reads show all that was acknowledged before, and local ones a beginning.
func TestProcessHistoryIsLinearizable(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	require.NoError(t, newTester(p.clients, rootPassword).
		createTopic("persisted", 1, "persisted"))
	seen := &observed{began: time.Now()}
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			c := newTester(p.clients, rootPassword)
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
				}
				pause(4 * time.Millisecond) // The machine has other tests to run.
				switch n % 8 {
				case 3:
					seen.poll(c, client, n, lin.LevelSerializable)
				case 1, 7:
					seen.poll(c, client, n, lin.LevelLinearizable)
				default:
					seen.send(c, client, n)
				}
			}
		})
	}
	for round := range 3 {
		victim := int(p.group(round, 1).Primary)
		if round == 1 {
			victim = (victim + 1) % 3
		}
		before := p.group(victim, 1).CommitMax
		p.kill(victim)
		other := (victim + 1) % 3
		p.eventually("the others go on", func() bool {
			return p.group(other, 1).CommitMax > before+20
		})
		p.start(victim)
		p.ready(victim)
	}
	close(ended)
	clients.Wait()
	history := &lin.History{
		Model: lin.Partition, Unit: lin.Nanoseconds, Operations: seen.operations,
	}
	report, err := lin.Check(context.Background(), history, lin.CheckOptions{Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, lin.Linearizable, report.Verdict, report.Summary())
	assert.Greater(t, len(seen.operations), 100)
	// A negative control: a message that was acknowledged and is gone is noticed.
	lost := *history
	lost.Operations = lose(history.Operations)
	report, err = lin.Check(context.Background(), &lost, lin.CheckOptions{Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, lin.Violation, report.Verdict)
}

// What a person can get wrong ends a process with one line; what it says of itself is there.
func TestProcessRefusalsAndStatus(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 1)
	p.startAll()
	second := exec.Command(p.running[0].Path)
	second.Env = append(second.Environ(), configVariable+"="+p.configs[0])
	out, err := second.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "another process uses it")
	_, err = newTester(p.clients, "wrong").poll("s", 0, 0, 1)
	require.ErrorContains(t, err, "invalid_credentials")
	c := newTester(p.clients, rootPassword)
	_, err = c.poll("s", 0, 0, 1)
	require.ErrorContains(t, err, "no stream")
	require.NoError(t, c.createTopic("s", 2, "replicated"))
	_, err = c.send("s", 1, "a", "b")
	require.NoError(t, err)
	messages, err := c.poll("s", 1, 1, 10)
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, messages)
	code, body := p.get(0, "/metrics")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, body, `viewstamp_primary{group="0"} 1`)
	code, _ = p.get(0, "/livez")
	assert.Equal(t, http.StatusOK, code)
	status := p.status(0)
	require.Len(t, status.Groups, 3)
	assert.Equal(t, "normal", status.Groups[2].Status)
}
