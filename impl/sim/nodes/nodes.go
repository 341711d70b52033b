package nodes

import (
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// ClusterID is the identity of every simulated cluster.
var ClusterID = wire.ClusterIDOf("simulated processes")

// simulation is one run: processes, what is between them, and what is known of both.
type simulation struct {
	options   Options
	plan      plan
	chances   chances
	schedule  *schedule
	network   network
	processes []*process
	clients   []*client
	history   history
	check     checker
	healed    bool
	// pollBodies are requests for messages, by where they begin.
	pollBodies [pollFrom][]byte
	// healedChunks counts the parts of checkpoints that came after the faults.
	healedChunks int
	// stops are the ticks of hosts by where the commit walk stood, delivered the frames by command.
	stops     map[vsr.StopReason]int
	delivered [math.MaxUint8 + 1]int
	digest    digest
	weathers  digest
	result    *Result
	// judge is nil if the run is not judged; events counts what it was told.
	judge  Judge
	events int
}

// digest folds everything that is sent.
type digest interface {
	Write(p []byte) (int, error)
	Sum64() uint64
}

// Run runs one seed in two phases: faults, during which safety is checked; then healed
// processes, of which progress is demanded. At the end the clients' history is checked.
//
// What is wrong is in the result. Errors: options out of range; a history that cannot be
// checked.
func Run(options Options) (*Result, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("run simulation: %w", err)
	}
	s := newSimulation(options)
	defer s.schedule.giveBack()
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("run simulation: %w", err)
	}
	for s.schedule.now < s.options.Ticks && s.result.Failure == nil {
		s.tick()
	}
	s.heal()
	for s.result.Failure == nil && !s.settled() {
		s.tick()
	}
	if err := s.finish(); err != nil {
		return nil, fmt.Errorf("run simulation of seed %d: %w", options.Seed, err)
	}
	return s.result, nil
}

func newSimulation(options Options) *simulation {
	s := &simulation{
		options: options, chances: newChances(options.Seed), schedule: newSchedule(),
		digest:   xxh3.New(),
		weathers: xxh3.New(), history: newHistory(), stops: make(map[vsr.StopReason]int),
		result: &Result{
			Seed: options.Seed, Injected: map[string]int{}, Delivered: map[string]int{},
			Replies: map[string]int{}, Answers: map[string]int{}, Stops: map[string]int{},
			Merges: map[string]int{}, Refusals: map[string]int{},
			Hosts: map[string]int{}, Batches: map[string]int{}, Reads: map[string]int{},
			Actions: map[string]int{}, command: options.Command(),
		},
	}
	s.plan = planFor(options, &s.chances)
	s.result.Features = s.plan.words
	s.result.Chosen = Chosen{
		Replicas: s.plan.shape.replicas, Groups: len(s.plan.shape.policies),
		Clients: s.plan.shape.clients, Faults: s.plan.on, Modelled: s.plan.modelled,
	}
	s.check = newChecker(s)
	return s
}

// start boots all processes.
func (s *simulation) start() error {
	if s.options.Judge != nil && s.plan.modelled {
		var err error
		if s.judge, err = s.options.Judge(header(s.options, s.plan, "")); err != nil {
			return err
		}
	}
	for i := range s.plan.shape.replicas {
		p := newProcess(s, i)
		s.processes = append(s.processes, p)
		p.start()
	}
	for i := range s.plan.shape.clients {
		s.clients = append(s.clients, newClient(s, i))
	}
	return nil
}

// fail ends the run; the first failure counts.
func (s *simulation) fail(kind, format string, args ...any) {
	if s.result.Failure == nil {
		s.result.Failure = &Failure{
			Kind: kind, Tick: s.schedule.now, Text: fmt.Sprintf(format, args...),
		}
	}
}

// guard runs what a process does: a contradiction inside fails the run.
func (s *simulation) guard(p *process, do func()) {
	defer func() {
		if contradiction := recover(); contradiction != nil {
			s.fail(FailContradiction, "process %d: %v", p.id, contradiction)
		}
	}()
	do()
}

// tick lets one tick of virtual time pass: what is due happens in random order, then the
// processes' and clients' clocks move, then new faults begin.
func (s *simulation) tick() {
	due := s.schedule.next()
	s.chances.order.Shuffle(len(due), func(i, j int) { due[i], due[j] = due[j], due[i] })
	for i := range due {
		if s.result.Failure != nil {
			return
		}
		s.happen(&due[i])
	}
	for _, p := range s.processes {
		p.tick()
	}
	for _, c := range s.clients {
		c.tick()
	}
	s.pollSomewhere()
	if !s.healed {
		s.changeWeather()
		s.injectFaults()
	}
}

func (s *simulation) happen(e *event) {
	if e.kind == eventReply {
		s.arriveReply(e)
		return
	}
	p := s.processes[e.process]
	switch e.kind {
	case eventPacket:
		s.arrive(p, e)
	case eventLane:
		p.work(e)
	case eventDone:
		p.complete(e)
	case eventRestart:
		if !p.up {
			s.result.Restarts++
			p.start()
		}
	case eventReply:
	}
}

// Timestamp of virtual time: a tick is 10 ms.
func (s *simulation) Now() uint64 { return uint64(s.schedule.now) * 10_000 }

// groups lists the groups in order.
func (s *simulation) groups() []wire.GroupID {
	all := make([]wire.GroupID, len(s.plan.shape.policies))
	for i := range all {
		all[i] = wire.GroupID(i)
	}
	return all
}

// replicated says whether a group's acknowledgements may die with the power of its quorum.
func (s *simulation) replicated(group wire.GroupID) bool {
	return s.plan.shape.policies[group] == vsr.PolicyReplicated
}
