package node_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/client"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// Members of a consumer group read each message once between them; the partitions of one that is
// gone are given to those that stay.
func TestProcessConsumerGroupsShareATopic(t *testing.T) {
	t.Parallel()
	p := newProcessesAs(t, 3, layout{more: func(int) string {
		return "[clients]\nmember_absence = \"1s\"\n"
	}})
	p.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	open := func(at int) *client.Client {
		c, err := client.Open(ctx, client.Options{
			Addresses: p.clients[at : at+1], User: "root", Password: rootPassword,
		})
		require.NoError(t, err)
		return c
	}
	a, b, dead := open(0), open(1), open(2)
	defer a.Close()
	stream, topic := protocol.Named("s"), protocol.Named("t")
	_, err := a.CreateStream(ctx, "s")
	require.NoError(t, err)
	_, err = a.CreateTopic(ctx, stream, "t", 4)
	require.NoError(t, err)
	_, err = a.CreateGroup(ctx, stream, topic, "g")
	require.NoError(t, err)
	group := protocol.GroupRef{Stream: stream, Topic: topic, Group: protocol.Named("g")}
	for partition := range uint32(4) {
		var messages batch.Builder
		require.NoError(t, messages.Append(batch.Message{Payload: fmt.Append(nil, partition)}))
		_, err := a.Send(ctx, client.Partition{Stream: stream, Topic: topic, ID: partition},
			messages.Bytes(), false)
		require.NoError(t, err)
	}
	as := protocol.Consumer{Kind: protocol.Group, ID: protocol.Named("g")}
	poll := func(c *client.Client, partition uint32) (client.Polled, error) {
		return c.Poll(ctx, client.Partition{Stream: stream, Topic: topic, ID: partition}, as,
			client.PollFrom{Strategy: protocol.FromNext}, 10, true, client.Linearizable)
	}
	_, err = poll(b, 0)
	require.ErrorIs(t, err, client.StatusError(protocol.StatusMemberNotFound))
	require.NoError(t, a.JoinGroup(ctx, group))
	require.NoError(t, b.JoinGroup(ctx, group))
	seen := map[string]int{}
	for _, c := range []*client.Client{a, b} {
		share, err := c.SyncGroup(ctx, group)
		require.NoError(t, err)
		require.Len(t, share.Partitions, 2)
		for partition := range uint32(4) {
			polled, err := poll(c, partition)
			require.NoError(t, err)
			for _, m := range polled.Messages {
				seen[string(m.Payload)]++
			}
		}
	}
	assert.Equal(t, map[string]int{"0": 1, "1": 1, "2": 1, "3": 1}, seen)
	b.Close() // It does not come back.
	theOthers := func(what string) {
		t.Helper()
		p.eventually(what, func() bool {
			share, err := a.SyncGroup(ctx, group)
			return err == nil && len(share.Partitions) == 4
		})
	}
	theOthers("its partitions are the other's")
	require.NoError(t, dead.JoinGroup(ctx, group))
	share, err := a.SyncGroup(ctx, group)
	require.NoError(t, err)
	require.Len(t, share.Partitions, 2)
	p.kill(2) // The process dies, and its member is not heard of any more.
	dead.Close()
	theOthers("the partitions of a member whose process died are the other's")
}
