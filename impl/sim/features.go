package sim

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// rates say how often each kind of fault happens. The comment gives the denominator.
type rates struct {
	lose, duplicate, reorder, delay, corrupt, misdirect int // per 1,000 packets
	stranger                                            int // per 10,000 ticks
	clog, partition                                     int // per 10,000 ticks
	partitionShift                                      int // per 1,000 ends of a partition
	crash, crashAll                                     int // per 10,000 ticks
	crashWrite                                          int // per 1,000 writes begun
	slowWrite                                           int // per 1,000 writes begun
	pause, skew                                         int // per 10,000 ticks
	leaveView                                           int // per 10,000 ticks
}

// shape is what a run is like apart from its faults.
type shape struct {
	packetTicks  int // longest usual delay of a packet
	writeTicks   int // longest usual duration of a write
	readTicks    int // the same of a read
	executeTicks int // the same of an execution
	restartTicks int // longest time that a crashed replica is down
	clients      int
	keys         int // at most keysMax
	thinkTicks   int // longest pause of a client between requests
	patience     int // ticks that a client waits for an answer
}

// keysMax bounds the keys of a run; clientsPerKey is how many clients share one at most, on
// average: with more of them the search for an order of what they saw takes too long.
const (
	clientsPerKey = 4
	keysMax       = clientsMax / clientsPerKey
)

// opTicks is how long an op takes at most, usually, once the cluster has healed.
const opTicks = 40

// cure makes the shape that of the healed phase: disks and state machines keep up with the log
// that a restarted replica executes again from its first op, and clients wait until an election
// and a backlog are over: a short pipeline takes their requests one after the other.
func (p *plan) cure() {
	s := &p.shape
	s.packetTicks, s.writeTicks = min(s.packetTicks, 10), min(s.writeTicks, 6)
	s.readTicks, s.executeTicks = min(s.readTicks, 6), 1
	s.patience = max(s.patience, 600)
	if depth := p.limits.Pipeline; depth > 0 {
		s.patience = max(s.patience, opTicks*s.clients/depth)
	}
}

// feature is a kind of fault that can be switched on by itself.
type feature struct {
	name  string
	rate  func(*rates) *int
	light int
	heavy int
	// Swarm draws swarm * 2^k, k from 0 to doublings.
	swarm, doublings int
}

// features lists them all; the names appear in results and coverage.
var features = []feature{
	{"lose", func(r *rates) *int { return &r.lose }, 10, 80, 5, 6},
	{"duplicate", func(r *rates) *int { return &r.duplicate }, 10, 80, 5, 6},
	{"reorder", func(r *rates) *int { return &r.reorder }, 50, 300, 20, 5},
	{"corrupt", func(r *rates) *int { return &r.corrupt }, 3, 15, 1, 6},
	{"misdirect", func(r *rates) *int { return &r.misdirect }, 2, 10, 1, 5},
	{"delay", func(r *rates) *int { return &r.delay }, 5, 40, 5, 5},
	{"stranger", func(r *rates) *int { return &r.stranger }, 10, 40, 5, 4},
	{"clog", func(r *rates) *int { return &r.clog }, 10, 50, 4, 6},
	{
		"partition_shift", func(r *rates) *int { return &r.partitionShift },
		200, 400, 100, 3,
	},
	{"partition", func(r *rates) *int { return &r.partition }, 10, 40, 4, 5},
	{"crash", func(r *rates) *int { return &r.crash }, 10, 40, 4, 5},
	{"crash_all", func(r *rates) *int { return &r.crashAll }, 2, 6, 2, 4},
	{"crash_write", func(r *rates) *int { return &r.crashWrite }, 1, 4, 1, 5},
	{"slow_write", func(r *rates) *int { return &r.slowWrite }, 5, 30, 5, 5},
	{"pause", func(r *rates) *int { return &r.pause }, 5, 20, 4, 5},
	{"skew", func(r *rates) *int { return &r.skew }, 50, 500, 50, 6},
	{"leave_view", func(r *rates) *int { return &r.leaveView }, 5, 15, 4, 5},
}

// plan is what a seed has chosen: rates, shape, and the same in words.
type plan struct {
	rates  rates
	shape  shape
	timers vsr.Timers
	limits vsr.Limits
	// checkpoints and suffix say what replicas keep of their logs, rotChunks how many chunks of
	// 1,000 rot.
	checkpoints Checkpoints
	suffix      int
	rotChunks   int
	words       []string
}

// planFor lets the seed's random source choose.
func planFor(o Options, random random) plan {
	p := plan{timers: Timers(), suffix: wholeLog, shape: shape{
		packetTicks: 10, writeTicks: 6, readTicks: 6, executeTicks: 3, restartTicks: 400,
		clients: o.Clients, keys: 3, thinkTicks: 20, patience: 300,
	}}
	switch o.Faults {
	case FaultsNone:
		p.shape.packetTicks, p.shape.writeTicks = 3, 2
		p.shape.executeTicks, p.shape.thinkTicks = 1, 3
	case FaultsLight:
		p.set(func(f *feature) int { return f.light })
	case FaultsHeavy:
		p.set(func(f *feature) int { return f.heavy })
	case FaultsSwarm:
		p.drawShape(random)
		p.drawTimers(random)
		p.drawLimits(random)
		p.draw(random)
		if !o.NoCheckpoints {
			p.drawCheckpoints(newRandom(^o.Seed)) // of its own: the rest stays as it is without
		}
	}
	if p.shape.clients == 0 {
		p.shape.clients = DefaultClients
	}
	p.shape.keys = max(p.shape.keys, p.shape.clients/clientsPerKey)
	p.words = append(p.words, fmt.Sprintf("heartbeat=%d prepare=%d repair=%d probe=%d",
		p.timers.HeartbeatTicks, p.timers.PrepareTicks, p.timers.RepairTicks, p.timers.ProbeTicks))
	if l := p.limits; l != (vsr.Limits{}) {
		p.words = append(p.words, fmt.Sprintf("pipeline=%d queue=%d batch=%d", l.Pipeline, l.Queue,
			l.BatchRequests))
	}
	if c := p.checkpoints; c.Every > 0 {
		p.words = append(p.words, fmt.Sprintf("checkpoint=%d suffix=%d chunk=%d retain=%d rot=%d",
			c.Every, p.suffix, c.ChunkBytes, c.Retain, p.rotChunks))
	}
	p.words = append(p.words, fmt.Sprintf(
		"packet<=%d write<=%d read<=%d execute<=%d restart<=%d clients=%d keys=%d think<=%d "+
			"patience=%d", p.shape.packetTicks, p.shape.writeTicks, p.shape.readTicks,
		p.shape.executeTicks, p.shape.restartTicks, p.shape.clients, p.shape.keys,
		p.shape.thinkTicks, p.shape.patience))
	return p
}

func (p *plan) set(rate func(*feature) int) {
	for i := range features {
		f := &features[i]
		*f.rate(&p.rates) = rate(f)
		if rate(f) > 0 {
			p.words = append(p.words, fmt.Sprintf("%s=%d", f.name, rate(f)))
		}
	}
}

// draw switches each feature on or off, at least one on.
func (p *plan) draw(random random) {
	on := make([]bool, len(features))
	on[random.IntN(len(features))] = true
	likely := random.between(1, 4) // of 5: some seeds have few features, some most of them
	for i := range on {
		on[i] = random.chance(likely, 5) || on[i]
	}
	rate := map[string]int{}
	for i := range features {
		f := &features[i]
		if on[i] || f.name == "partition" && rate["partition_shift"] > 0 {
			rate[f.name] = f.swarm << random.between(0, f.doublings)
		}
	}
	p.set(func(f *feature) int { return rate[f.name] })
}

func (p *plan) drawTimers(random random) {
	p.timers.HeartbeatTicks = random.pick(60, 100, 100, 300)
	p.timers.PrepareTicks = random.pick(5, 10, 30)
	p.timers.RepairTicks = random.pick(10, 20, 40)
	p.timers.ProbeTicks = random.pick(5, 10, 10, 20)
}

// drawLimits makes requests wait and share prepares in some seeds: a short pipeline is full soon.
func (p *plan) drawLimits(random random) {
	p.limits.Pipeline = random.pick(vsr.PipelineMax, vsr.PipelineMax, 1, 2, 4)
	p.limits.Queue = random.pick(vsr.QueueMax, vsr.QueueMax, 2, -1)
	p.limits.BatchRequests = random.pick(1, 2, 8, 64)
}

// wholeLog is a suffix that no log of a run outgrows: without checkpoints a log has no holes, as
// in the specification of the protocol without them.
const wholeLog = 1 << 15

// drawCheckpoints makes replicas take checkpoints, in most seeds so often that one which is away
// for a while needs a peer's.
func (p *plan) drawCheckpoints(random random) {
	pick, c := random.pick, &p.checkpoints
	c.Every = pick(0, 3, 8, 8, 20, 60)
	if c.Every == 0 {
		return
	}
	c.ChunkBytes = pick(11, 32, 1<<20)
	c.Retain = pick(0, 0, 1)
	c.Salted = random.IntN(4) == 0
	p.suffix = pick(1, 4, 16, vsr.DefaultSuffix)
	p.rotChunks = pick(0, 0, 20, 100)
}

func (p *plan) drawShape(random random) {
	pick, s := random.pick, &p.shape
	s.packetTicks = pick(2, 10, 10, 25)
	s.writeTicks = pick(1, 6, 6, 20)
	s.readTicks = pick(1, 6, 20)
	s.executeTicks = pick(1, 3, 20)
	s.restartTicks = pick(20, 100, 400, 800)
	s.keys = random.between(1, 4)
	s.thinkTicks = pick(1, 5, 20, 100)
	s.patience = pick(60, 150, 300, 600)
	if s.clients == 0 {
		s.clients = pick(1, 2, 3, 3, 4, 6, 10, 40)
	}
}
