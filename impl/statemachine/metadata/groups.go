package metadata

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Group is a partition that exists, with the group that replicates its log and what that
// group's replicas have to know. Groups are comparable.
type Group struct {
	// ID is the group's for ever: of another partition, or of the same place created anew, it
	// is another. The first is 1; [MetadataGroup] is none.
	ID wire.GroupID
	// Stream, Topic and Partition are where it is.
	Stream, Topic, Partition uint32
	// Created is the timestamp of the op that created it.
	Created uint64
	Options TopicOptions
	// Purges counts how often the partition was to be emptied since it was created. If its log
	// has been purged less often, that is still to be done.
	Purges uint64
	// Below is the offset below which segments were to be dropped. Where its log still has one
	// that ends at or below it, that is still to be done.
	Below uint64
	// Partitions is how many the topic has: they share its size.
	Partitions uint32
}

// ChangeKind says what became of a group.
type ChangeKind uint8

const (
	// GroupCreated: it exists and was not reported before.
	GroupCreated ChangeKind = iota + 1
	// GroupChanged: something of it is not what was reported.
	GroupChanged
	// GroupRemoved: it was reported and does not exist any more. It never comes back.
	GroupRemoved
)

// String returns the kind in lower case.
func (k ChangeKind) String() string {
	switch k {
	case GroupCreated:
		return "created"
	case GroupChanged:
		return "changed"
	case GroupRemoved:
		return "removed"
	}
	return fmt.Sprintf("change(%d)", uint8(k))
}

// Change is what became of a group since [Machine.TakeChanges] was last called. Group is as it
// is now; of a removed one as it was reported last.
type Change struct {
	Kind  ChangeKind
	Group Group
}

// home is where the partition of a group is.
type home struct {
	topic     *topic
	partition uint32
}

func (h home) group() Group {
	p := h.topic.partitions[h.partition]
	return Group{
		ID: p.group, Stream: h.topic.stream.id, Topic: h.topic.id, Partition: h.partition,
		Created: p.created, Options: h.topic.options, Purges: p.purges, Below: p.below,
		Partitions: uint32(len(h.topic.partitions)),
	}
}

// feed is what the process has been told of the groups. It is no part of the replicated state.
// Its size is bounded by the groups that exist and those that were reported.
type feed struct {
	reported map[wire.GroupID]Group
	dirty    map[wire.GroupID]struct{}
}

func newFeed() feed {
	return feed{reported: map[wire.GroupID]Group{}, dirty: map[wire.GroupID]struct{}{}}
}

// Groups returns the groups that exist, by id.
func (m *Machine) Groups() []Group {
	groups := make([]Group, 0, len(m.homes))
	for _, h := range m.homes {
		groups = append(groups, h.group())
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups
}

// LastGroup returns the highest id that a group was ever given, 0 if there was none.
func (m *Machine) LastGroup() wire.GroupID { return m.nextGroup - 1 }

// Group returns the group of that id, false if there is none (any more).
func (m *Machine) Group(id wire.GroupID) (Group, bool) {
	h, found := m.homes[id]
	if !found {
		return Group{}, false
	}
	return h.group(), true
}

// TakeChanges returns what became of the groups since it was last called, one change a group, in
// the order of their ids. The first call reports every group as created, and so does the
// first one after [Machine.Restore] with what the snapshot brought; what was reported before
// and is not in the snapshot is removed. A group that came and went in between is not reported.
//
// Whoever carries out all changes runs exactly the groups that exist.
func (m *Machine) TakeChanges() []Change {
	changes := make([]Change, 0, len(m.feed.dirty))
	for _, id := range slices.Sorted(maps.Keys(m.feed.dirty)) {
		was, known := m.feed.reported[id]
		now, exists := m.Group(id)
		switch {
		case exists && !known:
			changes = append(changes, Change{Kind: GroupCreated, Group: now})
		case exists && now != was:
			changes = append(changes, Change{Kind: GroupChanged, Group: now})
		case known && !exists:
			changes = append(changes, Change{Kind: GroupRemoved, Group: was})
		}
		if exists {
			m.feed.reported[id] = now
		} else {
			delete(m.feed.reported, id)
		}
	}
	clear(m.feed.dirty)
	return changes
}

// touch notes that a group may differ from what was reported.
func (m *Machine) touch(id wire.GroupID) {
	_, known := m.feed.reported[id]
	if _, exists := m.homes[id]; exists || known {
		m.feed.dirty[id] = struct{}{}
	} else {
		delete(m.feed.dirty, id) // It came and went.
	}
}

func (m *Machine) touchTopic(t *topic) {
	for _, p := range t.partitions {
		m.touch(p.group)
	}
}

// touchAll notes all groups that exist or were reported.
func (m *Machine) touchAll() {
	clear(m.feed.dirty)
	for id := range m.homes {
		m.touch(id)
	}
	for id := range m.feed.reported {
		m.touch(id)
	}
}

// addPartitions gives each new partition the next group. There must be room.
func (m *Machine) addPartitions(now uint64, t *topic, count uint32) {
	for range count {
		id := m.nextGroup
		m.nextGroup++
		m.homes[id] = home{topic: t, partition: uint32(len(t.partitions))}
		t.partitions = append(t.partitions, partition{group: id, created: now})
		m.touch(id)
	}
}

// dropPartitions removes the newest partitions of a topic, with their groups.
func (m *Machine) dropPartitions(t *topic, count int) {
	keep := len(t.partitions) - count
	for _, p := range t.partitions[keep:] {
		delete(m.homes, p.group)
		m.touch(p.group)
	}
	t.partitions = t.partitions[:keep]
}
