package sim

import (
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// wipeAt returns the replica that loses its disk and when at the earliest. It takes nothing from
// the random source: a run is the same up to the loss.
func (s *simulation) wipeAt() (replica, tick int) {
	drawn := newRandom(^s.options.Seed)
	return drawn.IntN(s.options.Replicas), 1 + drawn.IntN(s.options.Ticks)
}

// maybeWipe takes one replica's disk away when its time has come. It comes back, like after a
// crash, on an empty one.
func (s *simulation) maybeWipe() {
	if !s.options.Wipe || s.options.Replicas < 3 || s.result.Injected["wipe"] > 0 {
		return
	}
	replica, tick := s.wipeAt()
	// Right after a vote is when there is most to forget.
	owed := s.check.lastVote(replica) > s.check.newest || 4*s.schedule.now >= 3*s.options.Ticks
	if s.schedule.now < tick || !owed {
		return
	}
	s.result.Injected["wipe"]++
	if s.cluster.Up(replica) {
		s.crash(replica)
	}
	s.cluster.Wipe(replica)
	s.check.wiped(replica)
}

// unrestTicks is for how many ticks of its life a replica that has lost its disk is kept from
// coming back.
const unrestTicks = 1000

// returning returns the replica that has lost its disk and is being kept from coming back, or -1.
func (s *simulation) returning() int {
	if s.result.Injected["wipe"] == 0 || s.healed {
		return -1
	}
	replica, _ := s.wipeAt()
	if s.kept > unrestTicks || !s.cluster.Up(replica) || !s.check.isOut(replica) {
		return -1
	}
	return replica
}

// unrest changes views under a replica that has lost its disk, and crashes it again: what it is
// told is of an earlier view or boot then. In most runs there is none.
func (s *simulation) unrest() {
	replica := s.returning()
	if replica < 0 || s.options.Seed%4 != 3 {
		return
	}
	s.kept++
	if s.random.chance(1, 60) {
		s.result.Injected["wipe_unrest"]++
		other := (replica + s.random.between(1, s.options.Replicas-1)) % s.options.Replicas
		s.input(other, vsr.LeaveView{})
	}
	if s.random.chance(1, 150) {
		s.result.Injected["wipe_crash"]++
		s.crash(replica)
	}
}

// comesLate delays what tells a replica that has lost its disk who is in a view, mostly.
func (s *simulation) comesLate(p *Packet) bool {
	return p.Message.Command() == wire.CommandConfirmViewOK && s.options.Seed%4 == 3 &&
		p.To == s.returning() && s.random.chance(3, 4)
}

// wiped lets a replica forget what it promised, once. What it has voted binds it still: it must
// not come back to a view below, nor vote a second time (R16).
func (c *checker) wiped(replica int) {
	w := &c.replicas[replica]
	*w = watched{
		last: vsr.State{Status: vsr.StatusRecovering}, voted: w.voted, votes: w.votes,
		acked: w.acked,
	}
	w.spoken = c.lastVote(replica)
	c.lost++
	c.moved = true
}

// lastVote returns the highest view that a replica has voted in, over all boots.
func (c *checker) lastVote(replica int) wire.View {
	last := wire.View(0)
	for _, view := range slices.Sorted(maps.Keys(c.replicas[replica].voted)) {
		last = view
	}
	return last
}
