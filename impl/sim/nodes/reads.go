package nodes

import (
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Clients read at level linearizable, at any process: the primary answers when a round has
// confirmed its view (R19). Such a read is no request of a session: it has a number of its own,
// changes nothing, and may be sent again to anybody.

// readerOf is the client that reads of a place have: not the one of its session.
func readerOf(place int) wire.ClientID { return wire.ClientID{Hi: 1, Lo: uint64(place) + 1} }

// beginRead asks for something that the workload wants to know.
func (c *client) beginRead() {
	c.busy, c.reading, c.begunHealed = true, true, c.s.healed
	c.beginOperation()
	c.reads++
	c.floor = c.s.check.groups[c.group].acknowledged
	c.request = c.envelope()
	c.request.Client, c.request.Number = readerOf(c.place), c.reads
	c.request.Operation = wire.OperationNonReplicated
	code := c.s.workloadOf(c.group).ask(c)
	c.request.Code = uint32(protocol.Code(code).Linearizable())
}

// ask hands a client's read to a host, as a server does.
func (s *simulation) ask(h *replica.Host, m *wire.Request) {
	h.Ask(m, vsr.ReadLinearizable, func() ([]byte, uint32) {
		answer, err := h.Query(uint32(protocol.Code(m.Code).Query()), m.Body)
		if err != nil {
			return nil, replica.StatusNotAccepted
		}
		return answer, 0
	})
}

// onReadReply takes the answer to the outstanding read: it shows every op that a client was told
// of before the read began.
func (c *client) onReadReply(m *wire.Reply) {
	switch {
	case m.Status == replica.StatusNotAccepted:
		c.sendAt = c.s.schedule.now + c.s.chances.clients.between(1, 5)
		return
	case m.Status != 0:
		c.s.fail(FailReply, "client %d: status %d of a read", c.place, m.Status)
		return
	case m.Op < c.floor:
		c.s.fail(FailRead, "client %d, group %d: process %d shows op %d, and op %d was acknowledged "+
			"before the read began", c.place, c.group, m.Replica, m.Op, c.floor)
		return
	}
	if wrong := c.s.workloadOf(c.group).told(c, m.Body); wrong != "" {
		c.s.fail(FailReply, "client %d, group %d: %s", c.place, c.group, wrong)
		return
	}
	w := c.s.check.groups[c.group]
	w.acknowledged = max(w.acknowledged, m.Op)
	c.s.result.Reads[string(c.operation.Kind)]++
	c.answer()
}

// read checks what a process tells of its state: some replica has come to that op.
func (c *checker) read(p *process, m *wire.Reply) {
	if int(m.Op) > len(c.groups[m.Group].log) {
		c.s.fail(FailRead, "process %d, group %d: a read shows op %d, which nobody executed", p.id,
			m.Group, m.Op)
	}
}
