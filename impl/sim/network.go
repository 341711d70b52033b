package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// network says which links work. Links between replicas keep the order of what is sent, as a
// connection does, until a fault breaks it: they lose, delay, duplicate, reorder, damage and
// misdirect frames. Links of clients lose, delay, reorder and damage them but never
// duplicate: until there are sessions (R18) nothing would keep a request that arrives twice
// from being executed twice.
type network struct {
	replicas int
	// queues[from*replicas+to] is what the link delivers in order, oldest first.
	queues [][]Packet
	// blocked[from*replicas+to] loses what arrives.
	blocked []bool
	// cut[replica] loses what clients send to the replica and it to them.
	cut []bool
	// partitionUntil is when blocked and cut end; zero if there is no partition.
	partitionUntil int
	// The link clogFrom to clogTo holds everything back until clogUntil.
	clogFrom, clogTo, clogUntil int
}

func newNetwork(replicas int) network {
	return network{
		replicas: replicas, queues: make([][]Packet, replicas*replicas),
		blocked: make([]bool, replicas*replicas), cut: make([]bool, replicas),
	}
}

// connects reports whether a packet from one replica or client (negative) gets to a replica.
func (n *network) connects(from, to int) bool {
	if from < 0 {
		return !n.cut[to]
	}
	return !n.blocked[from*n.replicas+to]
}

func (n *network) healPartition() {
	clear(n.blocked)
	clear(n.cut)
	n.partitionUntil = 0
}

func (n *network) heal() {
	n.healPartition()
	n.clogUntil = 0
}

// delayMaxTicks is how long a packet or write takes that an injected fault slows down.
const delayMaxTicks = 400

// lateMaxTicks is how long a packet may take to a replica that has lost its disk.
const lateMaxTicks = 250

// send puts a packet of a replica on its way.
func (s *simulation) send(p Packet) {
	r := &s.plan.rates
	s.result.PacketsSent++
	if s.inject("lose", r.lose, 1000) {
		s.result.PacketsLost++
		return
	}
	if s.inject("misdirect", r.misdirect, 1000) {
		p.To = s.randomReplica()
	}
	switch {
	case s.inject("delay", r.delay, 1000):
		s.transmit(eventPacket, p.To, p, s.random.skewed(delayMaxTicks))
	case s.comesLate(&p):
		s.transmit(eventPacket, p.To, p, s.random.between(1, lateMaxTicks))
	case s.inject("reorder", r.reorder, 1000):
		s.transmit(eventPacket, p.To, p, s.usualDelay())
	default:
		// Some packet of the link arrives then, and that is the oldest.
		queue := &s.network.queues[p.From*s.network.replicas+p.To]
		*queue = append(*queue, s.damage(p))
		s.schedule.after(s.usualDelay(), event{
			kind: eventLink, replica: p.To, packet: Packet{From: p.From, To: p.To},
		})
	}
	if s.inject("duplicate", r.duplicate, 1000) {
		s.result.PacketsDuplicated++
		s.transmit(eventPacket, p.To, p, s.usualDelay())
	}
}

func (s *simulation) usualDelay() int { return s.random.between(1, s.plan.shape.packetTicks) }

// transmit schedules the arrival of this very packet, at a replica or at a client.
func (s *simulation) transmit(kind eventKind, to int, p Packet, delay int) {
	s.schedule.after(delay, event{kind: kind, replica: to, packet: s.damage(p)})
}

// damage may flip a bit of a frame.
func (s *simulation) damage(p Packet) Packet {
	if s.inject("corrupt", s.plan.rates.corrupt, 1000) {
		p.Frame, p.damaged = slices.Clone(p.Frame), true
		bit := s.random.IntN(8 * len(p.Frame))
		p.Frame[bit/8] ^= 1 << (bit % 8)
	}
	return p
}

// transmitClient is transmit for the link of a client.
func (s *simulation) transmitClient(kind eventKind, to int, p Packet) {
	delay := s.usualDelay()
	if s.inject("delay", s.plan.rates.delay, 1000) {
		delay = s.random.skewed(delayMaxTicks)
	}
	s.transmit(kind, to, p, delay)
}

// deliver hands an arriving packet to its replica, through the codec.
func (s *simulation) deliver(e *event) {
	p, n := &e.packet, &s.network
	now := s.schedule.now
	if p.From == n.clogFrom && e.replica == n.clogTo && now < n.clogUntil {
		s.schedule.after(n.clogUntil-now+s.random.between(0, s.plan.shape.packetTicks), *e)
		return
	}
	if s.holdWhilePaused(e) {
		return
	}
	if e.kind == eventLink {
		queue := &n.queues[p.From*n.replicas+p.To]
		p, *queue = &(*queue)[0], (*queue)[1:]
	}
	if !n.connects(p.From, e.replica) || !s.cluster.Up(e.replica) {
		s.result.PacketsLost++
		return
	}
	if m := s.decode(p); m != nil {
		s.result.Delivered[m.Command().String()]++
		if read, ok := m.(*wire.Request); ok && read.Operation == wire.OperationNonReplicated {
			s.takeRead(e.replica, read)
			return
		}
		s.check.arrived(e.replica, m)
		s.input(e.replica, vsr.Receive{Message: m})
	}
}

// decode returns what a frame says, nil if it was damaged on the way (R20).
func (s *simulation) decode(p *Packet) wire.Message {
	m, err := wire.Decode(p.Frame)
	switch {
	case p.damaged && err == nil:
		s.fail(FailCorruption, "a damaged %s was taken for a good one", m.Command())
	case p.damaged:
		s.result.PacketsCorrupted++
	case err != nil:
		s.fail(FailInternal, "a frame of replica %d was refused: %v", p.From, err)
	default:
		return m
	}
	return nil
}

// request sends a client's request.
func (s *simulation) request(client, replica int, m *wire.Request) {
	s.result.PacketsSent++
	if s.inject("lose", s.plan.rates.lose, 1000) {
		s.result.PacketsLost++
		return
	}
	s.transmitClient(eventPacket, replica, Packet{
		From: -1 - client, To: replica, Frame: wire.Encode(m), Message: m,
	})
}

// sendReply sends a replica's reply to the client that waits for it.
func (s *simulation) sendReply(replica int, m *wire.Reply) {
	s.result.PacketsSent++
	client := clientOf(m.Client)
	if !s.network.connects(-1-client, replica) || s.inject("lose", s.plan.rates.lose, 1000) {
		s.result.PacketsLost++
		return
	}
	s.transmitClient(eventReply, client, Packet{From: replica, To: client, Frame: wire.Encode(m)})
}

func (s *simulation) deliverReply(e *event) {
	m := s.decode(&e.packet)
	if m == nil {
		return
	}
	s.result.Delivered[m.Command().String()]++
	if reply, ok := m.(*wire.Reply); ok {
		s.clients[e.replica].onReply(reply)
	}
}
