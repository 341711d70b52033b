package nodes

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// packet is a frame under way. from is negative for a client's.
type packet struct {
	from, to int
	frame    []byte
	// damaged says that a fault has changed it: it must not be taken for a good one.
	damaged bool
}

// network says which links work.
type network struct {
	// blocked[from][to] loses what arrives; cut[process] what goes from and to clients.
	blocked [processes][processes]bool
	cut     [processes]bool
	// until is when the partition ends; zero if there is none.
	until int
}

// delayMaxTicks is how long a frame takes that an injected fault slows down.
const delayMaxTicks = 300

// send puts a frame of a process on its way.
func (s *simulation) send(p packet) {
	r := &s.plan.rates
	s.result.Frames++
	_, _ = s.digest.Write(p.frame) // it never fails
	if s.inject("lose", r.lose, 1000) {
		return
	}
	s.transmit(eventPacket, p, p.to)
	if s.inject("duplicate", r.duplicate, 1000) {
		s.transmit(eventPacket, p, p.to)
	}
}

// transmit schedules the arrival of a frame at a process or at a client.
func (s *simulation) transmit(kind eventKind, p packet, to int) {
	delay := s.random.between(1, s.plan.shape.packetTicks)
	if s.inject("delay", s.plan.rates.delay, 1000) {
		delay = s.random.skewed(delayMaxTicks)
	}
	if s.inject("corrupt", s.plan.rates.corrupt, 1000) {
		p.frame, p.damaged = slices.Clone(p.frame), true
		bit := s.random.IntN(8 * len(p.frame))
		p.frame[bit/8] ^= 1 << (bit % 8)
	}
	s.schedule.after(delay, event{kind: kind, process: to, packet: p})
}

// decode returns what a frame says, nil if it was damaged on the way (R20).
func (s *simulation) decode(p *packet) wire.Message {
	m, err := wire.Decode(p.frame)
	switch {
	case p.damaged && err == nil:
		s.fail(FailCorruption, "a damaged %s was taken for a good one", m.Command())
	case p.damaged:
		s.result.Injected["corrupt_dropped"]++
	case err != nil:
		s.fail(FailInternal, "a frame of %d was refused: %v", p.from, err)
	default:
		s.result.Delivered[m.Command().String()]++
		return m
	}
	return nil
}

// arrive hands a frame to the process that it reaches.
func (s *simulation) arrive(p *process, e *event) {
	from := e.packet.from
	if p.later(e) {
		return
	}
	if !p.up || from >= 0 && s.network.blocked[from][p.id] || from < 0 && s.network.cut[p.id] {
		return
	}
	m := s.decode(&e.packet)
	if m == nil {
		return
	}
	h := p.hosts[m.GroupID()]
	if request, ok := m.(*wire.Request); ok {
		p.run(h, func() { h.Request(request) })
		return
	}
	p.run(h, func() { h.Receive(m) })
}

// sendReply sends a reply to the client that waits for it.
func (s *simulation) sendReply(p *process, m *wire.Reply) {
	frame := wire.Encode(m)
	_, _ = s.digest.Write(frame)
	if s.network.cut[p.id] || s.inject("lose", s.plan.rates.lose, 1000) {
		return
	}
	s.transmit(eventReply, packet{from: p.id, frame: frame}, clientOf(m.Client))
}

func (s *simulation) arriveReply(e *event) {
	if m, ok := s.decode(&e.packet).(*wire.Reply); ok {
		s.clients[e.process].onReply(m)
	}
}

// request sends a client's request.
func (s *simulation) request(client, to int, m *wire.Request) {
	s.result.Frames++
	if s.inject("lose", s.plan.rates.lose, 1000) {
		return
	}
	s.transmit(eventPacket, packet{from: -1 - client, to: to, frame: wire.Encode(m)}, to)
}

// healPartition makes every link work.
func (n *network) healPartition() { *n = network{} }

// partition splits the processes for a while: one alone or at random, in both directions or in
// one, with or without the clients.
func (s *simulation) partition() {
	n := &s.network
	n.until = s.schedule.now + s.random.skewed(400)
	side := [processes]int{}
	if s.random.chance(1, 2) {
		side[s.random.IntN(processes)] = 1
	} else {
		for i := range side {
			side[i] = s.random.IntN(processes)
		}
	}
	oneWay, inward := s.random.chance(1, 2), s.random.chance(1, 2)
	for from := range side {
		for to := range side {
			differ := side[from] != side[to]
			n.blocked[from][to] = differ && (!oneWay || (side[from] < side[to]) == inward)
		}
	}
	if s.random.chance(1, 2) {
		seen := side[s.random.IntN(processes)]
		for i := range n.cut {
			n.cut[i] = side[i] != seen
		}
	}
}
