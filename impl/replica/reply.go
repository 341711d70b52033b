package replica

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Statuses of a reply to a request that has not executed here, or whose outcome is not kept.
// The numbers are upstream's (client protocol, section 5).
const (
	// StatusNotAccepted: this replica has not prepared the request, which refuses nothing.
	// The client may send it again, here or elsewhere.
	StatusNotAccepted uint32 = 58
	// StatusDiskFull is StatusNotAccepted with the reason that the log has no room. The number is
	// ours.
	StatusDiskFull uint32 = 0x4000_0001
	// StatusApplied: a request of this number executed, and its reply is no longer kept.
	StatusApplied uint32 = 59
	// StatusRefused: other bytes executed under this number; these never will.
	StatusRefused uint32 = 3
	// StatusTooLarge: the request does not fit into the log, here or elsewhere. It refuses nothing
	// else: its number is free.
	StatusTooLarge uint32 = 4022
	// StatusUnauthorized: the client's id belongs to another user.
	StatusUnauthorized uint32 = 41
	// StatusInvalidSession: the session has ended. What was open in it has an unknown outcome.
	StatusInvalidSession uint32 = 14001
)

// Refusal says why a host did not pass a request on.
type Refusal uint8

// The refusals.
const (
	RefuseNotPrimary Refusal = iota + 1 // another replica is the primary, or none is
	RefuseBusy                          // the core has no room for it now
	RefuseFull                          // the disk is full
	RefuseTooLarge                      // it does not fit into the log
	RefuseSession                       // the client table has another answer than to prepare it
	refusalCount
)

var refusalNames = [refusalCount]string{
	RefuseNotPrimary: "not_primary", RefuseBusy: "busy", RefuseFull: "disk_full",
	RefuseTooLarge: "too_large", RefuseSession: "session",
}

// String returns the name in snake_case, fit for a metric's label.
func (r Refusal) String() string {
	if r == 0 || r >= refusalCount {
		return fmt.Sprintf("refusal(%d)", uint8(r))
	}
	return refusalNames[r]
}

// Refusals lists them.
func Refusals() []Refusal {
	var all []Refusal
	for r := RefuseNotPrimary; r < refusalCount; r++ {
		all = append(all, r)
	}
	return all
}

// SessionBody is the body of the reply to a Register: session, born and watermark (R18), 8
// bytes each, little-endian.
func SessionBody(a clienttable.Answer) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(a.Session))
	b = binary.LittleEndian.AppendUint64(b, uint64(a.Born))
	return binary.LittleEndian.AppendUint64(b, uint64(a.Watermark))
}

// ParseSessionBody is the inverse of [SessionBody]; false if it is none.
func ParseSessionBody(b []byte) (session, born wire.SessionNumber, watermark wire.RequestNumber,
	ok bool,
) {
	if len(b) != 24 {
		return 0, 0, 0, false
	}
	u64 := binary.LittleEndian.Uint64
	return wire.SessionNumber(u64(b)), wire.SessionNumber(u64(b[8:])),
		wire.RequestNumber(u64(b[16:])), true
}

// Request takes a request of a client, whose user has been authenticated and stands in it. The
// reply goes out through [Network], now or once the request has executed; there is none if the
// same request is under way, or another replica or time has to answer. The client sends again.
func (h *Host) Request(m *wire.Request) {
	standing := h.core.Standing()
	h.noteView(standing.View)
	answer := h.sessions.Answer(m)
	switch {
	case standing.Leads && h.config.NoPreflight:
		answer.Kind = clienttable.Prepare
	case standing.Leads:
		answer = h.sessions.Judge(&h.preflight, m)
	}
	switch answer.Kind {
	case clienttable.InFlight:
		return
	case clienttable.Prepare:
	case clienttable.Silent:
		if standing.Leads {
			return
		}
	case clienttable.SessionGiven, clienttable.Replied, clienttable.Gone, clienttable.Refused,
		clienttable.Over, clienttable.Taken, clienttable.NotAccepted:
		h.counters.Refused[RefuseSession]++
		h.reply(m, answer)
		return
	}
	switch {
	case !standing.Leads:
		h.refuse(m, RefuseNotPrimary)
	case h.full():
		h.refuse(m, RefuseFull)
	case len(m.Body) > h.storage.bodyMax():
		h.refuse(m, RefuseTooLarge)
	default:
		stamped := *m
		stamped.Timestamp = h.clock.Now()
		stamped.Cluster, stamped.Group = h.storage.options.Cluster, h.config.Group
		h.preflight.Waits(statemachine.MessageOfRequest(&stamped)) // for an op, if not for long
		h.step(vsr.Receive{Message: &stamped})
	}
}

// refuse answers a request that is not passed on.
func (h *Host) refuse(m *wire.Request, why Refusal) {
	h.counters.Refused[why]++
	status := StatusNotAccepted
	switch why {
	case RefuseTooLarge:
		status = StatusTooLarge
	case RefuseFull:
		status = StatusDiskFull
	case RefuseNotPrimary, RefuseBusy, RefuseSession, refusalCount:
	}
	h.send(h.frame(m, status))
}

// onReply takes a reply of the core: a result, which is an answer of the sessions, or a denial.
func (h *Host) onReply(reply *wire.Reply) {
	m := &wire.Request{
		Client: reply.Client, Number: reply.Number, Operation: reply.Operation,
		RequestChecksum: reply.RequestChecksum,
	}
	if reply.Status != 0 {
		why := RefuseBusy
		if reply.Status == vsr.ReplyNotPrimary {
			why = RefuseNotPrimary
		}
		h.preflight.Dropped(statemachine.MessageOfRequest(m))
		h.refuse(m, why)
		return
	}
	answer, err := statemachine.ParseAnswer(reply.Body)
	if err != nil {
		panic(fmt.Sprintf("replica: a result of this host: %v", err)) // it was made by execute
	}
	h.reply(m, answer)
}

// reply tells a client an answer. The same answer has the same bytes whenever it is given, but
// for the replica that gives it and its view.
func (h *Host) reply(m *wire.Request, a clienttable.Answer) {
	switch a.Kind {
	case clienttable.Replied:
		r := h.frame(m, 0)
		r.Op, r.Commit, r.Body = a.Op, a.Op, a.Body
		h.send(r)
	case clienttable.SessionGiven:
		r := h.frame(m, 0)
		r.Op, r.Commit, r.Body = wire.Op(a.Session), wire.Op(a.Session), SessionBody(a)
		h.send(r)
	case clienttable.Gone:
		h.send(h.frame(m, StatusApplied))
	case clienttable.Refused:
		h.send(h.frame(m, StatusRefused))
	case clienttable.Over:
		h.send(h.frame(m, StatusInvalidSession))
	case clienttable.Taken:
		h.send(h.frame(m, StatusUnauthorized))
	case clienttable.NotAccepted:
		h.send(h.frame(m, StatusNotAccepted))
	case clienttable.Silent, clienttable.Prepare, clienttable.InFlight:
	}
}

func (h *Host) frame(m *wire.Request, status uint32) *wire.Reply {
	return &wire.Reply{
		Cluster: h.storage.options.Cluster, Group: h.config.Group,
		View: h.core.View(), Replica: h.config.Replica, Client: m.Client,
		Number: m.Number, Operation: m.Operation, RequestChecksum: m.RequestChecksum,
		Status: status,
	}
}

func (h *Host) send(r *wire.Reply) {
	h.counters.Replies++
	h.network.Reply(r)
}
