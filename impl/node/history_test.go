package node_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// soakVariable says for how long processes are tormented, "10m" say: `make soak` sets it.
const soakVariable = "VIEWSTAMP_SOAK"

// soakRoundVariable is the number of the first round, which the faults are drawn by.
const soakRoundVariable = "VIEWSTAMP_SOAK_ROUND"

// Clients of the library do all that a history can tell of, while processes are killed, stopped
// and cut off: each answer is a success, a failure without effect, or unknown, and what the
// answers say is linearizable, for messages, offsets and names.
func TestProcessHistoriesOfClientsAreLinearizable(t *testing.T) {
	t.Parallel()
	soak, err := time.ParseDuration(os.Getenv(soakVariable))
	long := err == nil
	round, err := strconv.ParseUint(os.Getenv(soakRoundVariable), 10, 64)
	if err != nil && long { // Other faults each time.
		round = rand.Uint64()
	}
	for began := time.Now(); ; round++ {
		chaos(t, round, long)
		if t.Failed() || time.Since(began) > soak {
			return
		}
	}
}

// chaos is one round, on a new cluster.
func chaos(t *testing.T, round uint64, long bool) {
	t.Logf("round %d", round)
	links := newProxies(t)
	p := newProcessesAs(t, 3, layout{reach: links.reach, shards: 2})
	p.startAll()
	w := &workload{t: t, p: p, recorder: &client.Recorder{}, of: client.Partition{
		Stream: protocol.Named("persisted"), Topic: protocol.Named(topicName),
	}}
	admin := newTester(p.clients, rootPassword)
	require.NoError(t, admin.createTopic("persisted", 1, "persisted"))
	// The logins of a token cost nothing: with passwords the machine would hash most of the time.
	token, err := admin.do(protocol.CodeCreateToken, &protocol.CreateToken{Name: "workload"})
	require.NoError(t, err)
	var raw protocol.RawToken
	require.NoError(t, protocol.Decode(token, &raw))
	w.token = raw.Token
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for i := range uint64(4) {
		clients.Go(func() { w.run(rand.New(rand.NewPCG(round, i)), ended, long) })
	}
	faults := 4
	if long {
		faults = 30
	}
	random := rand.New(rand.NewPCG(round, 99))
	for f := range faults {
		w.hurt(f, random, links)
	}
	close(ended)
	clients.Wait()
	assert.Greater(t, w.outcomes[client.Succeeded].Load(), uint64(50))
	for _, model := range []lin.Model{lin.Partition, lin.Offsets, lin.Metadata} {
		history := w.recorder.History(model)
		assert.Greater(t, len(history.Operations), 10, "%s", model)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		report, err := lin.Check(ctx, history, lin.CheckOptions{Workers: 1})
		cancel()
		require.NoError(t, err)
		assert.Equal(t, lin.Linearizable, report.Verdict, "%s: %s", model, report.Summary())
	}
	t.Logf("round %d: %d succeeded, %d failed, %d unknown", round,
		w.outcomes[client.Succeeded].Load(), w.outcomes[client.Failed].Load(),
		w.outcomes[client.Unknown].Load())
	for i := range 3 {
		p.kill(i)
	}
}

// workload is what the clients of a round share.
type workload struct {
	t        *testing.T
	p        *processes
	recorder *client.Recorder
	of       client.Partition
	token    string
	outcomes [client.Unknown + 1]atomic.Uint64
	newest   atomic.Uint64
}

// hurt does one thing to the cluster and waits until it goes on.
func (w *workload) hurt(fault int, random *rand.Rand, links *proxies) {
	p, victim := w.p, random.IntN(3)
	if fault%2 == 0 {
		victim = int(p.group(random.IntN(3), 1).Primary)
	}
	before := w.outcomes[client.Succeeded].Load()
	heal, kind := func() {}, random.IntN(5)
	switch kind {
	case 0, 1:
		p.kill(victim)
		heal = func() { p.start(victim) }
	case 2:
		p.signal(victim, syscall.SIGSTOP)
		heal = func() { p.signal(victim, syscall.SIGCONT) }
	case 3:
		links.cut(victim, true)
		heal = func() { links.cut(victim, false) }
	case 4:
		for i := range 3 {
			p.kill(i)
		}
		for i := range 3 {
			p.start(i)
		}
	}
	began := time.Now()
	p.eventually("clients go on", func() bool {
		return w.outcomes[client.Succeeded].Load() > before+20
	})
	wentOn := time.Since(began)
	heal()
	for i := range 3 {
		p.ready(i)
	}
	w.t.Logf("fault %d: kind %d at process %d, clients go on after %v, all are ready after %v", fault,
		kind, victim, wentOn.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// run is one client; unless it is hard the machine has other tests to run, too.
func (w *workload) run(random *rand.Rand, ended <-chan struct{}, hard bool) {
	options := client.Options{
		Addresses: w.p.clients, Token: w.token, Recorder: w.recorder,
		Timeout: 10 * time.Second, Silence: 2 * time.Second, Patience: 200 * time.Millisecond,
		Pause: 10 * time.Millisecond, PauseMax: 100 * time.Millisecond,
	}
	var c *client.Client
	for n := 0; ; n++ {
		select {
		case <-ended:
			if c != nil {
				c.Close()
			}
			return
		default:
		}
		if !hard {
			pause(5 * time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(context.Background(), options.Timeout)
		if c == nil {
			c, _ = client.Open(ctx, options) // Else the next time.
		} else {
			w.count(w.ask(ctx, c, random, n))
		}
		cancel()
	}
}

// count notes what became of a request; there is no fourth thing.
func (w *workload) count(err error) {
	var e *client.Error
	switch {
	case err == nil:
		w.outcomes[client.Succeeded].Add(1)
	case errors.As(err, &e):
		w.outcomes[e.Outcome.Verdict].Add(1)
	default:
		w.t.Errorf("an answer without a meaning: %v", err)
	}
}

// ask does one thing.
func (w *workload) ask(ctx context.Context, c *client.Client, random *rand.Rand, n int) error {
	who := protocol.Consumer{Kind: protocol.Single, ID: protocol.ID(7)}
	name := fmt.Sprintf("name-%d", random.IntN(3))
	switch random.IntN(12) {
	case 0, 1, 2:
		return w.poll(ctx, c, random, client.Linearizable)
	case 3:
		return w.poll(ctx, c, random, client.Local)
	case 4:
		err := c.StoreOffset(ctx, w.of, who, random.Uint64N(1+w.newest.Load()))
		return beside(err, protocol.StatusInvalidOffset)
	case 5:
		_, _, err := c.StoredOffset(ctx, w.of, who, client.Linearizable)
		return err
	case 6:
		err := c.DeleteOffset(ctx, w.of, who)
		return beside(err, protocol.StatusOffsetNotFound)
	case 7:
		_, err := c.CreateStream(ctx, name)
		return beside(err, protocol.StatusStreamExists)
	case 8:
		err := c.DeleteStream(ctx, protocol.Named(name))
		return beside(err, protocol.StatusStreamNameNotFound)
	case 9:
		_, _, err := c.Stream(ctx, protocol.Named(name), client.Linearizable)
		return err
	}
	var b batch.Builder
	for m := range 1 + random.IntN(3) {
		payload := fmt.Appendf(nil, "%x-%d-%d", random.Uint64(), n, m)
		if err := b.Append(batch.Message{Payload: payload}); err != nil {
			return err
		}
	}
	offset, err := c.Send(ctx, w.of, b.Bytes(), false)
	if err == nil {
		w.newest.Store(offset)
	}
	return err
}

func (w *workload) poll(
	ctx context.Context, c *client.Client, random *rand.Rand, level client.Level,
) error {
	newest := w.newest.Load()
	from := client.PollFrom{
		Strategy: protocol.FromOffset, Value: newest - min(newest, random.Uint64N(20)),
	}
	_, err := c.Poll(ctx, w.of, protocol.Consumer{}, from, 1000, false, level)
	return err
}

// beside takes a refusal by the state machine for the answer that it is.
func beside(err error, status protocol.Status) error {
	if errors.Is(err, client.StatusError(status)) {
		return nil
	}
	return err
}
