package linearizability

import "slices"

// Plant names a violation that [Generate] can plant.
type Plant string

const (
	// PlantNone: the history is linearizable.
	PlantNone Plant = "none"
	// PlantStaleRead: one read returns a value that was overwritten before the read
	// was called. Others read the newer value.
	PlantStaleRead Plant = "stale_read"
	// PlantLostWrite: one write is answered and never takes effect. A read called
	// afterwards still returns the value before it.
	PlantLostWrite Plant = "lost_write"
	// PlantPhantomValue: one read returns a value that nobody wrote.
	PlantPhantomValue Plant = "phantom_value"
)

// Plants lists PlantNone and those of Register and KV; [PlantsOf] has the others.
func Plants() []Plant {
	return []Plant{PlantNone, PlantStaleRead, PlantLostWrite, PlantPhantomValue}
}

// operations is how many operations the plant is made of.
func (p Plant) operations() int {
	if p == PlantNone || p == "" {
		return 0
	}
	if p == PlantPhantomValue {
		return 1
	}
	if slices.Contains([]Plant{
		PlantLostAppend, PlantReorderedOffsets, PlantDuplicateExecution, PlantLostAdd,
	}, p) {
		return 2
	}
	return 3
}

// planter makes one client, one after the other, write a, write b, and read a on
// one key, in the middle of the history.
//
// Why that is a violation, whatever the others do: a is unique and was written by
// one answered operation, which returned before b was called; b returned before
// the read was called. So in every order a comes before b and b before the read,
// and behind b the object never holds a again (in the key-value model: never a
// alone, since b is behind it or has replaced it). A phantom value is never written
// at all.
//
// A stale read is the read's lie alone. A lost write is the object's: b does not
// take effect, and the read tells the truth. For it to find a, the key has to be
// quiet: the others leave it alone, and what they began has ended, until the three
// are done.
type planter struct {
	plant   Plant
	key     int
	startAt int // Begins when so many operations have been issued.
	client  int // -1 before it begins.
	issued  int
	over    bool // The read has taken effect.

	first        Value
	second, read *Operation
	script       []*Operation // Of the models with shapes: what was issued.
}

func newPlanter(options GenerateOptions, random source) planter {
	return planter{
		plant:   options.Plant,
		key:     random.below(options.Keys),
		startAt: min(options.Operations/2, options.Operations-options.Plant.operations()),
		client:  -1,
	}
}

// left is how many operations of the plant have yet to be issued.
func (p *planter) left() int { return p.plant.operations() - p.issued }

// takes says whether the client's next request belongs to the plant. The first
// client to come after the start is the one.
func (p *planter) takes(client, operations int) bool {
	if p.left() == 0 || operations < p.startAt {
		return false
	}
	if p.client < 0 {
		p.client = client
	}
	return client == p.client
}

// wantsQuiet says whether others must leave the key alone.
func (p *planter) wantsQuiet(key int) bool {
	return p.plant == PlantLostWrite && key == p.key && p.client >= 0 && !p.over
}

// loses says whether o is answered without taking effect.
func (p *planter) loses(o *Operation) bool {
	return p.plant == PlantLostWrite && o == p.second
}

// answer returns what a read finds, or what the plant makes of it. The planted read
// ends the plant.
func (p *planter) answer(o *Operation, holds Value) Value {
	if o != p.read {
		return holds
	}
	p.over = true
	if p.plant == PlantStaleRead {
		return p.first
	}
	if p.plant == PlantPhantomValue {
		return Text("<phantom>")
	}
	return holds
}

// issuePlanted issues the next operation of the plant, or waits for a quiet key.
func (g *generator) issuePlanted(client int, at int64) {
	p := &g.plant
	if p.plant == PlantLostWrite && g.pending[p.key] > 0 {
		g.schedule(moment{at: at + g.random.latency(), what: momentIssue, client: client})
		return
	}
	o := g.request(client, at, p.key)
	if g.worlds != nil {
		p.plant.script(g, o, p.script)
		p.script = append(p.script, o)
		p.issued++
		g.run(o)
		return
	}
	write, read := Write, Read
	if g.options.Model == KV {
		write, read = Put, Get
	}
	switch {
	case p.left() == 1:
		o.Kind, p.read = read, o
	case p.issued == 0:
		o.Kind, o.Input.Value = write, g.unique()
		p.first = o.Input.Value
	default:
		o.Kind, o.Input.Value = write, g.unique()
		p.second = o
	}
	p.issued++
	g.run(o)
}
