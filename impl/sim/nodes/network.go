package nodes

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// packet is a frame under way. from is negative for a client's.
type packet struct {
	from, to int
	command  wire.Command
	frame    []byte
	// damaged says that a fault has changed it: it must not be taken for a good one.
	damaged bool
	flight  *flight
}

// delayMaxTicks is how long a frame takes that an injected fault slows down.
const delayMaxTicks = 300

// send puts a frame of a process on its way.
func (s *simulation) send(p packet) {
	s.result.Frames++
	_, _ = s.digest.Write(p.frame) // it never fails
	if s.lost(&p) {
		return
	}
	s.carry(eventPacket, p, p.to)
}

// carry schedules the arrival of a frame, or of two.
func (s *simulation) carry(kind eventKind, p packet, to int) {
	s.transmit(kind, p, to)
	if s.inject(s.chances.packets, "duplicate", s.plan.rates.duplicate, 1000) {
		s.transmit(kind, p, to)
	}
}

// lost says that a frame does not even get under way.
func (s *simulation) lost(p *packet) bool {
	if s.inject(s.chances.packets, "lose", s.plan.rates.lose, 1000) {
		return true
	}
	f := &s.network.filtered
	if s.schedule.now < f.until && p.from == f.from && p.to == f.to && p.command == f.command {
		s.result.Injected["filtered"]++
		return true
	}
	return false
}

// transmit schedules the arrival of a frame at a process or at a client.
func (s *simulation) transmit(kind eventKind, p packet, to int) {
	chance, now := s.chances.packets, s.schedule.now
	delay := s.plan.shape.packetMin
	if mean := s.plan.shape.packetMean; mean > 0 {
		delay += chance.geometric(mean)
	}
	if s.inject(chance, "delay", s.plan.rates.delay, 1000) {
		delay = chance.skewed(delayMaxTicks)
	}
	if s.inject(chance, "corrupt", s.plan.rates.corrupt, 1000) {
		p.frame, p.damaged = slices.Clone(p.frame), true
		bit := chance.IntN(8 * len(p.frame))
		p.frame[bit/8] ^= 1 << (bit % 8)
	}
	if kind == eventPacket && p.from >= 0 {
		if clog := s.network.clogged[p.from][to]; clog > now+delay {
			delay = clog - now + chance.between(0, 5)
			s.result.Injected["clogged"]++
		}
		p.flight = s.board(p.from, to)
	}
	s.schedule.after(delay, event{kind: kind, process: to, packet: p})
}

// board takes a frame onto a link. If the link is full one of its frames is dropped, any.
func (s *simulation) board(from, to int) *flight {
	link := &s.network.underWay[from][to]
	f := &flight{}
	if !s.healed && len(*link) >= s.plan.shape.linkCapacity {
		i := s.chances.packets.IntN(len(*link))
		(*link)[i].dropped = true
		(*link)[i] = f
		s.result.Injected["overflow"]++
		return f
	}
	*link = append(*link, f)
	return f
}

// landed takes a frame off its link, and reports whether it arrives.
func (s *simulation) landed(p *packet) bool {
	if p.flight == nil {
		return true
	}
	link := &s.network.underWay[p.from][p.to]
	if i := slices.Index(*link, p.flight); i >= 0 {
		last := len(*link) - 1
		(*link)[i] = (*link)[last]
		*link = (*link)[:last]
	}
	return !p.flight.dropped
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
		s.delivered[m.Command()]++
		if s.healed && m.Command() == wire.CommandCheckpointChunk {
			s.healedChunks++
		}
		return m
	}
	return nil
}

// arrive hands a frame to the process that it reaches.
func (s *simulation) arrive(p *process, e *event) {
	from := e.packet.from
	if p.later(e) || !s.landed(&e.packet) {
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
	request, ok := m.(*wire.Request)
	switch {
	case ok && request.Operation == wire.OperationNonReplicated:
		p.run(h, func() { s.ask(h, request) })
		return
	case ok:
		p.run(h, func() { h.Request(request) })
		return
	}
	p.run(h, func() { h.Receive(m) })
}

// sendReply sends a reply to the client that waits for it.
func (s *simulation) sendReply(p *process, m *wire.Reply) {
	frame := wire.Encode(m)
	_, _ = s.digest.Write(frame)
	reply := packet{from: p.id, to: -1, command: m.Command(), frame: frame}
	if s.network.cut[p.id] || s.lost(&reply) {
		return
	}
	s.carry(eventReply, reply, clientOf(m.Client))
}

func (s *simulation) arriveReply(e *event) {
	if m, ok := s.decode(&e.packet).(*wire.Reply); ok {
		s.clients[e.process].onReply(m)
	}
}

// request sends a client's request.
func (s *simulation) request(client, to int, m *wire.Request) {
	s.result.Frames++
	p := packet{from: -1 - client, to: to, command: m.Command(), frame: wire.Encode(m)}
	if s.lost(&p) {
		return
	}
	s.carry(eventPacket, p, to)
}
