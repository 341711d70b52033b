package sim

import "github.com/viewstamp/viewstamp/impl/wire"

// turning is whom a replica has asked for the bodies that it lacks, since it last got one.
type turning struct {
	view wire.View
	from wire.Op
	last wire.Op
	to   int
	tick int
	row  int // so many questions in a row to the same peer
}

// inRowMax is how many questions in a row may go to one peer: a replica that enters a status
// begins anew.
const inRowMax = 2

// takesTurns demands that a peer which does not answer is not asked for ever: another one is asked
// at each attempt (R9).
func (c *checker) takesTurns(p *Packet, m *wire.RequestPrepares) {
	t := &c.replicas[p.From].turning
	if len(c.replicas) <= 2 {
		return // there is nobody else
	}
	now := turning{view: m.View, from: m.FromOp, last: m.ToOp, to: p.To, tick: c.s.schedule.now, row: 1}
	if t.view == now.view && t.from == now.from && t.last == now.last && t.to == now.to {
		now.row = t.row
		if t.tick != now.tick {
			now.row++
		}
	}
	*t = now
	if now.row > inRowMax {
		c.s.fail(FailOwed, "replica %d asks replica %d for op %d, which does not answer, %d times in a row",
			p.From, p.To, m.FromOp, now.row)
	}
}
