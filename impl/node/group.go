package node

import (
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// waitingMax bounds the requests of one group that wait for their replies.
	waitingMax = 1 << 16
	// sweepTicks is how often requests whose client has given up are forgotten.
	sweepTicks = 128
)

// asked is a request and who waits for its reply.
type asked struct {
	request *wire.Request
	// from is the replica that handed the request on; wire.NoReplica for a client of this
	// process, who waits at answer, which has room for one reply.
	from   wire.ReplicaID
	answer chan *wire.Reply
	// since is the group's tick at which the request came.
	since uint64
}

// question tells one request of a group from others that are under way.
type question struct {
	client    wire.ClientID
	number    wire.RequestNumber
	operation wire.Operation
}

// group is one group's host with what surrounds it here. All but id and shard are the shard's
// goroutine's alone.
type group struct {
	id      wire.GroupID
	shard   *shard
	mesh    *transport.Mesh
	replica wire.ReplicaID
	// replicas is how many the group has.
	replicas int

	host *replica.Host
	// query answers a question of a user from the machine's state.
	query   func(user, code uint32, body []byte) ([]byte, protocol.Status)
	waiting map[question]*asked
	ticks   uint64
	// expiry is how many ticks a request may wait.
	expiry uint64

	keeping keeping
	// attendance is the metadata's; nil elsewhere.
	attendance *attendance

	// last is the message that was encoded last: most go to several replicas.
	last      wire.Message
	lastFrame []byte
}

// Send implements replica.Network.
func (g *group) Send(_ wire.GroupID, to wire.ReplicaID, m wire.Message) {
	if m != g.last {
		g.last, g.lastFrame = m, wire.Encode(m)
	}
	g.mesh.Send(to, g.lastFrame)
}

// Reply implements replica.Network: the reply goes to who has asked last.
func (g *group) Reply(m *wire.Reply) {
	q := question{m.Client, m.Number, m.Operation}
	a := g.waiting[q]
	if a == nil {
		return // Its client has given up, or is connected elsewhere and asks there.
	}
	delete(g.waiting, q)
	g.hand(a, m)
}

func (g *group) hand(a *asked, m *wire.Reply) {
	if a.from != wire.NoReplica {
		g.mesh.Send(a.from, wire.Encode(m))
		return
	}
	select {
	case a.answer <- m:
	default: // An earlier reply is enough.
	}
}

// ask gives a request to the host if this replica is the primary; if not it goes to the
// primary, at most once: who gets it from another replica passes it no further.
func (g *group) ask(a *asked) {
	standing := g.host.Standing()
	here := standing.Leads || a.from != wire.NoReplica || standing.Primary == g.replica ||
		!g.mesh.Connected(standing.Primary)
	if len(g.waiting) >= waitingMax || a.from == wire.NoReplica && here && g.cutOff() {
		g.refuse(a)
		return
	}
	a.since = g.ticks
	g.waiting[question{a.request.Client, a.request.Number, a.request.Operation}] = a
	switch {
	case here && a.request.Operation == wire.OperationNonReplicated:
		g.read(a.request)
		return
	case here:
		g.host.Request(a.request)
		return
	}
	if !g.mesh.Send(standing.Primary, wire.Encode(a.request)) {
		g.Reply(g.notAccepted(a.request))
	}
}

// cutOff says that this process reaches so few of the others that nothing can commit here. A
// primary finds out only when its clients have waited in vain: they should go elsewhere.
func (g *group) cutOff() bool { return !inTouch(g.mesh, g.replicas) }

// inTouch says that a process reaches so many, itself included, that they can commit.
func inTouch(mesh *transport.Mesh, replicas int) bool {
	reached := 0
	for r := range replicas {
		if mesh.Connected(wire.ReplicaID(r)) {
			reached++
		}
	}
	return reached > replicas/2
}

// answer takes the reply to a request that was handed on.
func (g *group) answer(m *wire.Reply) {
	q := question{m.Client, m.Number, m.Operation}
	if a := g.waiting[q]; a != nil && a.from == wire.NoReplica {
		delete(g.waiting, q)
		g.hand(a, m)
	}
}

// refuse answers a request that went nowhere.
func (g *group) refuse(a *asked) {
	if a != nil {
		g.hand(a, g.notAccepted(a.request))
	}
}

func (g *group) notAccepted(m *wire.Request) *wire.Reply {
	return &wire.Reply{
		Cluster: m.Cluster, Group: g.id, Replica: g.replica, Client: m.Client, Number: m.Number,
		Operation: m.Operation, RequestChecksum: m.RequestChecksum,
		Status: replica.StatusNotAccepted,
	}
}

// leave ends the group here: who waits is told that nothing was accepted by it now.
//
// Errors: a file cannot be closed, so that nobody knows what the disk holds.
func (g *group) leave() error {
	delete(g.shard.groups, g.id)
	err := g.host.Close()
	g.host = nil
	for q, a := range g.waiting { // Each by itself.
		delete(g.waiting, q)
		g.hand(a, &wire.Reply{
			Group: g.id, Replica: g.replica, Client: q.client, Number: q.number,
			Operation: q.operation, RequestChecksum: a.request.RequestChecksum,
			Status: uint32(protocol.StatusNotCommitted),
		})
	}
	return err
}

func (g *group) tick() {
	g.ticks++
	g.host.Tick()
	g.keep()
	g.endAbsent()
	if g.ticks%sweepTicks != 0 {
		return
	}
	for q, a := range g.waiting { // Each by itself.
		if g.ticks-a.since > g.expiry {
			delete(g.waiting, q)
		}
	}
}
