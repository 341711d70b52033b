package nodes

import (
	"strconv"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// client has one request of one group outstanding. It sends the same again, to another process
// each time, until there is an answer (R18). When it hears that its session is over the outcome
// is unknown: the request stays open in the history, and the client registers anew.
type client struct {
	s     *simulation
	place int
	group wire.GroupID
	// target is the process that it believes to be the primary.
	target int
	// registration is the number of its Registers, session what the last one gave.
	registration wire.RequestNumber
	session      wire.SessionNumber
	// born is the op that its row of the client table was created at.
	born        wire.SessionNumber
	number      wire.RequestNumber // of the last request
	busy        bool
	registering bool
	// reading says that what is outstanding is a read, the last of so many; it must show the op
	// floor.
	reading bool
	reads   wire.RequestNumber
	floor   wire.Op
	request wire.Request
	// operation is the outstanding request as the history has it; lives tells the clients of
	// the history apart, as an open request is followed by others.
	operation lin.Operation
	lives     int
	model     lin.Model
	sendAt    int // tick at which to send or begin
	// seen are the values that it knows of a register's keys, known the highest offset that it
	// was given by a partition, -1 before; in the catalogue the id of the stream that it created
	// last, and knownName its name.
	seen      map[uint64]uint64
	known     int64
	knownName string
	// answered counts requests that were begun and answered in the healed phase.
	answered    int
	begunHealed bool
}

func newClient(s *simulation, place int) *client {
	return &client{
		s: s, place: place, group: wire.GroupID(place % len(s.plan.shape.policies)),
		target: place % s.plan.shape.replicas, seen: map[uint64]uint64{}, known: -1,
		sendAt: s.chances.clients.between(1, s.plan.shape.thinkTicks),
	}
}

// clientOf returns the place of the client that an id belongs to.
func clientOf(id wire.ClientID) int { return int(id.Lo) - 1 }

// tick begins or sends, as the time demands.
func (c *client) tick() {
	if c.s.schedule.now < c.sendAt {
		return
	}
	if !c.busy {
		if c.s.healed && (c.answered >= healedRequests || c.waits()) {
			return
		}
		switch {
		case c.session == 0:
			c.register()
		case c.wantsRead():
			c.beginRead()
		default:
			c.begin()
		}
	} else {
		c.s.result.Resent++
		c.target = (c.target + 1) % c.s.plan.shape.replicas
	}
	c.send()
}

// wantsRead says that the next thing is a read. After the faults the first of each client goes
// through the log, which owes more than reads.
func (c *client) wantsRead() bool {
	read := c.s.chances.clients.chance(c.s.plan.shape.reads, 10)
	return read && !(c.s.healed && c.answered == 0)
}

// waits says that others of the group come first. After the faults they take turns if they are
// more than the table has rows: they would go on ending one another's sessions. As the least
// recently used row is what is evicted, half the table may be in use at once, so that a
// crowd is done within the time that a run has.
func (c *client) waits() bool {
	groups, capacity := len(c.s.plan.shape.policies), c.s.plan.shape.capacity
	if (len(c.s.clients)+groups-1)/groups <= capacity {
		return false
	}
	turns := max(1, capacity/2)
	for _, other := range c.s.clients[:c.place] {
		if other.group == c.group && (other.busy || other.answered < healedRequests) {
			if turns--; turns == 0 {
				return true
			}
		}
	}
	return false
}

func (c *client) send() {
	c.sendAt = c.s.schedule.now + c.s.plan.shape.patience
	c.s.request(c.place, c.target, &c.request)
}

func (c *client) envelope() wire.Request {
	return wire.Request{
		Cluster: ClusterID, Group: c.group, Client: wire.ClientID{Lo: uint64(c.place) + 1},
		UserID: user,
	}
}

// user is who all clients are.
const user = metadata.RootID

// register asks for a session.
func (c *client) register() {
	c.registration++
	c.busy, c.registering = true, true
	c.request = c.envelope()
	c.request.Operation, c.request.Number = wire.OperationRegister, c.registration
}

// begin chooses the next operation.
func (c *client) begin() {
	c.number++
	c.busy, c.begunHealed = true, c.s.healed
	c.beginOperation()
	c.request = c.envelope()
	c.request.Session, c.request.Number = c.session, c.number
	c.s.workloadOf(c.group).begin(c)
	bytes := append([]byte{byte(c.request.Operation)}, c.request.Body...)
	c.request.RequestChecksum = wire.ChecksumOf(bytes)
}

// beginOperation begins an operation of the history.
func (c *client) beginOperation() {
	call := c.s.history.moment()
	c.operation = lin.Operation{
		Client: c.lives*clientsMax + c.place, ID: uint64(call), Call: call,
		Key: groupKey(c.group),
	}
}

// groupKey names a group in histories.
func groupKey(group wire.GroupID) string { return "group-" + strconv.Itoa(int(group)) }

// rest ends the outstanding request.
func (c *client) rest() {
	c.busy, c.registering, c.reading = false, false, false
	c.sendAt = c.s.schedule.now + c.s.chances.clients.between(1, c.s.plan.shape.thinkTicks)
}

// onReply takes an answer to the outstanding request; others are of the past.
func (c *client) onReply(m *wire.Reply) {
	if !c.registering && !c.reading && m.Status == 0 && wire.SessionNumber(m.Op) < c.born {
		return // to a request of that number in an earlier life of the client (R18)
	}
	if !c.busy || m.Number != c.request.Number || m.Operation != c.request.Operation ||
		m.Client != c.request.Client || m.Group != c.group ||
		m.RequestChecksum != c.request.RequestChecksum {
		return
	}
	if c.reading {
		c.onReadReply(m)
		return
	}
	switch m.Status {
	case 0:
		if c.registering {
			c.registered(m)
		} else {
			c.finish(m)
		}
	case replica.StatusNotAccepted, replica.StatusDiskFull: // elsewhere, or later
		c.sendAt = c.s.schedule.now + c.s.chances.clients.between(1, 5)
	case replica.StatusInvalidSession, replica.StatusApplied, replica.StatusRefused:
		if m.Status != replica.StatusInvalidSession {
			c.s.fail(FailReply, "client %d: request %d of session %d has status %d, though no "+
				"other has its number", c.place, c.number, c.session, m.Status)
		}
		c.unknown()
	default:
		c.s.fail(FailReply, "client %d: status %d", c.place, m.Status)
	}
}

// registered begins a session. The client table may have kept the row, with what executed.
func (c *client) registered(m *wire.Reply) {
	session, born, watermark, ok := replica.ParseSessionBody(m.Body)
	if !ok || session < c.session {
		c.s.fail(FailReply, "client %d: session %d after %d", c.place, session, c.session)
		return
	}
	c.session, c.born, c.number = session, born, watermark
	if born == session {
		c.number = 0
	}
	c.s.result.Sessions++
	c.rest()
}

// unknown leaves the request open: its session is over, and with it what is known of it.
func (c *client) unknown() {
	c.s.result.Unknown++
	c.operation.Open = true
	c.s.history.add(c.model, c.operation)
	c.lives++
	c.session = 0
	c.rest()
}

// finish takes the result of the outstanding request.
func (c *client) finish(m *wire.Reply) {
	if wrong := c.s.workloadOf(c.group).end(c, m.Body); wrong != "" {
		c.s.fail(FailReply, "client %d, group %d: %s", c.place, c.group, wrong)
		return
	}
	c.answer()
}

// answer puts what was outstanding into the history, with its answer.
func (c *client) answer() {
	c.operation.Return = c.s.history.moment()
	c.s.history.add(c.model, c.operation)
	c.s.result.Operations++
	if c.begunHealed {
		c.answered++
	}
	c.rest()
}
