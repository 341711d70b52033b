package sim

import "github.com/viewstamp/viewstamp/impl/wire"

// turning is the last question of a replica for the bodies that it lacks, since it last got one.
type turning struct {
	view     wire.View
	from, to wire.Op
	peer     int
	tick     int
	row      int // so many of them in a row to that peer
}

// inRowMax is how many equal questions in a row may go to one peer: what is lacked first may change
// between two that read alike, as a hole is asked for beside a body, and the turn then begins anew.
const inRowMax = 2

// takesTurns demands that a peer which does not answer is not asked for ever: another one is asked
// at each attempt (R9).
func (c *checker) takesTurns(p *Packet, m *wire.RequestPrepares) {
	t := &c.replicas[p.From].turning
	if len(c.replicas) <= 2 {
		return // there is nobody else
	}
	now := turning{
		view: m.View, from: m.FromOp, to: m.ToOp, peer: p.To, tick: c.s.schedule.now, row: 1,
	}
	if t.view == now.view && t.from == now.from && t.to == now.to && t.peer == now.peer {
		now.row = t.row
		if t.tick != now.tick {
			now.row++
		}
	}
	*t = now
	if now.row > inRowMax {
		c.s.fail(FailOwed, "replica %d asks replica %d for op %d, which does not answer, %d times in "+
			"a row", p.From, p.To, m.FromOp, now.row)
	}
}
