package node

import (
	"context"
	"net"
	"strconv"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// question answers what does not enter a log.
func (s *session) question(ctx context.Context, m *wire.Request) ([]byte, error) {
	code := protocol.Code(m.Code).Query()
	if code == protocol.CodePing {
		return s.answer(m, protocol.StatusOK, nil), nil
	}
	strict := protocol.Code(m.Code).IsLinearizable()
	switch {
	case s.number == 0 || m.Client != s.client:
		return s.refuse(m, protocol.StatusUnauthenticated), nil
	case code.Operation() != wire.OperationNonReplicated:
		return s.refuse(m, protocol.StatusInvalidCommand), nil
	}
	switch code { //nolint:exhaustive // The others are the catalogue's.
	case protocol.CodeClusterMetadata:
		return s.roster(ctx, m)
	case protocol.CodeFindPrimary:
		return s.findPrimary(ctx, m)
	case protocol.CodeStats:
		return s.stats(ctx, m)
	case protocol.CodeSyncGroup:
		return s.syncGroup(ctx, m, strict)
	case protocol.CodePoll, protocol.CodeGetOffset:
		return s.read(ctx, m, code, strict)
	}
	answer, status := s.describe(ctx, code, m.Body, strict)
	if status != protocol.StatusOK {
		return s.refuse(m, status), nil
	}
	return s.answer(m, protocol.StatusOK, answer), nil
}

// describe answers a question about the catalogue: a strict one at its primary, another from
// what this replica has executed, which is at least what the client was told has happened.
func (s *session) describe(ctx context.Context, code protocol.Code, body []byte, strict bool) (
	[]byte, protocol.Status,
) {
	c := s.node.catalogue
	if strict {
		reply := s.readStrictly(ctx, c.group, code, body)
		s.seen = max(s.seen, reply.Op)
		return reply.Body, protocol.Status(reply.Status)
	}
	if c.reach(ctx, s.seen) != nil {
		return nil, protocol.StatusNotAccepted
	}
	answer, status, err := c.query(ctx, s.user, code, body)
	if err != nil {
		return nil, protocol.StatusNotAccepted
	}
	return answer, status
}

// roster says which processes there are, and which one is the primary of the metadata.
func (s *session) roster(ctx context.Context, m *wire.Request) ([]byte, error) {
	n := s.node
	standing, err := n.standing(ctx, n.catalogue.group)
	if err != nil {
		return s.refuse(m, protocol.StatusNotAccepted), nil
	}
	roster := protocol.Roster{Name: n.config.Cluster.Name}
	for i, r := range n.config.Replicas {
		host, port := splitAddress(r.Client)
		member := protocol.Member{
			Name: "replica-" + strconv.Itoa(i), Address: host, TCP: port,
			Role: protocol.RoleBackup, Health: protocol.Healthy,
		}
		id := wire.ReplicaID(i)
		if standing.Primary == id && n.serves(standing) {
			member.Role = protocol.RolePrimary
		}
		if !n.mesh.Connected(id) {
			member.Health = protocol.Unreachable
		}
		roster.Members = append(roster.Members, member)
	}
	return s.answer(m, protocol.StatusOK, protocol.MustAppend(nil, &roster)), nil
}

// findPrimary says where the primary of a partition is. It is a hint: each process hands on
// what is another one's.
func (s *session) findPrimary(ctx context.Context, m *wire.Request) ([]byte, error) {
	var ask protocol.FindPrimary
	if protocol.Decode(m.Body, &ask) != nil {
		return s.refuse(m, protocol.StatusInvalidFormat), nil
	}
	r, err := s.find(ctx, protocol.TopicRef{Stream: ask.Stream, Topic: ask.Topic})
	if err != nil {
		return s.refuse(m, protocol.StatusNotAccepted), nil
	}
	where, status := r.partition(ask.Partition)
	if status != protocol.StatusOK {
		return s.refuse(m, status), nil
	}
	var found protocol.PrimaryFound
	if g := s.node.group(where.ID); g != nil {
		standing, err := s.node.standing(ctx, g)
		if err != nil {
			return s.refuse(m, protocol.StatusNotAccepted), nil
		}
		found.View = standing.View
		if s.node.serves(standing) {
			address := s.node.config.Replicas[standing.Primary].Client
			found.Address, found.TCP = splitAddress(address)
		}
	}
	return s.answer(m, protocol.StatusOK, protocol.MustAppend(nil, &found)), nil
}

// serves says whether the primary of a group can be expected to answer: it can be reached from
// here, and where that is this process, it reaches enough others. One that is cut off goes on to
// be the primary of its view for itself, and would send its clients to itself for ever.
func (n *Node) serves(at vsr.Standing) bool {
	return at.Status == vsr.StatusNormal && n.mesh.Connected(at.Primary) &&
		(at.Primary != n.replica || inTouch(n.mesh, len(n.config.Replicas)))
}

// standing asks a group's shard where its replica stands.
func (n *Node) standing(ctx context.Context, g *group) (standing vsr.Standing, err error) {
	err = g.shard.do(ctx, func() {
		if g.host != nil {
			standing = g.host.Standing()
		}
	})
	return standing, err
}

func splitAddress(address string) (string, uint16) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return host, 0
	}
	return host, uint16(port)
}
