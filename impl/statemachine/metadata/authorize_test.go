package metadata_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// permitted returns a catalogue of two streams with two topics of one partition each, and a user
// 1 with the permissions. Streams and topics are 1 and 2, groups 1 to 4.
func permitted(t *testing.T, p *protocol.Permissions) *metadata.Machine {
	m := metadata.New(metadata.DefaultLimits())
	for _, stream := range []string{"a", "b"} {
		code, _ := run(t, m, 1, opCreateStream, body(stream))
		require.Zero(t, code)
		for _, topic := range []string{"x", "y"} {
			code, _ = run(t, m, 1, opCreateTopic, body(named(stream), uint32(1), topic))
			require.Zero(t, code)
			code, _ = run(t, m, 1, opCreateGroup, body(named(stream), named(topic), "g"))
			require.Zero(t, code)
		}
	}
	code, _ := run(t, m, 2, opCreateUser, protocol.MustAppend(nil, &protocol.CreateUser{
		Name: "ann", Password: hashOne, Status: protocol.UserActive, Permissions: p,
	}))
	require.Zero(t, code)
	return m
}

// rights says for each kind of action where user 1 may do it, in a fixed order.
func rights(t *testing.T, p *protocol.Permissions) map[string]string {
	found := map[string]string{}
	note := func(right, place string, status protocol.Status) {
		require.Contains(t,
			[]protocol.Status{protocol.StatusOK, protocol.StatusUnauthorized}, status)
		if status == protocol.StatusOK {
			found[right] += place
		}
	}
	do := func(right, place string, op wire.Operation, parts ...any) {
		code, _ := runAs(t, permitted(t, p), 1, 3, op, body(parts...))
		note(right, place, protocol.Status(code))
	}
	see := func(right, place string, code uint32, parts ...any) {
		_, status := permitted(t, p).QueryAs(1, code, body(parts...))
		note(right, place, status)
	}
	do("create stream", "*", 128, "c")
	see("list streams", "*", codeListStream)
	do("change users", "*", 143, id(1))
	see("read users", "*", codeListUsers)
	for s, stream := range []string{"a", "b"} {
		do("change stream", stream, 131, named(stream))
		see("read stream", stream, codeGetStream, named(stream))
		do("create topic", stream, 132, named(stream), uint32(0), "z")
		see("list topics", stream, codeListTopics, named(stream))
		for i, topic := range []string{"x", "y"} {
			place := stream + topic
			do("change topic", place, 136, named(stream), named(topic), uint32(1))
			see("read topic", place, codeGetTopic, named(stream), named(topic))
			do("delete group", place, 140, named(stream), named(topic), named("g"))
			m := permitted(t, p)
			group, exists := m.Group(wire.GroupID(1 + 2*s + i))
			require.True(t, exists)
			note("poll", place, m.MayPoll(1, group))
			note("send", place, m.MaySend(1, group))
		}
	}
	return found
}

const (
	bothStreams = "ab"
	allTopics   = "axaybxby"
	topicsOfA   = "axay"
)

func TestPermissions(t *testing.T) {
	t.Parallel()
	type (
		global = protocol.GlobalPermissions
		rows   = map[string]string
	)
	everywhere := func(g global) *protocol.Permissions {
		return &protocol.Permissions{GlobalPermissions: g}
	}
	inA := func(s protocol.StreamPermissions) *protocol.Permissions {
		s.Stream = 1
		return &protocol.Permissions{Streams: []protocol.StreamPermissions{s}}
	}
	inAX := func(p protocol.TopicPermissions) *protocol.Permissions {
		p.Topic = 1
		return inA(protocol.StreamPermissions{Topics: []protocol.TopicPermissions{p}})
	}
	for name, tc := range map[string]struct {
		permissions *protocol.Permissions
		want        rows
	}{
		"nobody gave any": {nil, rows{}},
		"none":            {everywhere(global{}), rows{}},
		"servers are not here": {
			everywhere(global{ManageServers: true, ReadServers: true}), rows{},
		},
		"users can be changed": {
			everywhere(global{ManageUsers: true}), rows{"change users": "*", "read users": "*"},
		},
		"users can be read": {everywhere(global{ReadUsers: true}), rows{"read users": "*"}},
		"everything but users": {everywhere(global{ManageStreams: true}), rows{
			"create stream": "*", "list streams": "*", "change stream": bothStreams,
			"read stream": bothStreams, "create topic": bothStreams, "list topics": bothStreams,
			"change topic": allTopics, "read topic": allTopics, "delete group": allTopics,
			"poll": allTopics, "send": allTopics,
		}},
		"all streams can be read": {everywhere(global{ReadStreams: true}), rows{
			"list streams": "*", "read stream": bothStreams, "list topics": bothStreams,
			"read topic": allTopics, "delete group": allTopics, "poll": allTopics,
		}},
		"all topics can be changed": {everywhere(global{ManageTopics: true}), rows{
			"create topic": bothStreams, "list topics": bothStreams, "change topic": allTopics,
			"read topic": allTopics, "delete group": allTopics, "poll": allTopics,
			"send": allTopics,
		}},
		"all topics can be read": {everywhere(global{ReadTopics: true}), rows{
			"list topics": bothStreams, "read topic": allTopics, "delete group": allTopics,
			"poll": allTopics,
		}},
		"all can be polled":  {everywhere(global{Poll: true}), rows{"poll": allTopics}},
		"all can be sent to": {everywhere(global{Send: true}), rows{"send": allTopics}},
		"one stream": {inA(protocol.StreamPermissions{ManageStream: true}), rows{
			"change stream": "a", "read stream": "a", "create topic": "a", "list topics": "a",
			"change topic": topicsOfA, "read topic": topicsOfA, "delete group": topicsOfA,
			"poll": topicsOfA, "send": topicsOfA,
		}},
		"one stream can be read": {inA(protocol.StreamPermissions{ReadStream: true}), rows{
			"read stream": "a", "list topics": "a", "read topic": topicsOfA,
			"delete group": topicsOfA, "poll": topicsOfA,
		}},
		"the topics of one stream": {inA(protocol.StreamPermissions{ManageTopics: true}), rows{
			"create topic": "a", "list topics": "a", "change topic": topicsOfA,
			"read topic": topicsOfA, "delete group": topicsOfA, "poll": topicsOfA,
			"send": topicsOfA,
		}},
		"the topics of one stream can be read": {
			inA(protocol.StreamPermissions{ReadTopics: true}), rows{
				"list topics": "a", "read topic": topicsOfA, "delete group": topicsOfA,
				"poll": topicsOfA,
			},
		},
		"one stream can be polled": {
			inA(protocol.StreamPermissions{Poll: true}), rows{"poll": topicsOfA},
		},
		"one stream can be sent to": {
			inA(protocol.StreamPermissions{Send: true}), rows{"send": topicsOfA},
		},
		"one topic": {inAX(protocol.TopicPermissions{ManageTopic: true}), rows{
			"change topic": "ax", "read topic": "ax", "delete group": "ax", "poll": "ax",
			"send": "ax",
		}},
		"one topic can be read": {inAX(protocol.TopicPermissions{ReadTopic: true}), rows{
			"read topic": "ax", "delete group": "ax", "poll": "ax",
		}},
		"one topic can be polled": {
			inAX(protocol.TopicPermissions{Poll: true}), rows{"poll": "ax"},
		},
		"one topic can be sent to": {
			inAX(protocol.TopicPermissions{Send: true}), rows{"send": "ax"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, rights(t, tc.permissions))
		})
	}
}

// What is not there is said before what is not allowed.
func TestWhatIsMissingIsSaidFirst(t *testing.T) {
	t.Parallel()
	m := permitted(t, nil)
	for name, tc := range map[string]struct {
		op    wire.Operation
		parts []any
		code  uint32
	}{
		"no stream of the id":    {130, []any{id(9)}, 1009},
		"no stream of the name":  {130, []any{named("z")}, 1010},
		"no topic of the id":     {134, []any{id(1), id(9)}, 2010},
		"no topic of the name":   {134, []any{id(1), named("z")}, 2011},
		"no group of the id":     {140, []any{id(1), id(1), id(9)}, 5000},
		"no group of the name":   {140, []any{id(1), id(1), named("z")}, 5003},
		"no user":                {143, []any{id(9)}, 20},
		"a stream that is there": {130, []any{id(1)}, 41},
		"a topic that is there":  {134, []any{id(1), id(1)}, 41},
		"a group that is there":  {140, []any{id(1), id(1), id(1)}, 41},
		"members, of a group":    {148, []any{id(1), id(1), id(1)}, 41},
		"segments, of a partition": {
			138, []any{id(1), id(1), uint32(0), uint32(1), uint64(5)}, 41,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := permitted(t, nil).Checksum()
			m := permitted(t, nil)
			code, _ := runAs(t, m, 1, 3, tc.op, body(tc.parts...))
			assert.Equal(t, tc.code, code)
			assert.Equal(t, before, m.Checksum())
		})
	}
	for _, tc := range []struct {
		op    wire.Operation
		parts []any
		code  uint32
	}{
		{148, []any{id(1), id(1), id(1)}, 4}, // It needs a client to join.
		{149, []any{id(1), id(1), id(1)}, 5006},
		{138, []any{id(1), id(1), uint32(0), uint32(1)}, 4},
		{138, []any{id(1), id(1), uint32(0), uint32(1), uint64(5)}, 0},
		{138, []any{id(1), id(1), uint32(1), uint32(1), uint64(5)}, 3007},
		{160, nil, 3},
		{0, nil, 3},
	} {
		code, _ := run(t, m, 3, tc.op, body(tc.parts...))
		assert.Equal(t, tc.code, code, "operation %d, as the root", tc.op)
	}
}

// A user's permissions are for an id: what is created later under the same name has another.
func TestPermissionsDoNotReachWhatCameLater(t *testing.T) {
	t.Parallel()
	m := permitted(t, &protocol.Permissions{Streams: []protocol.StreamPermissions{
		{Stream: 1, ManageStream: true},
	}})
	code, _ := run(t, m, 3, opDeleteStream, body(named("a")))
	require.Zero(t, code)
	code, _ = run(t, m, 4, opCreateStream, body("a"))
	require.Zero(t, code)
	code, _ = runAs(t, m, 1, 5, opDeleteStream, body(named("a")))
	assert.Equal(t, uint32(41), code)
	_, found := m.Group(1)
	assert.False(t, found)
	assert.Equal(t, protocol.StatusUnauthorized, m.MayPoll(1, metadata.Group{ID: 1}))
}
