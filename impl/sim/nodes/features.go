package nodes

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// rates say how often each kind of fault happens. The comment gives the denominator.
type rates struct {
	lose, duplicate, delay, corrupt int // per 1,000 frames
	partition, clog, filter         int // per 10,000 ticks
	skew                            int // per 1,000 ticks of a process
	kill, powerLoss                 int // per 10,000 ticks and process
	killAll, powerLossAll           int // per 10,000 ticks
	crashInWork                     int // per 1,000 times that a lane works
	crashInBoot                     int // per 100 boots
	crashInHost                     int // per 10,000 calls of a host
	failedOperation                 int // per 1,000 times that a lane works
	slowDisk                        int // per 1,000 times that a lane works
	fullDisk                        int // per 10,000 ticks
	rotEnd, rotBatch                int // per 10,000 ticks, of a victim
	rotSuperblock, superblockGone   int // per 10,000 ticks, of a victim
	rot, rotFile, wipe              int // per 10,000 ticks, of a victim
	lostWrite, misdirectedWrite     int // per 1,000 times that a victim's log works
	pause                           int // per 10,000 ticks
	leaveView                       int // per 10,000 ticks
	rotTail                         int // per 10,000 ticks, of a victim
	rotState                        int // per 100 state records that a victim flushes
	rotWaiting                      int // per 100 boots of a victim
	crashAgain, crashInRepair       int // per 100 boots
}

// feature is a kind of fault that can be switched on by itself.
type feature struct {
	name string
	rate func(*rates) *int
	// The seed draws base * 2^k, k from 0 to doublings.
	base, doublings int
	// late ones are drawn from a source of their own, so that they move nothing else of the plan.
	late bool
}

// features lists them all; the names appear in results and coverage.
var features = []feature{
	{"lose", func(r *rates) *int { return &r.lose }, 5, 5, false},
	{"duplicate", func(r *rates) *int { return &r.duplicate }, 5, 5, false},
	{"delay", func(r *rates) *int { return &r.delay }, 5, 5, false},
	{"corrupt", func(r *rates) *int { return &r.corrupt }, 1, 5, false},
	{"partition", func(r *rates) *int { return &r.partition }, 5, 4, false},
	{"clog", func(r *rates) *int { return &r.clog }, 5, 5, false},
	{"filter", func(r *rates) *int { return &r.filter }, 5, 4, false},
	{"skew", func(r *rates) *int { return &r.skew }, 20, 4, false},
	{"kill", func(r *rates) *int { return &r.kill }, 3, 4, false},
	{"power_loss", func(r *rates) *int { return &r.powerLoss }, 3, 4, false},
	{"kill_all", func(r *rates) *int { return &r.killAll }, 3, 3, false},
	{"power_loss_all", func(r *rates) *int { return &r.powerLossAll }, 3, 3, false},
	{"crash_in_work", func(r *rates) *int { return &r.crashInWork }, 1, 4, false},
	{"crash_in_boot", func(r *rates) *int { return &r.crashInBoot }, 5, 2, false},
	{"crash_in_host", func(r *rates) *int { return &r.crashInHost }, 5, 5, false},
	{"failed_operation", func(r *rates) *int { return &r.failedOperation }, 1, 3, false},
	{"slow_disk", func(r *rates) *int { return &r.slowDisk }, 5, 4, false},
	{"full_disk", func(r *rates) *int { return &r.fullDisk }, 5, 3, false},
	{"rot", func(r *rates) *int { return &r.rot }, 5, 3, false},
	{"wipe", func(r *rates) *int { return &r.wipe }, 3, 3, false},
	{"lost_write", func(r *rates) *int { return &r.lostWrite }, 1, 4, false},
	{"misdirected_write", func(r *rates) *int { return &r.misdirectedWrite }, 1, 4, false},
	{"pause", func(r *rates) *int { return &r.pause }, 5, 4, false},
	{"leave_view", func(r *rates) *int { return &r.leaveView }, 5, 4, false},
	{"rot_end", func(r *rates) *int { return &r.rotEnd }, 10, 3, false},
	{"rot_batch", func(r *rates) *int { return &r.rotBatch }, 5, 3, false},
	{"rot_superblock", func(r *rates) *int { return &r.rotSuperblock }, 10, 4, false},
	{"superblock_gone", func(r *rates) *int { return &r.superblockGone }, 2, 2, false},
	{"rot_file", func(r *rates) *int { return &r.rotFile }, 3, 3, false},
	{"rot_tail", func(r *rates) *int { return &r.rotTail }, 5, 3, true},
	{"rot_state", func(r *rates) *int { return &r.rotState }, 3, 3, true},
	{"rot_waiting", func(r *rates) *int { return &r.rotWaiting }, 10, 2, true},
	{"crash_again", func(r *rates) *int { return &r.crashAgain }, 10, 2, true},
	{"crash_in_repair", func(r *rates) *int { return &r.crashInRepair }, 10, 2, true},
}

// shape is what a run is like apart from its faults.
type shape struct {
	replicas     int
	packetMin    int // shortest delay of a frame
	packetMean   int // what comes on top on average
	linkCapacity int // frames under way from one process to another
	// mode and symmetric are those of partitions; what has begun or ended lasts so long.
	mode                       partitionMode
	symmetric                  bool
	partitionTicks, wholeTicks int
	laneTicks                  int // longest usual time until the disk serves a lane
	doneTicks                  int // longest time until a completion reaches its host
	restartTicks               int // longest time that a process is down
	clients                    int
	keys                       int // of each group
	thinkTicks                 int // longest pause of a client between requests
	reads                      int // of 10 things that a client does
	patience                   int // ticks until a client sends again
	capacity                   int // of the client tables
	policies                   []vsr.Policy
	workloads                  []workload
	checkpointOps              int // ops between two checkpoints; negative: when the log fills
	chunkBytes                 int // of a checkpoint that is sent
	suffix                     int // headers in votes; 0: as the core likes
	// A run fills many files of the write-ahead log, so that they must be let go and used again.
	logFiles, logFileBytes int
	// stateEvery is how many ops apart states are compared: it costs a snapshot.
	stateEvery  wire.Op
	noPreflight bool // every request that reaches a primary gets an op
}

// plan is what a seed has chosen: rates, shape, and the same in words.
type plan struct {
	rates  rates
	shape  shape
	timers vsr.Timers
	limits vsr.Limits
	atlas  atlas
	// modelled says that the model of traces has all that happens in the run.
	modelled bool
	// on are the kinds of fault that are switched on.
	on    []string
	words []string
}

// planFor lets the seed's random source choose.
func planFor(o Options, chances *chances) plan {
	random := chances.shape
	pick := random.pick
	p := plan{timers: vsr.Timers{
		PrepareTicks: 10, CommitTicks: 20, HeartbeatTicks: pick(60, 100, 100),
		ViewChangeTicks: 20, ViewChangeStatusTicks: 100, ProbeTicks: 10,
		RepairTicks: pick(10, 20),
	}, shape: shape{
		replicas: pick(1, 2, 3, 3, 3, 3, 4, 5, 6), packetMin: random.between(1, 3),
		packetMean: random.between(0, 9), linkCapacity: random.between(8, 64),
		mode: partitionMode(random.between(1, int(modeIsolate))), symmetric: random.chance(1, 2),
		partitionTicks: random.between(20, 80), wholeTicks: random.between(0, 60),
		laneTicks: pick(1, 3, 8), doneTicks: pick(1, 1, 4),
		restartTicks: pick(20, 100, 300), keys: random.between(1, 3),
		thinkTicks: pick(1, 5, 20), patience: pick(40, 80, 150), capacity: pick(3, 16, 16, 64),
		clients: pick(1, 3, 3, 6, 12), noPreflight: random.chance(1, 4),
		checkpointOps: pick(8, 16, 64, -1), chunkBytes: pick(100, 1000, 1<<20),
		stateEvery: 8, logFiles: pick(16, 24, 64), logFileBytes: pick(32<<10, 64<<10),
	}}
	p.shape.reads = pick(0, 2, 5)
	if o.Writes {
		p.shape.reads = 0
	}
	groups := pick(1, 1, 2, 3, 5)
	smallest := pick(8, 16)
	mixed := random.chance(1, 2)
	for range groupsMax {
		policy := vsr.PolicyPersisted
		if mixed && random.chance(1, 2) {
			policy = vsr.PolicyReplicated
		}
		p.shape.policies = append(p.shape.policies, policy)
		p.shape.workloads = append(p.shape.workloads, workloads[random.IntN(len(workloads))])
	}
	set(&groups, o.Groups)
	set(&p.shape.clients, o.Clients)
	set(&p.shape.replicas, o.Replicas)
	if groups <= 2 { // each group needs room for its state records
		p.shape.logFiles = min(p.shape.logFiles, smallest)
	}
	p.shape.policies, p.shape.workloads = p.shape.policies[:groups], p.shape.workloads[:groups]
	if groups > 1 {
		p.shape.workloads[0], p.shape.policies[0] = catalogue{}, vsr.PolicyPersisted
	}
	p.atlas = drawAtlas(random, p.shape.replicas, p.replicated())
	if o.Calm {
		p.calm()
	} else {
		p.draw(random, o.Only, false)
		p.draw(chances.moments, o.Only, true)
	}
	p.drawLimits(random, o.Calm)
	if crowd := random.pick(0, 0, 24, 48, 96); !o.Calm && o.Clients == 0 {
		p.gather(crowd)
	}
	if random.chance(1, 8) && !o.Calm {
		p.keepToModel(o.Only)
	}
	p.words = append(p.words, p.shape.words(groups, p.replicated()),
		fmt.Sprintf("heartbeat=%d repair=%d", p.timers.HeartbeatTicks, p.timers.RepairTicks),
		p.limitWords(), p.atlas.words())
	return p
}

// keepToModel leaves out what the model of traces lacks, if anything remains.
func (p *plan) keepToModel(only []string) {
	lacks := func(name string) bool { return !slices.Contains(modelled, name) }
	if p.shape.replicas > modelledReplicasMax || slices.ContainsFunc(only, lacks) ||
		!slices.ContainsFunc(p.on, func(name string) bool { return !lacks(name) }) {
		return
	}
	p.modelled = true
	p.on, p.words = nil, nil
	for i := range features {
		f := &features[i]
		rate := f.rate(&p.rates)
		switch {
		case lacks(f.name):
			*rate = 0
		case *rate > 0:
			p.on = append(p.on, f.name)
			p.words = append(p.words, fmt.Sprintf("%s=%d", f.name, *rate))
		}
	}
	p.words = append(p.words, "modelled")
	p.atlas = atlas{}
	// A log that no run fills half: else it would ask for a checkpoint.
	p.shape.checkpointOps, p.shape.logFiles, p.shape.logFileBytes = 1<<20, 64, 4<<20
	p.shape.clients = min(p.shape.clients, modelledClientsMax)
	p.shape.suffix = 1 << 20 // the model's votes carry whole logs
}

// set takes a number that somebody has asked for.
func set(field *int, asked int) {
	if asked != 0 {
		*field = asked
	}
}

// calm is the shape of a run without faults: nothing waits longer than it must.
func (p *plan) calm() {
	s := &p.shape
	s.packetMin, s.packetMean, s.linkCapacity = 1, 0, 1<<20
	s.laneTicks, s.doneTicks, s.restartTicks, s.thinkTicks = 1, 1, 1, 1
	s.keys, s.patience, s.capacity = max(3, s.clients/2), 200, max(64, 2*s.clients)
	s.stateEvery = 32
	s.noPreflight, s.checkpointOps, s.chunkBytes, s.logFiles = false, 4096, 1<<20, 64
	s.logFileBytes = 1 << 20
}

func (s *shape) words(groups, replicated int) string {
	return fmt.Sprintf("replicas=%d groups=%d replicated=%d clients=%d keys=%d reads=%d/10 "+
		"packet=%d+%d capacity=%d partition=%s symmetric=%t lane<=%d done<=%d restart<=%d "+
		"think<=%d patience=%d table=%d preflight=%t checkpoint=%d chunk=%d files=%dx%d %v",
		s.replicas, groups,
		replicated, s.clients, s.keys, s.reads,
		s.packetMin, s.packetMean, s.linkCapacity, s.mode, s.symmetric,
		s.laneTicks, s.doneTicks, s.restartTicks,
		s.thinkTicks, s.patience, s.capacity, !s.noPreflight, s.checkpointOps,
		s.chunkBytes, s.logFiles, s.logFileBytes, s.workloads)
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

// always are kinds of fault that can happen in every run, wherever the atlas draws its lines.
var always = []string{"lose", "duplicate", "delay", "kill", "pause", "leave_view"}

// draw switches each feature on or off, one that can always happen on. What is left of them when
// only some are
// wanted has the rates that it has among all.
func (p *plan) draw(random random, only []string, late bool) {
	sure := ""
	if !late {
		sure = always[random.IntN(len(always))]
	}
	likely := random.between(1, 4) // of 5: some seeds have few features, some most of them
	for i := range features {
		f := &features[i]
		if f.late != late {
			continue
		}
		on, rate := random.chance(likely, 5), f.base<<random.between(0, f.doublings)
		if !on && f.name != sure || len(only) > 0 && !slices.Contains(only, f.name) {
			continue
		}
		*f.rate(&p.rates) = rate
		p.on = append(p.on, f.name)
		p.words = append(p.words, fmt.Sprintf("%s=%d", f.name, rate))
	}
}

// FeatureNames lists the kinds of fault that a seed can switch on.
func FeatureNames() []string {
	names := make([]string, len(features))
	for i := range features {
		names[i] = features[i].name
	}
	return names
}
