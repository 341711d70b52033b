package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/client/clienttest"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

var orders = client.Partition{
	Stream: protocol.Named("shop"), Topic: protocol.Named("orders"), ID: 1,
}

func start(t *testing.T, nodes int) *clienttest.Cluster {
	t.Helper()
	cluster, err := clienttest.New(nodes)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return cluster
}

func open(t *testing.T, cluster *clienttest.Cluster, change func(*client.Options)) *client.Client {
	t.Helper()
	options := client.Options{
		Addresses: cluster.Addresses(), User: clienttest.User, Password: clienttest.Password,
		Timeout: 10 * time.Second, Pause: time.Millisecond,
	}
	if change != nil {
		change(&options)
	}
	c, err := client.Open(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// shop makes the stream and the topic that the tests write to.
func shop(t *testing.T, c *client.Client) {
	t.Helper()
	_, err := c.CreateStream(t.Context(), "shop")
	require.NoError(t, err)
	_, err = c.CreateTopic(t.Context(), orders.Stream, "orders", 3)
	require.NoError(t, err)
}

func messages(t require.TestingT, payloads ...string) []byte {
	var b batch.Builder
	for i, p := range payloads {
		require.NoError(t, b.Append(batch.Message{
			ID: wire.Uint128{Lo: uint64(i + 1)}, Payload: []byte(p), Timestamp: 1,
		}))
	}
	return b.Bytes()
}

func TestEverythingThatCanBeAsked(t *testing.T) {
	t.Parallel()
	c := open(t, start(t, 1), nil)
	ctx := t.Context()
	shop(t, c)
	require.NoError(t, c.Ping(ctx))
	streams, err := c.Streams(ctx)
	require.NoError(t, err)
	assert.Len(t, streams, 1)
	details, found, err := c.Stream(ctx, orders.Stream, client.Linearizable)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Len(t, details.Headers, 1)
	topics, err := c.Topics(ctx, orders.Stream)
	require.NoError(t, err)
	assert.Equal(t, "orders", topics[0].Name)

	offset, err := c.Send(ctx, orders, messages(t, "a", "b"), false)
	require.NoError(t, err)
	assert.Zero(t, offset)
	offset, err = c.Send(ctx, orders, messages(t, "c"), false)
	require.NoError(t, err)
	assert.Equal(t, uint64(2), offset)
	for _, level := range []client.Level{client.Linearizable, client.Local} {
		polled, err := c.Poll(ctx, orders, protocol.Consumer{},
			client.PollFrom{Strategy: protocol.FromOffset, Value: 1}, 10, false, level)
		require.NoError(t, err)
		assert.Equal(t, uint64(2), polled.Current)
		assert.Equal(t, []string{"1 b", "2 c"}, texts(polled.Messages))
	}
	topic, found, err := c.Topic(ctx, orders.Stream, orders.Topic, client.Local)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, uint64(3), topic.States[1].Messages)

	consumer := protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("billing")}
	_, found, err = c.StoredOffset(ctx, orders, consumer, client.Linearizable)
	require.NoError(t, err)
	assert.False(t, found)
	require.NoError(t, c.StoreOffset(ctx, orders, consumer, 1))
	stored, found, err := c.StoredOffset(ctx, orders, consumer, client.Local)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, uint64(1), stored.Stored)
	require.NoError(t, c.DeleteOffset(ctx, orders, consumer))
	assert.ErrorIs(t, c.DeleteOffset(ctx, orders, consumer),
		client.StatusError(protocol.StatusOffsetNotFound))

	require.NoError(t, c.DeleteTopic(ctx, orders.Stream, orders.Topic))
	require.NoError(t, c.DeleteStream(ctx, orders.Stream))
	_, found, err = c.Stream(ctx, orders.Stream, client.Linearizable)
	require.NoError(t, err)
	assert.False(t, found)
	require.NoError(t, c.Logout(ctx))
	assert.ErrorContains(t, c.Ping(ctx), "ping: nothing was done: the client is closed")
}

func texts(all []client.Message) []string {
	var out []string
	for _, m := range all {
		out = append(out, fmt.Sprintf("%d %s", m.Offset, m.Payload))
	}
	return out
}

func TestErrorsSayWhetherItHappened(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	c := open(t, cluster, nil)
	shop(t, c)
	_, err := c.CreateStream(t.Context(), "shop")
	require.ErrorIs(t, err, client.StatusError(protocol.StatusStreamExists))
	require.NotErrorIs(t, err, client.ErrUnknown)
	require.EqualError(t, err,
		"create_stream: nothing was done: a stream of this name exists")

	_, err = c.CreateStream(t.Context(), "")
	require.ErrorContains(t, err, "name at byte 0: got 0 bytes, expected 1 to 255")

	cluster.Inject(clienttest.Fault{Code: protocol.CodeSend, Lose: true})
	_, err = c.Send(t.Context(), orders, messages(t, "a"), false)
	require.ErrorIs(t, err, client.ErrUnknown)
	require.ErrorContains(t, err, "send: outcome unknown: node 127.0.0.1")

	_, err = c.Send(t.Context(), orders, []byte("no batch"), false)
	require.ErrorContains(t, err, "send: nothing was done")
	nowhere := client.Partition{Stream: orders.Stream, Topic: orders.Topic, ID: 9}
	_, err = c.Send(t.Context(), nowhere, messages(t, "a"), false)
	require.EqualError(t, err, "send: nothing was done: no such partition")
}

// What a lost reply says: for the metadata plane nothing is lost, for messages it depends.
func TestLostRepliesAreFoundOut(t *testing.T) {
	t.Parallel()
	cluster := start(t, 3)
	c := open(t, cluster, nil)
	cluster.Inject(
		clienttest.Fault{Code: protocol.CodeCreateStream, Lose: true},
		clienttest.Fault{Code: protocol.CodeCreateTopic, Lose: true},
		clienttest.Fault{Code: protocol.CodeCreateTopic, Status: protocol.StatusNotCommitted},
		clienttest.Fault{Code: protocol.CodeCreateTopic, Status: protocol.StatusNotAccepted},
		clienttest.Fault{Code: protocol.CodeSend, Lose: true},
		clienttest.Fault{Code: protocol.CodeStoreOffset, Status: protocol.StatusNotAccepted},
	)
	shop(t, c)
	offset, err := c.Send(t.Context(), orders, messages(t, "a"), true)
	require.NoError(t, err)
	assert.Equal(t, uint64(1), offset, "the first copy is there, too")
	consumer := protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("billing")}
	require.NoError(t, c.StoreOffset(t.Context(), orders, consumer, 1))

	cluster.Evict() // That a session is over says nothing of what was sent in it.
	require.ErrorIs(t, c.DeleteStream(t.Context(), orders.Stream), client.ErrUnknown)
	require.NoError(t, c.DeleteStream(t.Context(), orders.Stream))
}

func TestAForgottenSessionLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	evict := func(ctx context.Context, address string) (net.Conn, error) {
		cluster.Evict()
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	c := open(t, cluster, func(o *client.Options) { o.Dial = evict })
	cluster.Inject(clienttest.Fault{Code: protocol.CodeCreateStream, Lose: true})
	_, err := c.CreateStream(t.Context(), "shop")
	require.ErrorIs(t, err, client.ErrUnknown)
	_, err = c.CreateStream(t.Context(), "shop")
	require.ErrorIs(t, err, client.StatusError(protocol.StatusStreamExists))
}

func TestPrimariesAreFollowed(t *testing.T) {
	t.Parallel()
	cluster := start(t, 3)
	c := open(t, cluster, func(o *client.Options) { o.Addresses = o.Addresses[2:] })
	shop(t, c)
	for i := range 3 {
		cluster.SetPrimary((i+1)%3, (i+2)%3)
		_, err := c.CreateStream(t.Context(), fmt.Sprint("stream ", i))
		require.NoError(t, err)
		offset, err := c.Send(t.Context(), orders, messages(t, "a"), false)
		require.NoError(t, err)
		assert.Equal(t, uint64(i), offset)
	}
	// A node that is gone is found out by itself.
	cluster.SetPrimary(0, 0)
	cluster.Stop(1)
	cluster.Stop(2)
	_, err := c.CreateStream(t.Context(), "after")
	require.NoError(t, err)
	_, err = c.Poll(t.Context(), orders, protocol.Consumer{},
		client.PollFrom{Strategy: protocol.FromFirst}, 10, false, client.Linearizable)
	require.NoError(t, err)
}

func TestDeadlinesEndRequests(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	c := open(t, cluster, nil)
	shop(t, c)
	cluster.Stop(0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.CreateStream(ctx, "late")
	require.ErrorIs(t, err, client.ErrUnknown, "the connection broke with it")
	_, err = c.CreateStream(ctx, "later")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, client.ErrUnknown)
	_, err = c.Send(ctx, orders, messages(t, "a"), false)
	require.NotErrorIs(t, err, client.ErrUnknown)
	require.Error(t, err)
}

// A node that takes connections and says nothing must not hold a client up.
func TestASilentNodeIsLeft(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	c := open(t, cluster, func(o *client.Options) {
		o.Addresses = append([]string{silent.Addr().String()}, o.Addresses...)
		o.Silence = 20 * time.Millisecond
	})
	shop(t, c)
}

func TestLoginsThatFail(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	_, err := client.Open(t.Context(), client.Options{
		Addresses: cluster.Addresses(), User: "viewstamp", Password: "wrong",
	})
	require.EqualError(t, err, "log in: invalid_credentials")
	for name, options := range map[string]client.Options{
		"no address, expected host:port":          {User: "a"},
		`address "there", expected host:port`:     {User: "a", Addresses: []string{"there"}},
		"expected a user and a password, or a to": {Addresses: cluster.Addresses()},
	} {
		_, err := client.Open(t.Context(), options)
		require.ErrorContains(t, err, name)
	}
	cluster.Stop(0)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client.Open(ctx, client.Options{
		Addresses: cluster.Addresses(), User: "viewstamp", Password: "secret",
	})
	require.ErrorContains(t, err, "open client: cluster_metadata: nothing was done")
}

func TestProducerAndConsumer(t *testing.T) {
	t.Parallel()
	cluster := start(t, 1)
	c := open(t, cluster, nil)
	shop(t, c)
	p := c.NewProducer(orders, client.ProducerOptions{Messages: 10})
	var results []<-chan client.Sent
	for i := range 95 {
		result, err := p.Send(fmt.Append(nil, "message ", i))
		require.NoError(t, err)
		results = append(results, result)
	}
	require.NoError(t, p.Close(t.Context()))
	_, err := p.Send([]byte("late"))
	require.ErrorContains(t, err, "the producer is closed")
	for i, result := range results {
		assert.Equal(t, client.Sent{Offset: uint64(i)}, <-result)
	}

	options := client.ConsumerOptions{
		ID: protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("billing")}, Count: 40,
	}
	consumer := c.NewConsumer(orders, options)
	got, err := consumer.Next(t.Context())
	require.NoError(t, err)
	assert.Len(t, got, 40)
	require.NoError(t, consumer.Commit(t.Context()))
	_, err = consumer.Poll(t.Context()) // Read, and not committed.
	require.NoError(t, err)

	again := c.NewConsumer(orders, options)
	got, err = again.Poll(t.Context())
	require.NoError(t, err)
	assert.Equal(t, uint64(40), got[0].Offset)
	again.Seek(94)
	got, err = again.Poll(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"94 message 94"}, texts(got))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = again.Next(ctx)
	require.Error(t, err)
}

// The histories that clients record are those that the checker reads, and they are true: so
// is the violation that is planted in one.
func TestRecordedHistoriesAreChecked(t *testing.T) {
	t.Parallel()
	cluster := start(t, 3)
	recorder := &client.Recorder{}
	done := make(chan error)
	for i := range 4 {
		c := open(t, cluster, func(o *client.Options) { o.Recorder = recorder })
		go func() { done <- work(t.Context(), c, cluster, i) }()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
	for _, model := range []lin.Model{lin.Metadata, lin.Partition, lin.Offsets} {
		path := filepath.Join(t.TempDir(), "history.jsonl")
		require.NoError(t, lin.WriteFile(path, recorder.History(model)))
		history, err := lin.ReadFile(path)
		require.NoError(t, err)
		require.Greater(t, len(history.Operations), 30)
		assert.Equal(t, lin.Linearizable, verdict(t, history), "%s", model)
		if model == lin.Partition {
			plantLoss(history)
			assert.Equal(t, lin.Violation, verdict(t, history))
		}
	}
}

func verdict(t *testing.T, history *lin.History) lin.Verdict {
	t.Helper()
	report, err := lin.Check(t.Context(), history, lin.CheckOptions{Workers: 1, StepsMax: 1_000_000})
	require.NoError(t, err)
	return report.Verdict
}

// plantLoss takes a record out of the first poll that has several.
func plantLoss(history *lin.History) {
	for i := range history.Operations {
		if o := &history.Operations[i]; len(o.Output.Values) > 1 {
			o.Output.Values = o.Output.Values[1:]
			return
		}
	}
}

func work(ctx context.Context, c *client.Client, cluster *clienttest.Cluster, id int) error {
	consumer := protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("billing")}
	for i := range 15 {
		_, err := c.CreateStream(ctx, "shop")
		if err != nil && !errors.Is(err, client.StatusError(protocol.StatusStreamExists)) {
			return err
		}
		_, err = c.CreateTopic(ctx, orders.Stream, "orders", 3)
		if err != nil && !errors.Is(err, client.StatusError(protocol.StatusTopicExists)) {
			return err
		}
		if i%5 == id {
			cluster.Inject(clienttest.Fault{Code: protocol.CodeSend, Lose: true},
				clienttest.Fault{Code: protocol.CodeCreateStream, Lose: true})
		}
		if _, _, err := c.Stream(ctx, orders.Stream, client.Linearizable); err != nil {
			return err
		}
		text := fmt.Sprintf("%d/%d", id, i)
		_, err = c.Send(ctx, orders, messages(noTest{}, text, text+"'"), false)
		if err != nil && !errors.Is(err, client.ErrUnknown) {
			return err
		}
		level := client.Linearizable
		if i%3 == 0 {
			level = client.Local
		}
		if _, err = c.Poll(ctx, orders, consumer,
			client.PollFrom{Strategy: protocol.FromOffset}, 20, false, level); err != nil {
			return err
		}
		if err := c.StoreOffset(ctx, orders, consumer, 0); err != nil &&
			!errors.Is(err, client.StatusError(protocol.StatusInvalidOffset)) {
			return err
		}
		if _, _, err := c.StoredOffset(ctx, orders, consumer, client.Linearizable); err != nil {
			return err
		}
		err = c.DeleteOffset(ctx, orders, consumer)
		if err != nil && !errors.Is(err, client.StatusError(protocol.StatusOffsetNotFound)) {
			return err
		}
	}
	return nil
}

// noTest panics where a test would fail: a goroutine may not fail one.
type noTest struct{}

func (noTest) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (noTest) FailNow()                          { panic("failed") }
