package metadata_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// smallLimits are reached by a few ops.
var smallLimits = metadata.Limits{
	Streams: 3, Topics: 2, TopicPartitions: 4, Partitions: 7, ConsumerGroups: 2, Users: 3,
	Tokens: 2, OptionBytes: 100, PermissionBytes: 30,
}

// naive is the catalogue once more, in the plainest way: lists that are searched from the front.
type naive struct {
	streams                         []*naiveStream
	users                           []*naiveUser
	nextStream, nextUser, nextGroup uint32
}

type naiveStream struct {
	streamSeen
	topics    []*naiveTopic
	nextTopic uint32
}

type naiveTopic struct {
	topicSeen
	partitions []naivePartition
	options    []naiveOption
	groups     []groupSeen
	nextGroup  uint32
}

type naivePartition struct {
	group   uint32
	created uint64
	purges  uint64
}

func (t *naiveTopic) purge() {
	for i := range t.partitions {
		t.partitions[i].purges++
	}
}

// naiveOption is an option of a topic. It cannot change later if it is fixed, and not be chosen at
// all if it is refused.
type naiveOption struct {
	key            string
	raw            string
	expiry         uint64
	fixed, refused bool
}

// naiveOptions are those that steps draw.
var naiveOptions = []naiveOption{
	{
		key: "message_expiry", expiry: 5,
		raw: string(option("message_expiry", kindUint64, uint64(5))),
	},
	{
		key: "message_expiry", expiry: 6,
		raw: string(option("message_expiry", kindText, text("6"))),
	},
	{
		key: "durability", fixed: true,
		raw: string(option("durability", kindText, text("persisted"))),
	},
	{key: "enforce_fsync", refused: true, raw: string(option("enforce_fsync", kindBool, uint8(7)))},
}

// refusesOptions says whether one of the options cannot be chosen, or not now.
func refusesOptions(all []naiveOption, creating bool) bool {
	return slices.ContainsFunc(all, func(o naiveOption) bool {
		return o.refused || o.fixed && !creating
	})
}

// choose replaces options by those of the same key, and adds the others.
func (t *naiveTopic) choose(chosen []naiveOption) {
	for _, o := range chosen {
		at := slices.IndexFunc(t.options, func(p naiveOption) bool { return p.key == o.key })
		if at < 0 {
			t.options = append(t.options, o)
		} else {
			t.options[at] = o
		}
	}
}

type naiveUser struct {
	userSeen
	hash   string
	tokens []naiveToken
}

type naiveToken struct {
	tokenSeen
	digest credentials.Digest
}

func newNaive() *naive {
	root := &naiveUser{userSeen: userSeen{status: 1, name: metadata.RootName}}
	return &naive{users: []*naiveUser{root}, nextStream: 1, nextUser: 1, nextGroup: 1}
}

// who says by id or by name what a request is about.
type who struct {
	id   uint32
	name string
}

func (w who) ident() any {
	if w.name != "" {
		return named(w.name)
	}
	return id(w.id)
}

func (w who) is(id uint32, name string) bool {
	if w.name != "" {
		return w.name == name
	}
	return w.id == id
}

// step is one request. Which fields count depends on the operation.
type step struct {
	op                         wire.Operation
	at                         uint64
	stream, topic, group, user who
	name                       string
	count                      uint32
	expiry                     uint64
	digest                     byte
	status                     uint8
	current, hash              string
	options                    []naiveOption
}

// body is the request as a client and [metadata.Admit] make it.
func (s *step) body() []byte {
	stream, topic, user := s.stream.ident(), s.topic.ident(), s.user.ident()
	switch s.op {
	case opCreateStream:
		return body(s.name)
	case opUpdateStream:
		return body(stream, s.name)
	case opDeleteStream, opPurgeStream:
		return body(stream)
	case opCreateTopic:
		return body(stream, s.count, s.name, s.rawOptions())
	case opUpdateTopic:
		return body(stream, topic, s.name, s.rawOptions())
	case opDeleteTopic, opPurgeTopic:
		return body(stream, topic)
	case opCreatePartitions, opDeletePartitions:
		return body(stream, topic, s.count)
	case opCreateGroup:
		return body(stream, topic, s.name)
	case opDeleteGroup:
		return body(stream, topic, s.group.ident())
	case opCreateUser:
		return body(s.name, s.hash, s.status, uint8(0))
	case opUpdateUser:
		return body(user, uint8(1), s.name, uint8(1), s.status)
	case opDeleteUser:
		return body(user)
	case opChangePassword:
		return body(user, s.current, s.hash)
	case opCreateToken:
		return body(s.name, s.expiry, s.digestOf())
	case opDeleteToken:
		return body(s.name)
	}
	panic("no body of " + s.op.String())
}

func (s *step) rawOptions() (all []byte) {
	for _, o := range s.options {
		all = append(all, o.raw...)
	}
	return all
}

func (s *step) digestOf() credentials.Digest { return credentials.DigestOf(string(rune(s.digest))) }

var drawnOps = []wire.Operation{
	opCreateStream, opUpdateStream, opDeleteStream, opPurgeStream, opCreateTopic, opCreateTopic,
	opUpdateTopic, opDeleteTopic, opPurgeTopic, opCreatePartitions, opDeletePartitions,
	opCreateGroup, opDeleteGroup, opCreateUser, opUpdateUser, opDeleteUser, opChangePassword,
	opCreateToken, opDeleteToken,
}

// drawStep draws a request at most two microseconds after the last one.
func drawStep(t *rapid.T, last uint64) step {
	names := rapid.SampledFrom([]string{
		"a", "b", "c", "a", "b", "c", "", "\xff", strings.Repeat("n", 255), metadata.RootName,
	})
	whos := rapid.Custom(func(t *rapid.T) who {
		if rapid.Bool().Draw(t, "by id") {
			return who{id: rapid.Uint32Range(0, 5).Draw(t, "id")}
		}
		return who{name: rapid.SampledFrom([]string{"a", "b", "c", "nobody"}).Draw(t, "name")}
	})
	hashes := rapid.SampledFrom([]string{hashOne, hashTwo, hashOne, hashTwo, "one", ""})
	return step{
		op: rapid.SampledFrom(drawnOps).Draw(t, "op"),
		at: last + rapid.Uint64Range(1, 2).Draw(t, "after"), name: names.Draw(t, "name"),
		stream: whos.Draw(t, "stream"), topic: whos.Draw(t, "topic"),
		group: whos.Draw(t, "group"), user: whos.Draw(t, "user"),
		count:  rapid.Uint32Range(0, 5).Draw(t, "count"),
		expiry: rapid.SampledFrom([]uint64{0, 1, 3, metadata.Unlimited, 1<<64 - 2}).Draw(t, "expiry"),
		digest: byte('0' + rapid.IntRange(0, 4).Draw(t, "digest")),
		status: rapid.Uint8Range(0, 3).Draw(t, "status"),
		hash:   hashes.Draw(t, "hash"), current: hashes.Draw(t, "current"),
		options: rapid.SliceOfN(rapid.SampledFrom(naiveOptions), 0, 2).Draw(t, "options"),
	}
}

func (n *naive) stream(w who) *naiveStream {
	for _, s := range n.streams {
		if w.is(s.id, s.name) {
			return s
		}
	}
	return nil
}

func (s *naiveStream) topic(w who) *naiveTopic {
	for _, t := range s.topics {
		if w.is(t.id, t.name) {
			return t
		}
	}
	return nil
}

func (n *naive) user(w who) *naiveUser {
	for _, u := range n.users {
		if w.is(u.id, u.name) {
			return u
		}
	}
	return nil
}

func missing(w who, byID, byName uint32) uint32 {
	if w.name != "" {
		return byName
	}
	return byID
}

// malformed says whether the step has no form that can be read.
func (s *step) malformed() bool {
	bad := s.name == "" || s.name == "\xff"
	switch s.op {
	case opCreateUser, opUpdateUser:
		return bad || s.status != 1 && s.status != 2
	case opCreateTopic, opUpdateTopic:
		twice := len(s.options) == 2 && s.options[0].key == s.options[1].key
		return bad || twice
	case opCreateStream, opUpdateStream, opCreateGroup, opCreateToken, opDeleteToken:
		return bad
	}
	return false
}

// apply does the step and returns its result code.
func (n *naive) apply(s *step) uint32 {
	switch {
	case s.malformed():
		return 4
	case s.op == opCreateStream:
		return n.createStream(s)
	case s.op <= opPurgeStream:
		return n.changeStream(s)
	case s.op == opCreateTopic:
		return n.createTopic(s)
	case s.op <= opDeleteGroup:
		return n.changeTopic(s)
	case s.op == opCreateUser:
		return n.createUser(s)
	case s.op <= opChangePassword:
		return n.changeUser(s)
	}
	return n.changeTokens(s)
}

func (n *naive) createStream(s *step) uint32 {
	if n.stream(who{name: s.name}) != nil {
		return 1012
	}
	if len(n.streams) == 3 {
		return 1020
	}
	n.streams = append(n.streams, &naiveStream{
		streamSeen: streamSeen{id: n.nextStream, created: s.at, name: s.name}, nextTopic: 1,
	})
	n.nextStream++
	return 0
}

func (n *naive) changeStream(s *step) uint32 {
	stream := n.stream(s.stream)
	if stream == nil {
		return missing(s.stream, 1009, 1010)
	}
	switch s.op {
	case opUpdateStream:
		other := n.stream(who{name: s.name})
		if other != nil && other != stream {
			return 1012
		}
		stream.name = s.name
	case opDeleteStream:
		n.streams = slices.DeleteFunc(n.streams, func(s *naiveStream) bool { return s == stream })
	case opPurgeStream:
		for _, t := range stream.topics {
			t.purge()
		}
	}
	return 0
}

func (n *naive) partitions() int {
	count := 0
	for _, s := range n.streams {
		for _, t := range s.topics {
			count += len(t.partitions)
		}
	}
	return count
}

func (n *naive) addPartitions(t *naiveTopic, at uint64, count uint32) {
	for range count {
		t.partitions = append(t.partitions, naivePartition{group: n.nextGroup, created: at})
		n.nextGroup++
	}
}

func (n *naive) createTopic(s *step) uint32 {
	stream := n.stream(s.stream)
	if stream == nil {
		return missing(s.stream, 1009, 1010)
	}
	taken := stream.topic(who{name: s.name}) != nil
	if taken {
		return 2013
	}
	if refusesOptions(s.options, true) {
		return 4
	}
	if s.count > 4 || n.partitions()+int(s.count) > 7 {
		return 2015
	}
	if len(stream.topics) == 2 {
		return 2099
	}
	t := &naiveTopic{
		topicSeen: topicSeen{id: stream.nextTopic, created: s.at, name: s.name}, nextGroup: 1,
	}
	t.choose(s.options)
	stream.nextTopic++
	n.addPartitions(t, s.at, s.count)
	stream.topics = append(stream.topics, t)
	return 0
}

func (n *naive) changeTopic(s *step) uint32 {
	stream := n.stream(s.stream)
	if stream == nil {
		return missing(s.stream, 1009, 1010)
	}
	t := stream.topic(s.topic)
	if t == nil {
		return missing(s.topic, 2010, 2011)
	}
	switch s.op {
	case opUpdateTopic:
		other := stream.topic(who{name: s.name})
		if other != nil && other != t {
			return 2013
		}
		if refusesOptions(s.options, false) {
			return 4
		}
		t.name = s.name
		t.choose(s.options)
	case opDeleteTopic:
		stream.topics = slices.DeleteFunc(stream.topics, func(o *naiveTopic) bool { return o == t })
	case opPurgeTopic:
		t.purge()
	case opCreatePartitions:
		if s.count == 0 {
			return 2019
		}
		if len(t.partitions)+int(s.count) > 4 || n.partitions()+int(s.count) > 7 {
			return 2015
		}
		n.addPartitions(t, s.at, s.count)
	case opDeletePartitions:
		if s.count == 0 {
			return 2019
		}
		t.partitions = t.partitions[:max(len(t.partitions)-int(s.count), 0)]
	default:
		return t.changeGroups(s)
	}
	return 0
}

func (t *naiveTopic) changeGroups(s *step) uint32 {
	find := func(w who) int {
		return slices.IndexFunc(t.groups, func(g groupSeen) bool { return w.is(g.id, g.name) })
	}
	if s.op == opDeleteGroup {
		at := find(s.group)
		if at < 0 {
			return missing(s.group, 5000, 5003)
		}
		t.groups = slices.Delete(t.groups, at, at+1)
		return 0
	}
	if find(who{name: s.name}) >= 0 {
		return 5004
	}
	if len(t.groups) == 2 {
		return 5099
	}
	t.groups = append(t.groups, groupSeen{id: t.nextGroup, name: s.name})
	t.nextGroup++
	return 0
}
