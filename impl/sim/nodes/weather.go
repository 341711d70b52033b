package nodes

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// partitionMode says how a partition splits the processes.
type partitionMode uint8

// The modes.
const (
	modeUniformSize partitionMode = iota + 1 // a size of one side is drawn, then who is on it
	modeUniform                              // each process draws its side
	modeIsolate                              // one process alone
)

// String returns the name in snake_case.
func (m partitionMode) String() string {
	switch m {
	case modeUniformSize:
		return "uniform_size"
	case modeUniform:
		return "uniform"
	case modeIsolate:
		return "isolate"
	}
	return "none"
}

// network says which links work. It is weather: what it does next depends on the seed and the
// tick alone, never on what is sent.
type network struct {
	// blocked[from][to] loses what arrives; cut[process] what goes from and to clients.
	blocked [processesMax][processesMax]bool
	cut     [processesMax]bool
	// partitioned says that there is a partition; neither it nor its absence ends before
	// stableUntil.
	partitioned bool
	stableUntil int
	// clogged[from][to] is when the link goes on: what is under way waits until then.
	clogged [processesMax][processesMax]int
	// filtered loses all frames of one command on one link, until a tick.
	filtered struct {
		from, to, until int
		command         wire.Command
	}
	// underWay are the frames on each link.
	underWay [processesMax][processesMax][]*flight
}

// flight is a frame under way; one that is dropped never arrives.
type flight struct{ dropped bool }

// changeWeather begins and ends partitions, clogs and filters.
func (s *simulation) changeWeather() {
	const outOf = 10_000
	n, r, now := &s.network, &s.plan.rates, s.schedule.now
	chance, last := s.chances.weather, s.plan.shape.replicas-1
	if n.partitioned {
		if ends := chance.chance(1, 60); ends && now >= n.stableUntil {
			n.healPartition()
			n.stableUntil = now + s.plan.shape.wholeTicks
		}
	} else if now >= n.stableUntil && s.inject(chance, "partition", r.partition, outOf) {
		s.partition()
		n.partitioned, n.stableUntil = true, now+s.plan.shape.partitionTicks
	}
	if s.inject(chance, "clog", r.clog, outOf) {
		from, to := chance.between(0, last), chance.between(0, last)
		n.clogged[from][to] = now + 10 + chance.skewed(200)
		s.weather("clog", from, to)
	}
	if s.inject(chance, "filter", r.filter, outOf) {
		f, commands := &n.filtered, wire.Commands()
		f.from, f.to = chance.between(0, last), chance.between(0, last)
		f.until = now + 20 + chance.skewed(300)
		f.command = commands[chance.IntN(len(commands))]
		s.weather("filter", f.from, f.to)
	}
}

// weather folds what the weather does into its digest.
func (s *simulation) weather(kind string, numbers ...int) {
	_, _ = fmt.Fprint(s.weathers, s.schedule.now, kind, numbers) // it never fails
}

// healPartition makes every link work.
func (n *network) healPartition() {
	n.blocked, n.cut, n.partitioned = [processesMax][processesMax]bool{}, [processesMax]bool{}, false
}

// partition splits the processes: in both directions or in one, with or without the clients.
func (s *simulation) partition() {
	n, chance, replicas := &s.network, s.chances.weather, s.plan.shape.replicas
	var side [processesMax]int
	switch s.plan.shape.mode {
	case modeUniformSize:
		for _, p := range chance.Perm(replicas)[:chance.between(1, max(1, replicas-1))] {
			side[p] = 1
		}
	case modeUniform:
		for p := range replicas {
			side[p] = chance.IntN(2)
		}
	case modeIsolate:
		side[chance.IntN(replicas)] = 1
	}
	inward := chance.chance(1, 2)
	for from := range replicas {
		for to := range replicas {
			differ := side[from] != side[to]
			n.blocked[from][to] = differ &&
				(s.plan.shape.symmetric || (side[from] < side[to]) == inward)
		}
	}
	seen := chance.IntN(2)
	if chance.chance(1, 2) {
		for p := range replicas {
			n.cut[p] = side[p] != seen
		}
		s.result.Injected["partition_clients"]++
	}
	s.result.Injected["partition_"+s.plan.shape.mode.String()]++
	if !s.plan.shape.symmetric {
		s.result.Injected["partition_one_way"]++
	}
	s.weather("partition", side[:]...)
}
