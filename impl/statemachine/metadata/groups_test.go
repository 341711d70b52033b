package metadata_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var _ statemachine.Machine = (*metadata.Machine)(nil)

// twoTopics has the groups 1 and 2 of topic x, 3 of topic y.
func twoTopics(t *testing.T) *metadata.Machine {
	m := metadata.New(metadata.DefaultLimits())
	run(t, m, 1, opCreateStream, body("s"))
	run(t, m, 2, opCreateTopic, body(id(1), uint32(2), "x"))
	code, _ := run(t, m, 3, opCreateTopic, body(id(1), uint32(1), "y"))
	require.Zero(t, code)
	return m
}

// changed lists changes as kind and group.
func changed(m *metadata.Machine) []string {
	var all []string
	for _, c := range m.TakeChanges() {
		all = append(all, c.Kind.String()+" "+string(rune('0'+c.Group.ID)))
	}
	return all
}

func TestTheFeedSaysWhatBecameOfGroups(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		do   func(m *metadata.Machine)
		want []string
	}{
		"nothing": {func(*metadata.Machine) {}, nil},
		"what has no groups": {func(m *metadata.Machine) {
			run(t, m, 4, opCreateStream, body("r"))
			run(t, m, 4, opCreateGroup, body(id(1), id(1), "g"))
		}, nil},
		"more partitions": {func(m *metadata.Machine) {
			run(t, m, 4, opCreatePartitions, body(id(1), id(1), uint32(2)))
		}, []string{"changed 1", "changed 2", "created 4", "created 5"}},
		"segments to be dropped": {func(m *metadata.Machine) {
			below := func(partition uint32, offset uint64) []byte {
				return body(id(1), id(1), partition, uint32(1), offset)
			}
			run(t, m, 4, opDeleteSegments, below(1, 9))
			run(t, m, 5, opDeleteSegments, below(1, 7)) // Nothing comes back.
			group, found := m.Group(2)
			require.True(t, found)
			require.Equal(t, uint64(9), group.Below)
			status, _ := run(t, m, 6, opDeleteSegments, below(2, 7))
			require.Equal(t, uint32(protocol.StatusPartitionNotFound), status)
			status, _ = run(t, m, 7, opDeleteSegments, below(1, 7)[8:])
			require.Equal(t, uint32(protocol.StatusInvalidFormat), status)
		}, []string{"changed 2"}},
		"fewer partitions: the newest go": {func(m *metadata.Machine) {
			run(t, m, 4, opDeletePartitions, body(id(1), id(1), uint32(1)))
		}, []string{"changed 1", "removed 2"}},
		"no topic any more": {func(m *metadata.Machine) {
			run(t, m, 4, opDeleteTopic, body(id(1), id(1)))
		}, []string{"removed 1", "removed 2"}},
		"no stream any more": {func(m *metadata.Machine) {
			run(t, m, 4, opDeleteStream, body(id(1)))
		}, []string{"removed 1", "removed 2", "removed 3"}},
		"an empty topic": {func(m *metadata.Machine) {
			run(t, m, 4, opPurgeTopic, body(id(1), id(2)))
		}, []string{"changed 3"}},
		"an empty stream": {func(m *metadata.Machine) {
			run(t, m, 4, opPurgeStream, body(id(1)))
		}, []string{"changed 1", "changed 2", "changed 3"}},
		"a partition that came after a purge is whole": {func(m *metadata.Machine) {
			run(t, m, 4, opPurgeTopic, body(id(1), id(2)))
			run(t, m, 5, opCreatePartitions, body(id(1), id(2), uint32(1)))
			group, found := m.Group(4)
			require.True(t, found)
			require.Zero(t, group.Purges)
		}, []string{"changed 3", "created 4"}},
		"what came and went": {func(m *metadata.Machine) {
			run(t, m, 4, opCreatePartitions, body(id(1), id(1), uint32(2)))
			run(t, m, 5, opDeletePartitions, body(id(1), id(1), uint32(2)))
		}, nil},
		"the same place anew is another group": {func(m *metadata.Machine) {
			run(t, m, 4, opDeleteTopic, body(id(1), id(2)))
			run(t, m, 5, opCreateTopic, body(id(1), uint32(1), "y"))
		}, []string{"removed 3", "created 4"}},
		"a refused op": {func(m *metadata.Machine) {
			run(t, m, 4, opCreatePartitions, body(id(1), id(1), uint32(1000)))
		}, nil},
		"a snapshot of the same": {func(m *metadata.Machine) {
			require.NoError(t, m.Restore(m.AppendSnapshot(nil)))
		}, nil},
		"a snapshot of another past": {func(m *metadata.Machine) {
			other := twoTopics(t)
			run(t, other, 4, opDeleteTopic, body(id(1), id(1)))
			run(t, other, 5, opCreateTopic, body(id(1), uint32(1), "z"))
			run(t, other, 6, opPurgeTopic, body(id(1), named("y")))
			require.NoError(t, m.Restore(other.AppendSnapshot(nil)))
		}, []string{"removed 1", "removed 2", "changed 3", "created 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := twoTopics(t)
			assert.Equal(t, []string{"created 1", "created 2", "created 3"}, changed(m))
			tc.do(m)
			assert.Equal(t, tc.want, changed(m))
			assert.Empty(t, changed(m))
		})
	}
	assert.Equal(t, "change(9)", metadata.ChangeKind(9).String())
}

func TestFindingAPartition(t *testing.T) {
	t.Parallel()
	m := twoTopics(t)
	in := func(topic string) protocol.TopicRef {
		return protocol.TopicRef{Stream: protocol.ID(1), Topic: protocol.Named(topic)}
	}
	group, status := m.FindPartition(in("x"), 1)
	require.Equal(t, protocol.StatusOK, status)
	assert.Equal(t, metadata.Group{
		ID: 2, Stream: 1, Topic: 1, Partition: 1, Created: 2,
		Options: metadata.DefaultTopicOptions(), Partitions: 2,
	}, group)
	_, status = m.FindPartition(in("x"), 2)
	assert.Equal(t, protocol.StatusPartitionNotFound, status)
	_, status = m.FindPartition(in("z"), 0)
	assert.Equal(t, protocol.StatusTopicNameNotFound, status)
	_, found := m.Group(metadata.MetadataGroup)
	assert.False(t, found)

	run(t, m, 4, opCreateGroup, body(id(1), named("y"), "g"))
	y := func(name string) protocol.GroupRef {
		return protocol.GroupRef{
			Stream: protocol.ID(1), Topic: protocol.Named("y"), Group: protocol.Named(name),
		}
	}
	consumers, status := m.FindGroup(y("g"))
	assert.Equal(t, protocol.StatusOK, status)
	assert.Equal(t, uint32(1), consumers)
	_, status = m.FindGroup(y("h"))
	assert.Equal(t, protocol.StatusGroupNameNotFound, status)
	_, status = m.FindGroup(protocol.GroupRef{Stream: protocol.ID(9)})
	assert.Equal(t, protocol.StatusStreamIDNotFound, status)
}

// Sizes are lent to answers, and to nothing that enters the log.
func TestFiguresAreForAnswersOnly(t *testing.T) {
	t.Parallel()
	m, bare := twoTopics(t), twoTopics(t)
	m.SetFigures(func(group wire.GroupID) metadata.PartitionFigures {
		n := uint64(group)
		return metadata.PartitionFigures{
			Segments: uint32(n), Current: 10 * n, Bytes: 100 * n, Messages: 1000 * n,
		}
	})
	require.NoError(t, m.Restore(m.AppendSnapshot(nil)), "they outlive a restore")
	stream := ask(t, m, codeListStream, nil).stream()
	assert.Equal(t, uint64(600), stream.size)
	assert.Equal(t, uint64(6000), stream.count)
	p := ask(t, m, codeGetTopic, body(id(1), named("x")))
	topic := p.topic()
	assert.Equal(t, uint64(300), topic.size)
	assert.Equal(t, uint64(3000), topic.count)
	assert.Equal(t, partitionSeen{0, 2, 1, 10, 100, 1000}, p.partition())
	assert.Equal(t, partitionSeen{1, 2, 2, 20, 200, 2000}, p.partition())
	create := &wire.Prepare{
		Header: wire.PrepareHeader{Operation: opCreateTopic, Timestamp: 4},
		Body:   body(id(1), uint32(2), "z"),
	}
	assert.Equal(t, bare.Execute(create), m.Execute(create))
	assert.Equal(t, bare.Checksum(), m.Checksum())
}

func TestQueriesAreRefusedByStatus(t *testing.T) {
	t.Parallel()
	m := twoTopics(t)
	for name, tc := range map[string]struct {
		code   uint32
		body   []byte
		status protocol.Status
	}{
		"a code of nobody":          {9999, nil, protocol.StatusInvalidCommand},
		"a code of another":         {100, nil, protocol.StatusInvalidCommand},
		"a body that is none":       {codeGetStream, []byte{1}, protocol.StatusInvalidFormat},
		"a body where none is":      {codeListStream, []byte{1}, protocol.StatusInvalidFormat},
		"topics of no stream":       {codeListTopics, body(id(9)), protocol.StatusStreamIDNotFound},
		"groups of no topic":        {codeListGroups, body(id(1), id(9)), protocol.StatusTopicIDNotFound},
		"a stream that is not":      {codeGetStream, body(id(9)), protocol.StatusOK},
		"a topic that is not":       {codeGetTopic, body(id(1), id(9)), protocol.StatusOK},
		"a group that is not":       {codeGetGroup, body(id(1), id(1), id(9)), protocol.StatusOK},
		"a group of no topic":       {codeGetGroup, body(id(1), id(9), id(9)), protocol.StatusOK},
		"a user who is not":         {codeGetUser, body(id(9)), protocol.StatusOK},
		"no tokens":                 {codeListTokens, nil, protocol.StatusOK},
		"a code after a read index": {codeGetStream | 1<<31, body(id(9)), protocol.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			payload, status := twoTopics(t).QueryAs(metadata.RootID, tc.code, tc.body)
			assert.Equal(t, tc.status, status)
			assert.Empty(t, payload)
		})
	}
	assert.Nil(t, m.Query(9999, nil))
	assert.NotEmpty(t, m.Query(codeListStream, nil))
}
