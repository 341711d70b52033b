package members

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/consumergroups"
	"github.com/viewstamp/viewstamp/model/explore"
)

// Path is a path of the model: an initial state and then a step at a time.
type Path = []explore.Step[model.State, model.Action]

// Mismatch is a step after which machine and model differ.
type Mismatch struct {
	Step    int
	Action  string
	Replica int
	What    string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("step %d, %s: replica %d: %s", m.Step, m.Action, m.Replica, m.What)
}

// Counts say how much was compared.
type Counts struct {
	Steps, Executed, Members, Restored, Checksums int
}

// Add adds what another group has counted.
func (c *Counts) Add(more Counts) {
	c.Steps += more.Steps
	c.Executed += more.Executed
	c.Members += more.Members
	c.Restored += more.Restored
	c.Checksums += more.Checksums
}

// Maker wraps the catalogue as the table shall see it.
type Maker func(*metadata.Machine) statemachine.Machine

// Production is the catalogue as it is.
func Production(m *metadata.Machine) statemachine.Machine { return m }

// replica is one machine: the catalogue, and the table before it.
type replica struct {
	catalogue *metadata.Machine
	sessions  *statemachine.Sessions
}

// Group is the machines of a group of replicas.
type Group struct {
	// Counts is what it has compared so far.
	Counts Counts

	config   model.Config
	maker    Maker
	who      protocol.GroupRef
	replicas []replica
	// snapshot is replica 0's checkpoint; nil if there is none.
	snapshot []byte
}

// NewGroup returns machines that have executed nothing, but for a stream with a topic of the
// model's partitions and one consumer group.
func NewGroup(c model.Config, maker Maker) *Group {
	g := &Group{config: c, maker: maker, who: protocol.GroupRef{
		Stream: protocol.ID(1), Topic: protocol.ID(1), Group: protocol.ID(1),
	}}
	for range c.N {
		g.replicas = append(g.replicas, g.boot())
	}
	return g
}

func (g *Group) boot() replica {
	m := metadata.New(metadata.DefaultLimits())
	for _, x := range []struct {
		operation wire.Operation
		body      protocol.Body
	}{
		{protocol.OperationCreateStream, &protocol.CreateStream{Name: "stream"}},
		{protocol.OperationCreateTopic, &protocol.CreateTopic{
			Stream: g.who.Stream, Name: "topic", Partitions: uint32(g.config.Partitions),
		}},
		{protocol.OperationCreateGroup, &protocol.CreateGroup{
			Stream: g.who.Stream, Topic: g.who.Topic, Name: "group",
		}},
	} {
		m.Execute(&wire.Prepare{
			Header: wire.PrepareHeader{Operation: x.operation}, Body: protocol.MustAppend(nil, x.body),
		})
	}
	return replica{m, statemachine.NewSessions(g.maker(m), clienttable.Config{
		Shape: clienttable.Numbered, Capacity: g.config.Capacity, Ring: 1, ReplyBytes: 64,
	})}
}

// Follow takes the steps of a path and compares after each.
//
// Errors: a [*Mismatch]; a snapshot that cannot be restored.
func (g *Group) Follow(p Path) error {
	for i, step := range p[1:] {
		before := &p[i].State
		switch a := step.Action; a.Kind {
		case model.CommitMessage:
		case model.Execute:
			r := &g.replicas[a.Replica]
			r.sessions.Execute(g.prepare(r, before, before.CommitMin[a.Replica]+1))
			g.Counts.Executed++
		case model.CheckpointGroup:
			g.snapshot = g.replicas[0].sessions.AppendSnapshot(nil)
		case model.RestartReplica:
			g.Counts.Restored++
			g.replicas[0] = g.boot()
			if g.snapshot == nil {
				break
			}
			if err := g.replicas[0].sessions.Restore(g.snapshot); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		g.Counts.Steps++
		if r, what := g.differs(&step.State); what != "" {
			return &Mismatch{Step: i + 1, Action: step.Action.String(), Replica: r, What: what}
		}
	}
	return nil
}

func clientOf(c uint8) wire.ClientID { return wire.ClientID{Lo: uint64(c)} }

// prepare is an op of the model as a machine gets it. A request has the next number of its
// client, a Register as many as there were.
func (g *Group) prepare(r *replica, s *model.State, op uint8) *wire.Prepare {
	x := s.Log[op-1]
	p := &wire.Prepare{Header: wire.PrepareHeader{
		Op: wire.Op(op), Client: clientOf(x.Client), Session: wire.SessionNumber(x.Number),
	}}
	h := &p.Header
	switch x.Kind {
	case model.RegisterKind:
		h.Operation = wire.OperationRegister
		for _, earlier := range s.Log[:op] {
			if earlier.Kind == model.RegisterKind && earlier.Client == x.Client {
				h.Request++
			}
		}
	case model.JoinKind, model.LeaveKind:
		h.Operation = protocol.OperationJoinGroup
		if x.Kind == model.LeaveKind {
			h.Operation = protocol.OperationLeaveGroup
		}
		h.Request = 1
		for _, row := range r.sessions.Table().Rows() {
			if row.Client == h.Client {
				h.Request = row.Watermark + 1
			}
		}
		p.Body = protocol.MustAppend(nil, &g.who)
		h.RequestChecksum = wire.ChecksumOf(p.Body)
	case model.LogoutKind:
		h.Operation = wire.OperationLogout
	case model.ChangeKind:
		panic("members: the catalogue is driven with the partitions that it has")
	}
	return p
}

// differs says at which replica machine and model differ, and in what; nothing if they do not.
func (g *Group) differs(s *model.State) (int, string) {
	for i := range g.replicas {
		r := &g.replicas[i]
		for c := range uint8(g.config.Clients) {
			session, _, _ := r.sessions.Table().SessionOf(clientOf(c + 1))
			if want := s.Table[i][c].Session; session != wire.SessionNumber(want) {
				return i, fmt.Sprintf("client %d has session %d, expected %d", c+1, session, want)
			}
			if what := g.shareDiffers(r, c+1, &s.Group[i]); what != "" {
				return i, what
			}
		}
		for q := range i {
			if s.CommitMin[q] != s.CommitMin[i] {
				continue
			}
			g.Counts.Checksums++
			if g.replicas[q].sessions.Checksum() != r.sessions.Checksum() {
				return i, fmt.Sprintf("another checksum than replica %d at op %d", q, s.CommitMin[i])
			}
		}
	}
	return 0, ""
}

// shareDiffers compares what a client may read.
func (g *Group) shareDiffers(r *replica, client uint8, want *model.Group) string {
	got, status := r.catalogue.Sync(metadata.RootID, clientOf(client), g.who)
	members := want.Members[:want.Count]
	place := slices.IndexFunc(members, func(m model.Member) bool { return m.Client == client })
	if place < 0 {
		if status != protocol.StatusMemberNotFound {
			return fmt.Sprintf("client %d is a member, expected none", client)
		}
		return ""
	}
	g.Counts.Members++
	share := []uint32{}
	for p := place; p < int(want.Partitions); p += len(members) {
		share = append(share, uint32(p))
	}
	if status != protocol.StatusOK || got.Generation != uint64(want.Generation) ||
		!slices.Equal(got.Partitions, share) {
		return fmt.Sprintf("client %d reads %v in generation %d (%v), expected %v in %d", client,
			got.Partitions, got.Generation, status, share, want.Generation)
	}
	return ""
}
