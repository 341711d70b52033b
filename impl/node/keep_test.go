package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// chunk is a message of which four fill a segment of the smallest size.
var chunk = strings.Repeat("x", 250<<10)

// fill sends messages that fill so many segments, and one more.
func (c *tester) fill(t *testing.T, stream string, segments int) {
	t.Helper()
	for range 4*segments + 1 {
		_, err := c.send(stream, 0, chunk)
		require.NoError(t, err)
	}
}

// state is what the process that the client is at says of the only partition of a topic.
func (c *tester) state(t *testing.T, stream string) protocol.PartitionState {
	t.Helper()
	payload, err := c.do(protocol.CodeGetTopic, &protocol.TopicRef{
		Stream: protocol.Named(stream), Topic: protocol.Named(topicName),
	})
	require.NoError(t, err)
	var details protocol.TopicDetails
	require.NoError(t, protocol.Decode(payload, &details))
	require.Len(t, details.States, 1)
	return details.States[0]
}

// keeps waits until each process has so many messages in the partition.
func (p *processes) keeps(at []*tester, stream string, messages uint64) {
	p.t.Helper()
	for _, c := range at {
		p.eventually("messages are dropped", func() bool {
			return c.state(p.t, stream).Messages == messages
		})
	}
}

// What the metadata decides, and what a topic's options say, reaches the partition's log, on all
// processes: also on one that was down meanwhile.
func TestProcessPurgeAndRetentionReachPartitions(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 3)
	p.startAll()
	c := newTester(p.clients[:1], rootPassword)
	at := []*tester{c}
	for i := 1; i < 3; i++ {
		at = append(at, newTester(p.clients[i:i+1], rootPassword))
	}
	small := protocol.TextOption(protocol.OptionSegmentSize, "1048576")
	require.NoError(t, c.createTopic("whole", 1, "replicated", small))
	c.fill(t, "whole", 3)
	p.keeps(at, "whole", 13)
	assert.Equal(t, uint64(12), c.state(t, "whole").Current)

	ref := protocol.TopicRef{Stream: protocol.Named("whole"), Topic: protocol.Named(topicName)}
	_, err := at[1].do(protocol.CodeDeleteSegments, &protocol.DeleteSegments{
		Stream: ref.Stream, Topic: ref.Topic, Segments: 2,
	})
	require.NoError(t, err)
	p.keeps(at, "whole", 5)
	messages, err := c.pollStrictly("whole", 0, 1)
	require.NoError(t, err)
	require.Len(t, messages, 1)

	p.kill(2)
	_, err = c.do(protocol.CodePurgeTopic, &ref)
	require.NoError(t, err)
	p.keeps(at[:2], "whole", 0)
	offset, err := c.send("whole", 0, "next")
	require.NoError(t, err)
	assert.Equal(t, uint64(13), offset, "offsets go on")
	p.start(2)
	p.ready(2)
	p.keeps(at, "whole", 1)

	require.NoError(t, c.createTopic("bounded", 1, "replicated", small,
		protocol.TextOption(protocol.OptionMaxTopicSize, "2097152")))
	c.fill(t, "bounded", 3)
	p.keeps(at, "bounded", 5) // A full segment and what the last has.

	require.NoError(t, c.createTopic("brief", 1, "replicated", small,
		protocol.TextOption(protocol.OptionExpiry, "1000")))
	c.fill(t, "brief", 2)
	p.keeps(at, "brief", 1) // The last segment stays.
}
