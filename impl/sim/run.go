package sim

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Timers are those of simulated replicas: short, so that a run of some thousand ticks sees
// many view changes, and long enough that packets of usual delay arrive in time.
func Timers() vsr.Timers {
	return vsr.Timers{
		PrepareTicks: 10, CommitTicks: 20, HeartbeatTicks: 100, ViewChangeTicks: 20,
		ViewChangeStatusTicks: 100, ProbeTicks: 10, RepairTicks: 20,
	}
}

// simulation is one run: a cluster, its surroundings, and what is known of both.
type simulation struct {
	options   Options
	plan      plan
	random    random
	cluster   *Cluster
	schedule  schedule
	network   network
	processes []process
	clients   []*client
	history   history
	check     *checker
	replies   []*wire.Reply // of the input that is being applied
	// readsReady and readsRefused are its reads that end; readIDs counts all reads.
	readsReady   []vsr.ReadReady
	readsRefused []vsr.ReadRefused
	readIDs      uint64
	healed       bool
	// ticking says that the input under way is the passing of a tick.
	ticking bool
	// tolerated are kinds of failure that are passed over: a test of the checks behind the one
	// that sees a defect first.
	tolerated []string
	// mislabelled gives clients local reads for linearizable ones: a test of the checks of reads.
	mislabelled bool
	// patienceTicks is how long the healed phase may take.
	patienceTicks int
	result        *Result
	rare          rarely
	// kept is for how many ticks who has lost its disk was kept from coming back.
	kept int
}

// Run runs one seed in two phases: faults, during which safety is checked at each step; then
// a healed cluster, which must answer its clients, become one view and agree on one state. At
// the end the clients' history is checked.
//
// What is wrong with the cluster is in the result. Errors: options out of range, a trace or
// history that cannot be written.
func Run(options Options) (*Result, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("run simulation: %w", err)
	}
	s, err := newSimulation(options)
	if err != nil {
		return nil, fmt.Errorf("run simulation: %w", err)
	}
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("run simulation of seed %d: %w", options.Seed, err)
	}
	return s.result, nil
}

func (s *simulation) run() error {
	for s.schedule.now < s.options.Ticks && s.result.Failure == nil {
		s.tick()
	}
	s.heal()
	for s.result.Failure == nil && !s.settled() {
		s.tick()
	}
	return s.finish()
}

func newSimulation(options Options) (*simulation, error) {
	s := &simulation{
		options: options, random: newRandom(options.Seed), result: newResult(options),
	}
	s.plan = planFor(options, s.random)
	s.drawRare()
	s.result.Features = s.plan.words
	s.network = newNetwork(options.Replicas)
	s.processes = make([]process, options.Replicas)
	s.check = newChecker(s)
	cluster, err := NewCluster(Config{
		Seed: options.Seed, Replicas: options.Replicas, Timers: s.plan.timers,
		Limits: s.plan.limits,
		Suffix: s.plan.suffix, Checkpoints: s.checkpoints(),
		Defects: options.Defects, Machine: statemachine.NewRegister,
		OnEvent:   s.onEvent,
		OnFetch:   func(replica int, chunk *vsr.StoreChunk) { s.check.fetched(replica, chunk) },
		OnInstall: func(replica int) { s.check.installs(replica) },
		OnServe:   func(replica int, read *vsr.Read) { s.check.reads(replica, read) },
		OnReply:   func(_ int, reply *wire.Reply) { s.replies = append(s.replies, reply) },
		OnRead:    func(_ int, ready vsr.ReadReady) { s.readsReady = append(s.readsReady, ready) },
		OnReadRefused: func(_ int, refused vsr.ReadRefused) {
			s.readsRefused = append(s.readsRefused, refused)
		},
	})
	if err != nil {
		return nil, err
	}
	cluster.catching = true
	s.cluster = cluster
	for i := range s.plan.shape.clients {
		s.clients = append(s.clients, newClient(s, i))
	}
	return s, nil
}

func newResult(options Options) *Result {
	return &Result{
		Seed: options.Seed, Injected: map[string]int{}, Reads: map[string]int{},
		Delivered:  map[string]int{},
		Admissions: map[string]int{}, Refusals: map[string]int{}, Stops: map[string]int{},
		Actions: map[string]int{}, command: options.reproduce(),
	}
}

// fail ends the run; the first failure counts.
func (s *simulation) fail(kind, format string, args ...any) {
	if s.result.Failure != nil || slices.Contains(s.tolerated, kind) {
		return
	}
	s.result.Failure = &Failure{
		Kind: kind, Tick: s.schedule.now, Text: fmt.Sprintf(format, args...),
	}
}

// tick lets one tick of virtual time pass: what is due happens in random order, then the
// replicas' and clients' clocks move, then new faults begin.
func (s *simulation) tick() {
	due := s.schedule.next()
	s.random.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for i := range due {
		if s.result.Failure != nil {
			return
		}
		s.happen(&due[i])
	}
	for replica := range s.processes {
		for range s.clockSteps(replica) {
			s.ticking = true
			s.input(replica, vsr.Tick{})
			s.ticking = false
		}
	}
	for _, c := range s.clients {
		c.tick()
	}
	if !s.healed {
		s.injectFaults()
		s.maybeWipe()
		s.unrest()
		s.happensRarely()
	}
	s.check.endTick()
}

func (s *simulation) happen(e *event) {
	switch e.kind {
	case eventPacket, eventLink:
		s.deliver(e)
	case eventReply:
		s.deliverReply(e)
	case eventWrite, eventRead, eventExecute:
		s.complete(e)
	case eventCrash:
		if e.boot == s.processes[e.replica].boot && !s.healed {
			s.crash(e.replica)
		}
	case eventRestart:
		s.restart(e.replica)
	}
}

// input applies one input to a replica and takes up what comes of it.
func (s *simulation) input(replica int, in vsr.Input) {
	if s.result.Failure != nil || !s.cluster.Up(replica) {
		return
	}
	s.cluster.Input(replica, in)
	s.takeUp(replica)
}

// takeUp puts the effects of the replica's last input on their way.
func (s *simulation) takeUp(replica int) {
	if s.cluster.caught != "" {
		s.fail(FailContradiction, "%s", s.cluster.caught)
		return
	}
	for _, p := range s.cluster.take() {
		s.check.sent(p)
		s.send(p)
	}
	for _, reply := range s.replies {
		s.check.replied(replica, reply)
		s.sendReply(replica, reply)
	}
	s.replies = s.replies[:0]
	s.endReads(replica)
	if begun := s.processes[replica].writes; begun <= s.cluster.Writes(replica) {
		s.check.begins(replica, s.cluster.members[replica].writes[begun:])
	}
	s.check.stepped(replica, s.cluster.Executes(replica) > s.processes[replica].executes)
	s.scheduleWork(replica)
}

func (s *simulation) onEvent(replica int, e vsr.Event) {
	if s.options.Trace != nil {
		s.options.Trace.Record(replica, e)
	}
	s.check.onEvent(replica, &e)
}
