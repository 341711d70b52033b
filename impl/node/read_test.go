package node_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// What one client was told is what another finds, at whichever process it asks: messages,
// offsets, streams, and where to send to.
func TestProcessReadsAtAnyProcessShowWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	var at []*tester
	for i := range 3 {
		at = append(at, newTester(p.clients[i:i+1], rootPassword))
		_, err := at[i].do(protocol.CodeListStreams, nil)
		require.NoError(t, err)
	}
	for n := range 9 {
		writer, reader := at[n%3], at[(n+1+n/3%2)%3]
		stream := fmt.Sprintf("s%d", n)
		require.NoError(t, writer.createTopic(stream, 1, "replicated"))
		found, err := reader.do(protocol.CodeGetTopic.Linearizable(), &protocol.TopicRef{
			Stream: protocol.Named(stream), Topic: protocol.Named(topicName),
		})
		require.NoError(t, err)
		assert.NotEmpty(t, found, "topic %s", stream)
		_, err = reader.send(stream, 0, "first", "second")
		require.NoError(t, err)
		messages, err := writer.pollStrictly(stream, 0, 10)
		require.NoError(t, err)
		assert.Equal(t, []string{"first", "second"}, messages)
		offset := protocol.GetOffset{
			Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.ID(1)},
			Stream:   protocol.Named(stream), Topic: protocol.Named(topicName),
			Partition: protocol.InPartition(0),
		}
		_, err = reader.do(protocol.CodeStoreOffset, &protocol.StoreOffset{
			GetOffset: offset, Offset: 1, Quorum: true,
		})
		require.NoError(t, err)
		payload, err := writer.do(protocol.CodeGetOffset.Linearizable(), &offset)
		require.NoError(t, err)
		var stored protocol.OffsetReply
		require.NoError(t, protocol.Decode(payload, &stored))
		assert.Equal(t, uint64(1), stored.Stored)
	}
	_, err := at[0].pollStrictly("nowhere", 0, 1)
	require.ErrorContains(t, err, "no stream")
	_, err = at[0].pollStrictly("s0", 7, 1)
	require.ErrorContains(t, err, "no such partition")
}
