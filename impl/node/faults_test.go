package node_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A primary that stands still, and wakes when others have gone on without it, tells no client
// of its past: what is asked of it meanwhile is answered with what was acknowledged elsewhere.
func TestProcessThatWasStoppedShowsNothingOld(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	for n := range 5 {
		_, err := c.send("persisted", 0, fmt.Sprintf("persisted-0-%d", n))
		require.NoError(t, err)
	}
	for round := range 2 {
		stopped := int(p.group(round, 1).Primary)
		other := (stopped + 1) % 3
		there := newTester(p.clients[stopped:stopped+1], rootPassword)
		_, err := there.pollStrictly("persisted", 0, 100) // It is connected.
		require.NoError(t, err)
		view := p.group(other, 1).View
		p.signal(stopped, syscall.SIGSTOP)
		var answers sync.WaitGroup
		answers.Go(func() { // Asked of a process that does not move.
			messages, err := there.pollStrictly("persisted", 0, 100)
			assert.NoError(t, err)
			assert.GreaterOrEqual(t, len(messages), 5+5*round)
		})
		p.eventually("another primary", func() bool { return p.group(other, 1).View > view })
		elsewhere := newTester(p.clients[other:other+1], rootPassword)
		for n := range 5 {
			_, err := elsewhere.send("persisted", 0, fmt.Sprintf("persisted-0-%d", 5+5*round+n))
			require.NoError(t, err)
		}
		asked := newTester(p.clients[stopped:stopped+1], rootPassword)
		answers.Go(func() { // Asked after the others have gone on.
			messages, err := asked.pollStrictly("persisted", 0, 100)
			assert.NoError(t, err)
			assert.Len(t, messages, 10+5*round)
		})
		p.signal(stopped, syscall.SIGCONT)
		answers.Wait()
	}
	for i := range 3 {
		p.holds(newTester(p.clients[i:i+1], rootPassword), "persisted", 0, 15)
	}
}

// A primary that is cut off from the others acknowledges nothing and reads nothing, says so at
// once, and sends nobody to itself; the others go on; when the connections are back they agree.
func TestProcessCutOffAcknowledgesNothing(t *testing.T) {
	t.Parallel()
	links := newProxies(t)
	p := newProcessesAs(t, 3, layout{reach: links.reach})
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	_, err := c.send("persisted", 0, "persisted-0-0")
	require.NoError(t, err)
	alone := int(p.group(0, 1).Primary)
	other := (alone + 1) % 3
	there := newTester(p.clients[alone:alone+1], rootPassword)
	_, err = there.pollStrictly("persisted", 0, 1)
	require.NoError(t, err)
	links.cut(alone, true)
	p.eventually("it does not name itself", func() bool { return there.primaryOf("persisted") == 0 })
	there.limit = time.Second
	_, err = there.pollStrictly("persisted", 0, 1)
	require.ErrorContains(t, err, "not accepted", "nobody has confirmed the view")
	_, err = there.send("persisted", 0, "lost or not")
	require.ErrorContains(t, err, "not accepted", "nobody else has it")
	elsewhere := newTester(p.clients[other:other+1], rootPassword)
	for n := range 10 {
		_, err := elsewhere.send("persisted", 0, fmt.Sprintf("persisted-0-%d", 1+n))
		require.NoError(t, err)
	}
	links.cut(alone, false)
	for i := range 3 {
		at := newTester(p.clients[i:i+1], rootPassword)
		p.eventually("all agree", func() bool {
			messages, err := at.pollStrictly("persisted", 0, 100)
			return err == nil && len(messages) >= 11 && messages[10] == "persisted-0-10"
		})
	}
}

// Seed 001: the original primary comes back while another process is down. The producer is
// answered, whoever that is.
func TestProcessProducerIsAnsweredAfterARestart(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("persisted", 1, "persisted"))
	sent := 0
	send := func(what string, n int) {
		t.Helper()
		started := time.Now()
		for range n {
			require.NoError(t, c.sendOnce("persisted", fmt.Sprintf("persisted-0-%d", sent)), what)
			sent++
		}
		assert.Less(t, time.Since(started), 10*time.Second, what)
	}
	send("all are up", 20)
	for round := range 2 {
		original := int(p.group(round, 1).Primary)
		p.kill(original)
		send("without the original primary", 10)
		next := int(p.group((original+1)%3, 1).Primary)
		p.start(original)
		p.ready(original)
		down := 3 - original - next // Neither of the two,
		if round == 1 {
			down = next // or the new primary.
		}
		p.kill(down)
		send("with the original primary, one process down", 20)
		p.start(down)
		p.ready(down)
	}
	for i := range 3 {
		p.holds(newTester(p.clients[i:i+1], rootPassword), "persisted", 0, sent)
	}
}
