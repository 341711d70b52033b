package consumergroups

import (
	"bytes"
	"fmt"
	"slices"
)

// Kind is what a message asks for.
type Kind uint8

// The kinds of messages.
const (
	// RegisterKind binds a session, LogoutKind ends it.
	RegisterKind Kind = iota + 1
	JoinKind
	LeaveKind
	LogoutKind
	// ChangeKind gives the topic another number of partitions.
	ChangeKind
)

var kindNames = [...]string{
	RegisterKind: "register", JoinKind: "join", LeaveKind: "leave", LogoutKind: "logout",
	ChangeKind: "change",
}

// String is the kind as the module writes it.
func (k Kind) String() string {
	if k < RegisterKind || k > ChangeKind {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Message is a committed message. Number is the session of a join, leave and logout, and the
// partitions of a change.
type Message struct {
	Kind           Kind
	Client, Number uint8
}

// Row is a row of the client table: Session is 0 where there is none, Newest the op that last
// touched it.
type Row struct{ Session, Newest uint8 }

// Table is the client table; client c has element c-1.
type Table [ClientsMax]Row

// Member is a member of the group.
type Member struct{ ID, Client uint8 }

// Group is the consumer group and its topic.
type Group struct {
	// Members are in the order in which they joined; beyond Count all is zero.
	Members [OpMax]Member
	Count   uint8
	// Last is the last id that was given, Generation that of the deal.
	Last, Generation, Partitions uint8
	// Known are clients that may be members: bit c-1 is client c.
	Known uint8
}

// place is where a client is a member, from 0; -1 if it is none.
func (g *Group) place(client uint8) int {
	return slices.IndexFunc(g.Members[:g.Count], func(m Member) bool { return m.Client == client })
}

// without takes a client out.
func (g *Group) without(client uint8) {
	n := uint8(0)
	for _, m := range g.Members[:g.Count] {
		if m.Client != client {
			g.Members[n] = m
			n++
		}
	}
	clear(g.Members[n:])
	g.Count = n
}

// Share is the partitions of a member: bit p-1 is partition p.
type Share struct{ Client, Partitions uint8 }

// Deal says who could read what after an op. Shares are in order, without duplicates; beyond
// Count all is zero.
type Deal struct {
	Op, Generation uint8
	Shares         [OpMax]Share
	Count          uint8
}

func (d *Deal) key() []byte {
	key := []byte{d.Op, d.Generation, d.Count}
	for _, x := range d.Shares[:d.Count] {
		key = append(key, x.Client, x.Partitions)
	}
	return key
}

// Checkpoint is table and group at an op.
type Checkpoint struct {
	Op    uint8
	Table Table
	Group Group
}

// State is a state of ConsumerGroups.tla, variable by variable. What is beyond the constants
// stays zero. It is a value: assignment copies it.
type State struct {
	Log        [OpMax]Message
	LogLength  uint8
	CommitMin  [ReplicasMax]uint8
	Table      [ReplicasMax]Table
	Group      [ReplicasMax]Group
	Checkpoint Checkpoint
	Restarts   uint8

	// Ended says at which ops clients ceased to be members: bit 4*(op-1)+client. IDs are the
	// ids that were given: bit 8*(op-1)+id.
	Ended uint32
	IDs   uint64
	// Dealt are the deals, in order.
	Dealt      [dealtMax]Deal
	DealtCount uint8
}

// deal adds a deal that is not there yet.
func (s *State) deal(d Deal) {
	all := s.Dealt[:s.DealtCount]
	at, found := slices.BinarySearchFunc(all, d, func(a, b Deal) int {
		return bytes.Compare(a.key(), b.key())
	})
	if found {
		return
	}
	copy(s.Dealt[at+1:], s.Dealt[at:s.DealtCount])
	s.Dealt[at] = d
	s.DealtCount++
}

// initial is ConsumerGroups!Init.
func (m *machine) initial() []State {
	var s State
	empty := Group{Partitions: uint8(m.Partitions)}
	for r := range m.N {
		s.Group[r] = empty
	}
	s.Checkpoint.Group = empty
	return []State{s}
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	dst = append(dst, s.LogLength, s.Restarts)
	for _, x := range s.Log[:s.LogLength] {
		dst = append(dst, byte(x.Kind), x.Client, x.Number)
	}
	for r := range m.N {
		dst = m.appendPart(append(dst, s.CommitMin[r]), &s.Table[r], &s.Group[r])
	}
	dst = m.appendPart(append(dst, s.Checkpoint.Op), &s.Checkpoint.Table, &s.Checkpoint.Group)
	for shift := 0; shift < 64; shift += 8 {
		dst = append(dst, byte(s.IDs>>shift), byte(s.Ended>>(shift/2&^3)))
	}
	for i := range s.DealtCount {
		dst = append(dst, s.Dealt[i].key()...)
	}
	return dst
}

func (m *machine) appendPart(dst []byte, t *Table, g *Group) []byte {
	for _, row := range t[:m.Clients] {
		dst = append(dst, row.Session, row.Newest)
	}
	dst = append(dst, g.Count, g.Last, g.Generation, g.Partitions, g.Known)
	for _, x := range g.Members[:g.Count] {
		dst = append(dst, x.ID, x.Client)
	}
	return dst
}
