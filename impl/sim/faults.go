package sim

import (
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// inject decides whether a fault of a kind happens now, and counts it. One that chance has
// spared happens at the first opportunity in the second half of the phase, so that no seed
// promises a fault that never comes. There are none once the cluster has healed.
func (s *simulation) inject(kind string, rate, outOf int) bool {
	if s.healed || rate == 0 {
		return false
	}
	late := 2*s.schedule.now > s.options.Ticks && s.result.Injected[kind] == 0
	if !late && !s.random.chance(rate, outOf) {
		return false
	}
	s.result.Injected[kind]++
	return true
}

// injectFaults begins and ends what is not bound to a packet or a write.
func (s *simulation) injectFaults() {
	const outOf = 10_000
	r, random, n := &s.plan.rates, s.random, &s.network
	now := s.schedule.now
	if n.partitionUntil != 0 && now >= n.partitionUntil {
		n.healPartition()
		if s.inject("partition_shift", r.partitionShift, 1000) {
			s.partition(partitionPrimary) // the log of whom it cut off meets that of the next view
		}
	}
	if n.partitionUntil == 0 && s.inject("partition", r.partition, outOf) {
		s.partition(s.random.IntN(3))
	}
	if now >= n.clogUntil && s.inject("clog", r.clog, outOf) {
		n.clogFrom, n.clogTo = s.randomReplica(), s.randomReplica()
		n.clogUntil = now + random.skewed(300)
	}
	if replica := s.randomReplica(); s.cluster.Up(replica) && s.inject("crash", r.crash, outOf) {
		s.crash(replica)
	}
	if s.inject("crash_all", r.crashAll, outOf) {
		for replica := range s.processes {
			s.crash(replica)
		}
	}
	if s.inject("pause", r.pause, outOf) {
		s.processes[s.randomReplica()].pausedUntil = now + random.skewed(400)
	}
	if s.inject("leave_view", r.leaveView, outOf) {
		s.input(s.randomReplica(), vsr.LeaveView{})
	}
	if s.inject("stranger", r.stranger, outOf) {
		s.sendStranger()
	}
}

func (s *simulation) randomReplica() int { return s.random.IntN(s.options.Replicas) }

// How a partition chooses its sides.
const (
	partitionIsolate = iota
	partitionPrimary
	partitionSplit
)

// partition splits the replicas into up to three sides for a while: one alone, the newest
// primary alone, or at random; in both directions or in one. Clients may see all sides or only
// one.
func (s *simulation) partition(mode int) {
	n := &s.network
	n.partitionUntil = s.schedule.now + s.random.skewed(600)
	side := make([]int, n.replicas)
	switch mode {
	case partitionIsolate:
		s.result.Injected["partition_isolate"]++
		side[s.randomReplica()] = 1
	case partitionPrimary:
		s.result.Injected["partition_primary"]++
		side[s.check.newestPrimary()] = 1
	case partitionSplit:
		s.result.Injected["partition_split"]++
		for i := range side {
			side[i] = s.random.IntN(3)
		}
	}
	oneWay := s.random.IntN(2) == 0
	if oneWay {
		s.result.Injected["partition_one_way"]++
	}
	inward := s.random.IntN(2) == 0
	for from := range side {
		for to := range side {
			differ := side[from] != side[to]
			if oneWay {
				differ = differ && (side[from] < side[to]) == inward
			}
			n.blocked[from*n.replicas+to] = differ
		}
	}
	if s.random.IntN(2) == 0 {
		s.result.Injected["partition_clients"]++
		seen := side[s.randomReplica()]
		for replica := range n.cut {
			n.cut[replica] = side[replica] != seen
		}
	}
}

// sendStranger delivers a sound frame that is none of the group's business (R20): of another
// cluster, of another group, from no replica, of a kind that no replica takes, a StartView by
// another than its primary, or one whose log is no chain.
func (s *simulation) sendStranger() {
	const farView = 1000
	to := s.randomReplica()
	from := wire.ReplicaID((to + 1) % s.options.Replicas)
	var m wire.Message
	switch s.random.IntN(5) {
	case 0:
		m = &wire.Commit{
			Cluster: wire.ClusterIDOf("another"), View: farView, Replica: from, Commit: 1,
		}
	case 1:
		m = &wire.StartViewChange{Cluster: ClusterID, Group: 7, View: farView, Replica: from}
	case 2:
		m = &wire.StartViewChange{
			Cluster: ClusterID, View: farView, Replica: wire.ReplicaID(s.options.Replicas),
		}
	case 3:
		m = &wire.Reply{
			Cluster: ClusterID, Replica: from, View: farView, Client: wire.ClientID{Lo: 1},
		}
	default:
		// A core with a broken rule believes whatever log it is sent.
		if to == 0 && s.options.Defects == 0 {
			m = brokenLog(from, s.options.Replicas)
			break
		}
		m = &wire.StartView{Cluster: ClusterID, View: farView + wire.View(from), Replica: from}
		if int(uint64(m.InView())%uint64(s.options.Replicas)) == int(from) {
			m = &wire.StartView{Cluster: ClusterID, View: m.InView() + 1, Replica: from}
		}
	}
	s.transmit(eventPacket, to, Packet{
		From: int(from), To: to, Frame: wire.Encode(m), Message: m,
	}, s.usualDelay())
}

// brokenLog is a StartView by the primary of its view with a log that hangs in the air.
func brokenLog(from wire.ReplicaID, replicas int) wire.Message {
	const farRound = 500
	p := wire.Prepare{Header: wire.PrepareHeader{Cluster: ClusterID, Op: 9, Operation: 240}}
	p.Seal()
	return &wire.StartView{
		Cluster: ClusterID, View: wire.View(farRound*replicas + int(from)), Replica: from,
		Commit: 8, Base: wire.PrepareID{Op: 8, Checksum: wire.Checksum{Lo: 1}},
		Headers: []wire.PrepareHeader{p.Header},
	}
}
