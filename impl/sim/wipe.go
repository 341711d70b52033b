package sim

import (
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// wipeAt returns the replica that loses its disk and when, if one does. It takes nothing from
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
	if s.schedule.now < tick {
		return
	}
	s.result.Injected["wipe"]++
	if s.cluster.Up(replica) {
		s.crash(replica)
	}
	s.cluster.Wipe(replica)
	s.check.wiped(replica)
}

// wiped lets a replica forget what it promised, once. What it has voted binds it still: it must
// not come back to a view below, nor vote a second time (R16).
func (c *checker) wiped(replica int) {
	w := &c.replicas[replica]
	*w = watched{
		last: vsr.State{Status: vsr.StatusRecovering}, voted: w.voted, votes: w.votes,
	}
	for _, view := range slices.Sorted(maps.Keys(w.voted)) {
		w.spoken = view // the highest is the last
	}
	c.lost++
	c.moved = true
}
