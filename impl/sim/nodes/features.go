package nodes

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// rates say how often each kind of fault happens. The comment gives the denominator.
type rates struct {
	lose, duplicate, delay, corrupt int // per 1,000 frames
	partition                       int // per 10,000 ticks
	kill, powerLoss                 int // per 10,000 ticks and process
	killAll, powerLossAll           int // per 10,000 ticks
	crashInWork                     int // per 1,000 times that a lane works
	crashInBoot                     int // per 100 boots
	failedOperation                 int // per 1,000 times that a lane works
	slowDisk                        int // per 1,000 times that a lane works
	fullDisk                        int // per 10,000 ticks
	rot, wipe                       int // per 10,000 ticks, of one process
	pause                           int // per 10,000 ticks
	leaveView                       int // per 10,000 ticks
}

// feature is a kind of fault that can be switched on by itself.
type feature struct {
	name string
	rate func(*rates) *int
	// The seed draws base * 2^k, k from 0 to doublings.
	base, doublings int
}

// features lists them all; the names appear in results and coverage.
var features = []feature{
	{"lose", func(r *rates) *int { return &r.lose }, 5, 5},
	{"duplicate", func(r *rates) *int { return &r.duplicate }, 5, 5},
	{"delay", func(r *rates) *int { return &r.delay }, 5, 5},
	{"corrupt", func(r *rates) *int { return &r.corrupt }, 1, 5},
	{"partition", func(r *rates) *int { return &r.partition }, 5, 4},
	{"kill", func(r *rates) *int { return &r.kill }, 3, 4},
	{"power_loss", func(r *rates) *int { return &r.powerLoss }, 3, 4},
	{"kill_all", func(r *rates) *int { return &r.killAll }, 3, 3},
	{"power_loss_all", func(r *rates) *int { return &r.powerLossAll }, 3, 3},
	{"crash_in_work", func(r *rates) *int { return &r.crashInWork }, 1, 4},
	{"crash_in_boot", func(r *rates) *int { return &r.crashInBoot }, 5, 2},
	{"failed_operation", func(r *rates) *int { return &r.failedOperation }, 1, 3},
	{"slow_disk", func(r *rates) *int { return &r.slowDisk }, 5, 4},
	{"full_disk", func(r *rates) *int { return &r.fullDisk }, 5, 3},
	{"rot", func(r *rates) *int { return &r.rot }, 5, 3},
	{"wipe", func(r *rates) *int { return &r.wipe }, 3, 3},
	{"pause", func(r *rates) *int { return &r.pause }, 5, 4},
	{"leave_view", func(r *rates) *int { return &r.leaveView }, 5, 4},
}

// shape is what a run is like apart from its faults.
type shape struct {
	packetTicks  int // longest usual delay of a frame
	laneTicks    int // longest usual time until the disk serves a lane
	doneTicks    int // longest time until a completion reaches its host
	restartTicks int // longest time that a process is down
	clients      int
	keys         int // of each group
	thinkTicks   int // longest pause of a client between requests
	patience     int // ticks until a client sends again
	capacity     int // of the client tables
	policies     []vsr.Policy
}

// plan is what a seed has chosen: rates, shape, and the same in words.
type plan struct {
	rates  rates
	shape  shape
	timers vsr.Timers
	// victim is the process whose disk rots or is lost.
	victim int
	words  []string
}

// planFor lets the seed's random source choose.
func planFor(o Options, random random) plan {
	pick := random.pick
	p := plan{victim: random.IntN(processes), timers: vsr.Timers{
		PrepareTicks: 10, CommitTicks: 20, HeartbeatTicks: pick(60, 100, 100),
		ViewChangeTicks: 20, ViewChangeStatusTicks: 100, ProbeTicks: 10,
		RepairTicks: pick(10, 20),
	}, shape: shape{
		packetTicks: pick(1, 3, 10), laneTicks: pick(1, 3, 8), doneTicks: pick(1, 1, 4),
		restartTicks: pick(20, 100, 300), clients: o.Clients, keys: random.between(1, 3),
		thinkTicks: pick(1, 5, 20), patience: pick(40, 80, 150), capacity: pick(3, 16, 16, 64),
	}}
	groups := o.Groups
	if groups == 0 {
		groups = pick(1, 1, 2, 3, 5)
	}
	mixed := random.chance(1, 2)
	for range groups {
		policy := vsr.PolicyPersisted
		if mixed && random.chance(1, 2) {
			policy = vsr.PolicyReplicated
		}
		p.shape.policies = append(p.shape.policies, policy)
	}
	if p.shape.clients == 0 {
		p.shape.clients = pick(1, 3, 3, 6, 12)
	}
	if o.Calm {
		p.shape = shape{
			packetTicks: 1, laneTicks: 1, doneTicks: 1, restartTicks: 1, keys: 3, thinkTicks: 1,
			clients: p.shape.clients, patience: 100, capacity: 64, policies: p.shape.policies,
		}
	} else {
		p.draw(random)
	}
	p.words = append(p.words, fmt.Sprintf("groups=%d replicated=%d clients=%d keys=%d packet<=%d "+
		"lane<=%d done<=%d restart<=%d think<=%d patience=%d capacity=%d heartbeat=%d victim=%d",
		groups, p.replicated(), p.shape.clients, p.shape.keys, p.shape.packetTicks,
		p.shape.laneTicks, p.shape.doneTicks, p.shape.restartTicks, p.shape.thinkTicks,
		p.shape.patience, p.shape.capacity, p.timers.HeartbeatTicks, p.victim))
	return p
}

// replicated counts the groups of that policy.
func (p *plan) replicated() int {
	n := 0
	for _, policy := range p.shape.policies {
		if policy == vsr.PolicyReplicated {
			n++
		}
	}
	return n
}

// draw switches each feature on or off, at least one on.
func (p *plan) draw(random random) {
	sure := random.IntN(len(features))
	likely := random.between(1, 4) // of 5: some seeds have few features, some most of them
	for i := range features {
		f := &features[i]
		if on := random.chance(likely, 5); !on && i != sure {
			continue
		}
		rate := f.base << random.between(0, f.doublings)
		*f.rate(&p.rates) = rate
		p.words = append(p.words, fmt.Sprintf("%s=%d", f.name, rate))
	}
}
