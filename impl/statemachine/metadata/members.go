package metadata

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// membersMax bounds the members of a consumer group.
const membersMax = 1024

// consumerGroup is consumers that share the partitions of a topic.
type consumerGroup struct {
	label
	// members are in the order in which they joined; next is the id of the next.
	members []member
	next    uint32
	// generation rises with each new distribution of the partitions.
	generation uint64
}

// member is a client of a consumer group. It stays for as long as its session's place in the
// client table, whatever connection it uses.
type member struct {
	id     uint32
	client wire.ClientID
}

func (g *consumerGroup) find(client wire.ClientID) int {
	return slices.IndexFunc(g.members, func(m member) bool { return m.client == client })
}

// share is the partitions of the member at a place: each gets every n-th.
func (g *consumerGroup) share(t *topic, place int) []uint32 {
	all := []uint32{}
	for p := place; p < len(t.partitions); p += len(g.members) {
		all = append(all, uint32(p))
	}
	return all
}

// join makes the client of the op a member. One that is a member stays what it was.
func (e *execution) join(_ *topic, g *consumerGroup) protocol.Status {
	switch {
	case e.client.IsZero():
		return protocol.StatusInvalidFormat
	case g.find(e.client) >= 0:
		return protocol.StatusOK
	case len(g.members) >= membersMax:
		return protocol.StatusFeatureUnavailable
	}
	g.next++
	g.members = append(g.members, member{id: g.next, client: e.client})
	g.generation++
	e.joined[e.client] = struct{}{}
	return protocol.StatusOK
}

func (e *execution) leave(_ *topic, g *consumerGroup) protocol.Status {
	if !g.drop(e.client) {
		return protocol.StatusMemberNotFound
	}
	return protocol.StatusOK
}

func (g *consumerGroup) drop(client wire.ClientID) bool {
	place := g.find(client)
	if place < 0 {
		return false
	}
	g.members = slices.Delete(g.members, place, place+1)
	g.generation++
	return true
}

// SessionEnded takes a client out of all consumer groups: the log has ended its session. It
// implements statemachine.SessionEnder.
func (m *Machine) SessionEnded(client wire.ClientID) {
	if _, joined := m.joined[client]; !joined {
		return
	}
	delete(m.joined, client)
	for _, s := range m.streams.items {
		for _, t := range s.topics.items {
			for _, g := range t.consumers.items {
				g.drop(client)
			}
		}
	}
}

// MayBeMembers are the clients that may be members of consumer groups: all that are, and maybe some
// that have left. It is the machine's own, not to be changed.
func (m *Machine) MayBeMembers() map[wire.ClientID]struct{} { return m.joined }

// redistribute notes that a topic has other partitions than before.
func (t *topic) redistribute() {
	for _, g := range t.consumers.items {
		if len(g.members) > 0 {
			g.generation++
		}
	}
}

// Sync returns which partitions a member may read now.
//
// Refusals: those of a stream, topic or consumer group that is not there; MemberNotFound;
// Unauthorized.
func (m *Machine) Sync(user uint32, client wire.ClientID, who protocol.GroupRef) (
	protocol.Assignment, protocol.Status,
) {
	e := execution{Machine: m, user: user}
	var found protocol.Assignment
	status := e.onGroup(func(t *topic, g *consumerGroup) protocol.Status {
		place := g.find(client)
		if place < 0 {
			return protocol.StatusMemberNotFound
		}
		found = protocol.Assignment{Generation: g.generation, Partitions: g.share(t, place)}
		return protocol.StatusOK
	})(&who)
	return found, status
}

// details are the group with its members.
func (g *consumerGroup) details(t *topic) *protocol.GroupDetails {
	d := &protocol.GroupDetails{GroupHeader: t.groupHeader(g)}
	for i, m := range g.members {
		d.Assignments = append(d.Assignments, protocol.GroupMember{
			ID: m.id, Partitions: g.share(t, i),
		})
	}
	return d
}

// appendMembers and restoreMembers are the members' part of a snapshot.
func (g *consumerGroup) appendMembers(dst []byte) []byte {
	dst = u32(u64(u32(dst, g.next), g.generation), uint32(len(g.members)))
	for _, m := range g.members {
		dst = u64(u64(u32(dst, m.id), m.client.Lo), m.client.Hi)
	}
	return dst
}

func (m *Machine) restoreMembers(r *reader, g *consumerGroup) error {
	g.next, g.generation = r.u32(), r.u64()
	count := r.u32()
	if err := r.count("members", count, membersMax, memberBytes); err != nil {
		return err
	}
	for range count {
		one := member{id: r.u32(), client: wire.ClientID{Lo: r.u64(), Hi: r.u64()}}
		if one.id > g.next || one.client.IsZero() || g.find(one.client) >= 0 {
			return damaged("consumer group %d: member %d, expected another client, and an id up to %d",
				g.id, one.id, g.next)
		}
		g.members = append(g.members, one)
		m.joined[one.client] = struct{}{}
	}
	return nil
}
