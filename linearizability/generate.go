package linearizability

import (
	"container/heap"
	"fmt"
	"slices"
	"strconv"
)

// GenerateOptions say what history to make. Equal options give equal histories.
type GenerateOptions struct {
	// Seed determines everything that the other fields leave open.
	Seed  uint64
	Model Model
	// Operations is the exact number of operations, at least 1, with the planted
	// ones among them.
	Operations int
	// Clients is how many of them are busy at the same time, at least 1: each issues
	// its next request right after an answer.
	Clients int
	// Keys is the number of objects, at least 1.
	Keys int
	// UnknownShare is the share, from 0 to 1, of requests that are never answered.
	// Half of those that change something take effect, some of them much later. The
	// client goes on under another number.
	UnknownShare float64
	// PlainWrites leaves out what has to be searched in long histories: compare and sets
	// of a register.
	PlainWrites bool
	// Plant is the violation to plant in the middle of the history; PlantNone for a
	// history that is linearizable.
	Plant Plant
}

// Generate runs atomic objects in virtual time under busy clients and returns what
// the clients saw: a history that is linearizable by construction, or one with one
// planted violation that makes it not linearizable for certain (plant.go). Every
// written value is unique. The unit is steps.
//
// Errors: options out of their bounds.
func Generate(options GenerateOptions) (*History, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("generate history: %w", err)
	}
	g := newGenerator(options)
	for client := range options.Clients {
		g.schedule(moment{at: int64(client), what: momentIssue, client: client})
	}
	for g.queue.Len() > 0 {
		m := heap.Pop(&g.queue).(moment)
		switch m.what {
		case momentIssue:
			g.issue(m.client, m.at)
		case momentEffect:
			g.effect(m.operation)
		}
	}
	h := &History{Model: options.Model, Unit: Steps}
	for _, o := range g.operations {
		h.Operations = append(h.Operations, *o)
	}
	h.Sort()
	return h, nil
}

func (o GenerateOptions) validate() error {
	if _, known := o.Model.specification(); !known {
		return fmt.Errorf("expected model %s, got %q", modelNames(), o.Model)
	}
	if plants := append([]Plant{PlantNone}, PlantsOf(o.Model)...); !slices.Contains(plants, o.Plant) {
		return fmt.Errorf("expected plant of %q, got %q", plants, o.Plant)
	}
	for _, bound := range []struct {
		name       string
		value, min int
	}{
		{"operations", o.Operations, max(1, o.Plant.operations())},
		{"clients", o.Clients, 1},
		{"keys", o.Keys, 1},
	} {
		if bound.value < bound.min {
			return fmt.Errorf("expected at least %d %s, got %d", bound.min, bound.name, bound.value)
		}
	}
	if !(o.UnknownShare >= 0 && o.UnknownShare <= 1) {
		return fmt.Errorf("expected a share of unknown outcomes from 0 to 1, got %v",
			o.UnknownShare)
	}
	return nil
}

// generator is the world: objects, clients and what is about to happen.
type generator struct {
	options    GenerateOptions
	spec       *specification
	random     source
	queue      momentQueue
	scheduled  uint64 // Moments so far: the order of those at the same time.
	operations []*Operation
	states     []Value // By key.
	worlds     []world // By key, instead, of a model with shapes.
	pending    []int   // By key: operations that may still take effect.
	values     int     // Unique values so far.
	requests   map[int]uint64
	nextClient int // The next unused client number.
	plant      planter
}

func newGenerator(options GenerateOptions) *generator {
	spec, _ := options.Model.specification()
	g := &generator{
		options:    options,
		spec:       spec,
		random:     newSource(options.Seed),
		states:     make([]Value, options.Keys),
		pending:    make([]int, options.Keys),
		requests:   map[int]uint64{},
		nextClient: options.Clients,
	}
	for key := range g.states {
		g.states[key] = spec.initial
		if spec.shapes != nil {
			g.worlds = append(g.worlds, newWorld(options.Model))
		}
	}
	g.plant = newPlanter(options, g.random)
	return g
}

// issue lets a client make its next request at the given time.
func (g *generator) issue(client int, at int64) {
	if g.plant.takes(client, len(g.operations)) {
		g.issuePlanted(client, at)
		return
	}
	if len(g.operations)+g.plant.left() >= g.options.Operations {
		return
	}
	key := g.random.below(g.options.Keys)
	if g.plant.wantsQuiet(key) {
		g.schedule(moment{at: at + g.random.latency(), what: momentIssue, client: client})
		return
	}
	o := g.request(client, at, key)
	g.fill(o)
	if g.random.chance(g.options.UnknownShare) {
		g.abandon(o)
		return
	}
	g.run(o)
}

// request makes an operation that is open so far.
func (g *generator) request(client int, at int64, key int) *Operation {
	o := &Operation{
		Client: client, ID: g.requests[client], Key: keyName(key), Call: at, Open: true,
	}
	g.requests[client]++
	g.operations = append(g.operations, o)
	g.pending[key]++
	return o
}

// fill draws what a request asks for: half of them read.
func (g *generator) fill(o *Operation) {
	if g.worlds != nil {
		g.worlds[keyNumber(o.Key)].fill(g, o)
		return
	}
	draw := g.random.below(20)
	switch {
	case g.options.Model == Register && draw < 10:
		o.Kind = Read
	case g.options.Model == Register && (draw < 17 || g.options.PlainWrites):
		o.Kind, o.Input.Value = Write, g.unique()
	case g.options.Model == Register:
		// What it expects was there a moment ago, so it fails now and then.
		o.Kind, o.Input.From, o.Input.To = CAS, g.states[keyNumber(o.Key)], g.unique()
	case draw < 10:
		o.Kind = Get
	case draw < 16:
		o.Kind, o.Input.Value = Append, g.unique()
	default:
		o.Kind, o.Input.Value = Put, g.unique()
	}
}

// unique returns a value that is no part of any other.
func (g *generator) unique() Value {
	g.values++
	return Text("<" + strconv.Itoa(g.values) + ">")
}

// run lets the request take effect and be answered, and its client go on.
func (g *generator) run(o *Operation) {
	effect := o.Call + g.random.latency()
	o.Return = effect + g.random.latency()
	g.schedule(moment{at: effect, what: momentEffect, operation: o})
	// One step later: at the same step they would overlap, intervals being closed.
	g.schedule(moment{at: o.Return + 1, what: momentIssue, client: o.Client})
}

// abandon leaves the request without an answer.
func (g *generator) abandon(o *Operation) {
	const patience = 2500
	g.schedule(moment{at: o.Call + patience, what: momentIssue, client: g.nextClient})
	g.nextClient++
	latency := g.random.latency()
	switch g.random.below(4) {
	case 0:
		g.schedule(moment{at: o.Call + latency, what: momentEffect, operation: o})
	case 1:
		g.schedule(moment{at: o.Call + 20*latency, what: momentEffect, operation: o})
	default:
		g.pending[keyNumber(o.Key)]--
	}
}

// effect is the moment at which an operation happens.
func (g *generator) effect(o *Operation) {
	key := keyNumber(o.Key)
	g.pending[key]--
	if g.worlds != nil {
		g.effectOnWorld(o, g.worlds[key])
		return
	}
	before := g.states[key]
	if !g.plant.loses(o) {
		g.states[key] = g.after(before, o)
	}
	if o.Return == 0 {
		return // Abandoned: the client never learns of it.
	}
	o.Open = false
	if o.Kind.fields().outputValue {
		o.Output.Value = g.plant.answer(o, before)
	}
	o.Output.OK = o.Kind == CAS && before == o.Input.From
}

// effectOnWorld is effect for the models with shapes.
func (g *generator) effectOnWorld(o *Operation, w world) {
	w.apply(o)
	if o.Return == 0 {
		o.Output = Output{}
		return
	}
	o.Open = false
	if planted := g.plant.script; g.plant.left() == 0 && len(planted) > 0 &&
		o == planted[len(planted)-1] {
		g.plant.plant.lie(planted)
	}
}

// after returns what the object holds once o has taken effect. Open operations are
// always possible, so it asks as if o were one.
func (g *generator) after(before Value, o *Operation) Value {
	open := *o
	open.Open = true
	_, after := g.spec.step(before, &open)
	return after
}

func keyName(key int) string { return "k" + strconv.Itoa(key) }

func keyNumber(name string) int {
	key, err := strconv.Atoi(name[1:])
	if err != nil {
		panic(fmt.Sprintf("key %q is not of this generator", name))
	}
	return key
}

type momentKind uint8

const (
	momentIssue momentKind = iota + 1
	momentEffect
)

// moment is something that is going to happen.
type moment struct {
	at        int64
	order     uint64 // Among those at the same time.
	what      momentKind
	client    int        // Of momentIssue.
	operation *Operation // Of momentEffect.
}

func (g *generator) schedule(m moment) {
	g.scheduled++
	m.order = g.scheduled
	heap.Push(&g.queue, m)
}

// momentQueue is a heap by time.
type momentQueue []moment

func (q momentQueue) Len() int      { return len(q) }
func (q momentQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q momentQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}

// Push adds a moment; it is for container/heap.
func (q *momentQueue) Push(m any) { *q = append(*q, m.(moment)) }

// Pop removes the last one; it is for container/heap.
func (q *momentQueue) Pop() any {
	last := len(*q) - 1
	m := (*q)[last]
	*q = (*q)[:last]
	return m
}
