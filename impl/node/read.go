package node

import (
	"context"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Reads (R19). A strict one, whose code has the bit of [protocol.Code.Linearizable], goes the
// way of a request: to the primary, from whatever process the client is connected to. There a
// round confirms the view, and the machine answers when it has executed what was committed by
// then. Another is answered here at once, from what this replica has executed.

// reader numbers the strict reads of a session, so that no late answer is taken for another.
type reader struct {
	client wire.ClientID
	last   wire.RequestNumber
}

// queryOf is how a group's machine is asked by a user. That the user may ask a partition is
// known before.
func queryOf(machine statemachine.Machine) func(user, code uint32, body []byte) (
	[]byte, protocol.Status,
) {
	if catalogue, ok := machine.(*metadata.Machine); ok {
		return func(user, code uint32, body []byte) ([]byte, protocol.Status) {
			switch protocol.Code(code) { //nolint:exhaustive // The others are users'.
			case protocol.CodePing, codeMembers: // How far is it? Or a message of a process.
				return nil, protocol.StatusOK
			}
			return catalogue.QueryAs(user, code, body)
		}
	}
	return func(_, code uint32, body []byte) ([]byte, protocol.Status) {
		if p, ok := machine.(*partition.Machine); ok && protocol.Code(code) == codeSegmentsEnd {
			return segmentsEnd(p, body)
		}
		if q, ok := machine.(statemachine.Querier); ok {
			answer := q.Query(code, body)
			if f, ok := machine.(statemachine.Fallible); ok && f.Unreadable() != nil {
				return nil, protocol.StatusNotAccepted // another replica may have it
			}
			return answer, protocol.StatusOK
		}
		return nil, protocol.StatusInvalidCommand
	}
}

// read answers a strict read of the group, now or when a round has ended.
func (g *group) read(m *wire.Request) {
	g.host.Ask(m, vsr.ReadLinearizable, func() ([]byte, uint32) {
		if g.attendance != nil && protocol.Code(m.Code) == codeMembers {
			g.attendance.note(m.Body, g.ticks)
		}
		answer, status := g.query(m.UserID, m.Code, m.Body)
		return answer, uint32(status)
	})
}

// readStrictly asks a group's primary. A read without an answer has no effect: it may be sent
// again, whatever became of it.
func (s *session) readStrictly(ctx context.Context, g *group, code protocol.Code, body []byte,
) *wire.Reply {
	if s.reader.client.IsZero() {
		s.reader.client = drawClient()
	}
	s.reader.last++
	reply := s.node.ask(ctx, g, &wire.Request{
		Client: s.reader.client, Number: s.reader.last, UserID: s.user, Code: uint32(code),
		Operation: wire.OperationNonReplicated, Body: body,
	})
	if reply.Status == uint32(protocol.StatusNotCommitted) {
		reply.Status = uint32(protocol.StatusNotAccepted)
	}
	return reply
}

// read answers a poll, or a question about an offset.
func (s *session) read(ctx context.Context, m *wire.Request, code protocol.Code, strict bool) (
	[]byte, error,
) {
	t, status, err := s.locate(ctx, m.Operation, code, m.Body, strict)
	if err != nil {
		status = protocol.StatusNotAccepted
	}
	var answer []byte
	switch {
	case status != protocol.StatusOK:
	case t.group == nil:
		return s.answer(m, status, protocol.MustAppend(nil, &protocol.PollReply{
			Partition: resync,
		})), nil
	case strict:
		reply := s.readStrictly(ctx, t.group, code, t.body)
		answer, status = reply.Body, protocol.Status(reply.Status)
	default:
		err := t.group.shard.do(ctx, func() {
			if t.group.host == nil {
				status = protocol.StatusNotAccepted
				return
			}
			answer, status = t.group.query(s.user, uint32(code), t.body)
		})
		if err != nil {
			status = protocol.StatusNotAccepted
		}
	}
	if status != protocol.StatusOK {
		return s.refuse(m, status), nil
	}
	if code == protocol.CodePoll {
		s.advance(ctx, t, answer)
	}
	return s.answer(m, protocol.StatusOK, answer), nil
}
