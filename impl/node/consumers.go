package node

import (
	"context"
	"math"
	"slices"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Consumer groups: who joins shares the partitions of a topic with the other members. The
// metadata's log decides who has which; a poll is held to what this process knows of that.

// resync is the partition in the answer to a member's poll of what is not its: it asks for its
// share again.
const resync = math.MaxUint32

// syncGroup answers which partitions the client may read as a member.
func (s *session) syncGroup(ctx context.Context, m *wire.Request, strict bool) ([]byte, error) {
	var who protocol.GroupRef
	if protocol.Decode(m.Body, &who) != nil {
		return s.refuse(m, protocol.StatusInvalidFormat), nil
	}
	if strict { // What the primary knows now is known here then.
		if _, said := s.describe(ctx, protocol.CodePing, nil, true); said != protocol.StatusOK {
			return s.refuse(m, said), nil
		}
	}
	share, status := s.share(ctx, who)
	if status != protocol.StatusOK {
		return s.refuse(m, status), nil
	}
	return s.answer(m, protocol.StatusOK, protocol.MustAppend(nil, &share)), nil
}

// share is the client's part of a group, as this process knows it.
func (s *session) share(ctx context.Context, who protocol.GroupRef) (
	share protocol.Assignment, status protocol.Status,
) {
	c := s.node.catalogue
	if c.reach(ctx, s.seen) != nil {
		return share, protocol.StatusNotAccepted
	}
	if c.do(ctx, func() { share, status = c.machine.Sync(s.user, s.client, who) }) != nil {
		return share, protocol.StatusNotAccepted
	}
	return share, status
}

// mayRead is the partition that a poll of a group's member is about: the one that it names, if
// that is its own, else its next one; or [resync].
func (s *session) mayRead(ctx context.Context, r *route, who protocol.GroupRef,
	asked protocol.Selector,
) (uint32, protocol.Status) {
	share, known := r.shares[who.Group]
	if !known {
		var status protocol.Status
		if share, status = s.share(ctx, who); status != protocol.StatusOK {
			return 0, status
		}
		r.shares[who.Group] = share
	}
	switch own := share.Partitions; {
	case asked.Given && slices.Contains(own, asked.Partition):
		return asked.Partition, protocol.StatusOK
	case asked.Given || len(own) == 0:
		return resync, protocol.StatusOK
	default:
		s.roundRobin++
		return own[uint64(s.roundRobin)%uint64(len(own))], protocol.StatusOK
	}
}
