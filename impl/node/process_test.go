package node_test

import (
	"context"
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// Three processes on real sockets and disks: they commit, and what was acknowledged is there
// after one of them, the primary, or all of them have been killed.
func TestProcessKillsLoseNothing(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3, "")
	p.startAll()
	c := newRegisterClient(p.clients, patience)
	require.NoError(t, c.login())
	acknowledged := uint64(0)
	write := func(n int) {
		for range n {
			_, err := c.do(statemachine.RegisterWrite, acknowledged+1, acknowledged+1001)
			require.NoError(t, err)
			acknowledged++
		}
	}
	write(30)
	primary := p.primary(0, 0)
	backup := (primary + 1) % 3
	p.kill(backup)
	write(10)
	p.start(backup)
	p.ready(backup)
	p.kill(primary)
	write(10)
	p.start(primary)
	p.ready(primary)
	for i := range 3 {
		p.kill(i)
	}
	p.startAll()
	c.leave()
	for key := uint64(1); key <= acknowledged; key++ {
		value, err := c.do(statemachine.RegisterRead, key)
		require.NoError(t, err)
		require.Equal(t, key+1000, value)
	}
	for i := range 3 {
		p.stop(i)
	}
}

// Clients read and write while processes are killed and started: what they see is one register.
func TestProcessHistoryIsLinearizable(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3, "")
	p.startAll()
	seen := &observed{began: time.Now()}
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			c := newRegisterClient(p.clients, patience)
			if !assert.NoError(t, c.login()) {
				return
			}
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
				}
				kind := lin.Read
				if (n+client)%2 == 0 {
					kind = lin.Write
				}
				if !assert.NoError(t, c.observe(seen, client, n, kind, uint64(client*1_000_000+n+1))) {
					return
				}
			}
		})
	}
	for round := range 4 {
		before := p.status(round % 3).Groups[0].CommitMax
		victim := p.primary(round%3, 0)
		if round == 2 {
			victim = (victim + 1) % 3
		}
		p.kill(victim)
		other := (victim + 1) % 3
		p.eventually("the others go on", func() bool {
			return p.status(other).Groups[0].CommitMax > before+20
		})
		p.start(victim)
		p.ready(victim)
	}
	close(ended)
	clients.Wait()
	report, err := lin.Check(context.Background(), &lin.History{
		Model: lin.Register, Unit: lin.Nanoseconds, Operations: seen.operations,
	}, lin.CheckOptions{Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, lin.Linearizable, report.Verdict, report.Summary())
	assert.Greater(t, len(seen.operations), 100)
}

// What a person can get wrong ends the process with one line and status 1.
func TestProcessRefusals(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 1, "")
	p.startAll()
	second := exec.Command(p.running[0].Path)
	second.Env = append(second.Environ(), configVariable+"="+p.configs[0])
	out, err := second.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "another process uses it")
	code, body := p.get(0, "/metrics")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, body, `viewstamp_primary{group="0"} 1`)
	code, _ = p.get(0, "/livez")
	assert.Equal(t, http.StatusOK, code)
	assert.Equal(t, "normal", p.status(0).Groups[0].Status)
}
