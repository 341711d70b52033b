package metadata_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// seen is all that a client can see of a catalogue, and the groups.
type seen struct {
	streams []streamSeen
	topics  []topicSeen
	// partitions and consumers are of all topics in order.
	partitions []partitionSeen
	consumers  []groupSeen
	users      []userSeen
	tokens     []tokenSeen
	groups     []groupAt
}

type groupAt struct {
	id                       wire.GroupID
	stream, topic, partition uint32
	purges                   uint64
}

func ask(t require.TestingT, m *metadata.Machine, code uint32, body []byte) *parts {
	payload, refused := m.QueryAs(metadata.RootID, code, body)
	require.Zero(t, refused)
	return &parts{t: t, left: payload}
}

// look asks for everything, things by id and by name.
func look(t require.TestingT, m *metadata.Machine) seen {
	var all seen
	for p := ask(t, m, codeListStream, nil); len(p.left) > 0; {
		s := p.stream()
		all.streams = append(all.streams, s)
		byName := ask(t, m, codeGetStream, body(named(s.name)))
		require.Equal(t, s, byName.stream())
		topics := ask(t, m, codeListTopics, body(id(s.id)))
		require.Equal(t, s.topics, topics.u32())
		for range s.topics {
			topic := topics.topic()
			require.Equal(t, topic, byName.topic())
			all.topics = append(all.topics, topic)
			all.topic(t, m, s, topic)
		}
		require.Empty(t, topics.left)
		require.Empty(t, byName.left)
	}
	for p := ask(t, m, codeListUsers, nil); len(p.left) > 0; {
		u := p.user()
		all.users = append(all.users, u)
		require.Equal(t, u, ask(t, m, codeGetUser, body(named(u.name))).user())
	}
	for p := ask(t, m, codeListTokens, nil); len(p.left) > 0; {
		all.tokens = append(all.tokens, p.token())
	}
	for _, g := range m.Groups() {
		at := groupAt{g.ID, g.Stream, g.Topic, g.Partition, g.Purges}
		all.groups = append(all.groups, at)
	}
	return all
}

func (all *seen) topic(t require.TestingT, m *metadata.Machine, s streamSeen, topic topicSeen) {
	one := ask(t, m, codeGetTopic, body(id(s.id), named(topic.name)))
	require.Equal(t, topic, one.topic())
	for range topic.partitions {
		all.partitions = append(all.partitions, one.partition())
	}
	require.Empty(t, one.left)
	for p := ask(t, m, codeListGroups, body(named(s.name), id(topic.id))); len(p.left) > 0; {
		g := p.group()
		all.consumers = append(all.consumers, g)
		require.Equal(t, g,
			ask(t, m, codeGetGroup, body(id(s.id), id(topic.id), named(g.name))).group())
	}
}

// look is what the plain catalogue expects to be seen.
func (n *naive) look(template topicSeen) seen {
	var all seen
	for _, s := range n.streams {
		s.streamSeen.topics = uint32(len(s.topics))
		all.streams = append(all.streams, s.streamSeen)
		for _, t := range s.topics {
			topic := template
			topic.id, topic.created, topic.name = t.id, t.created, t.name
			topic.partitions = uint32(len(t.partitions))
			topic = t.withOptions(topic)
			all.topics = append(all.topics, topic)
			for i, p := range t.partitions {
				all.partitions = append(all.partitions,
					partitionSeen{id: uint32(i), created: p.created})
				all.groups = append(all.groups,
					groupAt{wire.GroupID(p.group), s.id, t.id, uint32(i), p.purges})
			}
			for _, g := range t.groups {
				g.partitions = topic.partitions
				all.consumers = append(all.consumers, g)
			}
		}
	}
	for _, u := range n.users {
		all.users = append(all.users, u.userSeen)
		for _, token := range u.tokens {
			all.tokens = append(all.tokens, token.tokenSeen)
		}
	}
	slices.SortFunc(all.groups, func(a, b groupAt) int { return cmp.Compare(a.id, b.id) })
	return all
}

// withOptions is a topic of defaults with the options that were chosen for t.
func (t *naiveTopic) withOptions(topic topicSeen) topicSeen {
	for _, o := range t.options {
		topic.given += o.raw
		topic.expiry = cmp.Or(o.expiry, topic.expiry)
		before, from, _ := strings.Cut(topic.derived, "\x02"+string(body(uint32(len(o.key))))+o.key)
		value := 5 + int(from[1]) // kind, size, value
		topic.derived = before + from[value:]
	}
	return topic
}

// follow carries out changes on the groups that a process runs.
func follow(groups map[wire.GroupID]metadata.Group, changes []metadata.Change) {
	for _, c := range changes {
		if c.Kind == metadata.GroupRemoved {
			delete(groups, c.Group.ID)
		} else {
			groups[c.Group.ID] = c.Group
		}
	}
}

// defaults is a topic as it looks if nobody chose an option.
func defaults(t require.TestingT) topicSeen {
	m := metadata.New(smallLimits)
	run(t, m, 1, opCreateStream, body("s"))
	code, payload := run(t, m, 2, opCreateTopic, body(named("s"), uint32(0), "t"))
	require.Zero(t, code)
	return (&parts{t: t, left: payload}).topic()
}

// Every result and everything that can be seen is what the plain catalogue says; two replicas
// agree to the byte; one that is restored at any op goes on alike; whoever follows the feed,
// now and then, has the groups that exist.
func TestTheCatalogueIsThePlainOne(t *testing.T) {
	t.Parallel()
	template := defaults(t)
	rapid.Check(t, func(t *rapid.T) {
		m, other := metadata.New(smallLimits), metadata.New(smallLimits)
		n := newNaive()
		followed, last := map[wire.GroupID]metadata.Group{}, uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"op": func(t *rapid.T) {
				s := drawStep(t, last)
				last = s.at
				p := &wire.Prepare{
					Header: wire.PrepareHeader{Operation: s.op, Timestamp: s.at}, Body: s.body(),
				}
				reply := m.Execute(p)
				clear(p.Body) // The machine may keep nothing of it.
				code, _ := result(t, reply)
				require.Equal(t, n.apply(&s), code, "%+v", s)
				p.Body = s.body()
				require.Equal(t, reply, other.Execute(p))
			},
			"restore": func(t *rapid.T) {
				snapshot := m.AppendSnapshot([]byte("before"))[len("before"):]
				into := rapid.SampledFrom([]**metadata.Machine{&m, &other}).Draw(t, "into")
				if rapid.Bool().Draw(t, "new process") {
					*into = metadata.New(metadata.DefaultLimits())
					if *into == m {
						clear(followed)
					}
				}
				require.NoError(t, (*into).Restore(snapshot))
			},
			"follow": func(*rapid.T) { follow(followed, m.TakeChanges()) },
			"": func(t *rapid.T) {
				require.Equal(t, m.Checksum(), other.Checksum())
				require.Equal(t, n.look(template), look(t, m))
			},
		})
		follow(followed, m.TakeChanges())
		require.Len(t, followed, len(m.Groups()))
		for _, g := range m.Groups() {
			require.Equal(t, g, followed[g.ID])
		}
		require.Empty(t, m.TakeChanges())
	})
}
