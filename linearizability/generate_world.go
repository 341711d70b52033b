package linearizability

import (
	"fmt"
	"slices"
)

// world is one object of a model with shapes while a history is generated. Unlike the
// specification, which goes from text to text, it is fast with a large object.
type world interface {
	// fill draws what a request asks for.
	fill(g *generator, o *Operation)
	// apply lets it take effect and fills in its output.
	apply(o *Operation)
}

// newWorld returns nil for a model without shapes.
func newWorld(model Model) world {
	if model == Partition {
		return &logWorld{}
	}
	if model == Offsets {
		return &offsetWorld{}
	}
	if model == Metadata {
		return &nameWorld{ids: map[string]int64{}}
	}
	if model == Sessions {
		return &sessionWorld{sent: map[int]int64{}, done: map[string]executed{}}
	}
	if model == Set {
		return &setWorld{}
	}
	return nil
}

type logWorld struct {
	records []string
}

func (w *logWorld) fill(g *generator, o *Operation) {
	if g.random.below(2) == 0 {
		o.Kind, o.Input.Value = Append, g.unique()
		return
	}
	from := max(0, len(w.records)-g.random.below(8))
	o.Kind, o.Input.Number, o.Input.Max = Poll, Int(int64(from)), Int(int64(1+g.random.below(8)))
	if g.random.below(4) == 0 {
		o.Input.Level = LevelSerializable // This one never is behind.
	}
}

func (w *logWorld) apply(o *Operation) {
	if o.Kind == Append {
		o.Output.Number = Int(int64(len(w.records)))
		w.records = append(w.records, o.Input.Value.Text)
		return
	}
	from := min(int(o.Input.Number.Value), len(w.records))
	to := min(from+int(o.Input.Max.Value), len(w.records))
	o.Output.Values = slices.Clone(w.records[from:to])
}

type offsetWorld struct {
	stored Number
}

func (w *offsetWorld) fill(g *generator, o *Operation) {
	switch draw := g.random.below(20); {
	case draw < 10:
		o.Kind = GetOffset
	case draw < 18:
		g.values++
		o.Kind, o.Input.Number = StoreOffset, Int(int64(g.values))
	default:
		o.Kind = DeleteOffset
	}
}

func (w *offsetWorld) apply(o *Operation) {
	if o.Kind == GetOffset {
		o.Output.Number = w.stored
		return
	}
	o.Output.OK = o.Kind == DeleteOffset && w.stored.Present
	w.stored = o.Input.Number // Of a deletion: none.
}

type nameWorld struct {
	ids  map[string]int64
	next int64
}

func (w *nameWorld) fill(g *generator, o *Operation) {
	o.Kind = []Kind{Create, Delete, Lookup, NameOf}[g.random.below(4)]
	if o.Kind == NameOf {
		o.Input.Number = Int(max(0, w.next-int64(g.random.below(6))))
		return
	}
	o.Input.Value = Text(fmt.Sprintf("n%d", g.random.below(5)))
}

func (w *nameWorld) apply(o *Operation) {
	id, exists := w.ids[o.Input.Value.Text]
	switch {
	case o.Kind == Create && !exists:
		o.Output.Number = Int(w.next)
		w.ids[o.Input.Value.Text] = w.next
		w.next++
	case o.Kind == Delete:
		o.Output.OK = exists
		delete(w.ids, o.Input.Value.Text)
	case o.Kind == Lookup && exists:
		o.Output.Number = Int(id)
	case o.Kind == NameOf:
		for name, id := range w.ids { // One of them at most, whatever the order.
			if id == o.Input.Number.Value {
				o.Output.Value = Text(name)
			}
		}
	}
}

type sessionWorld struct {
	sent map[int]int64 // Newest request by client.
	done map[string]executed
	size int64
}

func (w *sessionWorld) fill(g *generator, o *Operation) {
	draw := g.random.below(8)
	if draw == 0 {
		o.Kind = Count
		return
	}
	if draw > 2 || w.sent[o.Client] == 0 { // Else the newest is sent again.
		w.sent[o.Client]++
	}
	o.Kind, o.Input.Number = Execute, Int(w.sent[o.Client])
	o.Input.Value = Text(fmt.Sprintf("s%d", o.Client))
}

func (w *sessionWorld) apply(o *Operation) {
	if o.Kind == Count {
		o.Output.Number = Int(w.size)
		return
	}
	session, request := o.Input.Value.Text, o.Input.Number.Value
	newest, known := w.done[session]
	switch {
	case known && request < newest.request:
		return // Refused.
	case !known || request > newest.request:
		newest = executed{request: request, position: w.size}
		w.done[session] = newest
		w.size++
	}
	o.Output.Number = Int(newest.position)
}

type setWorld struct {
	members []string
}

func (w *setWorld) fill(g *generator, o *Operation) {
	if o.Kind = Members; g.random.below(2) == 0 {
		o.Kind, o.Input.Value = Add, g.unique()
	}
}

func (w *setWorld) apply(o *Operation) {
	if o.Kind == Members {
		o.Output.Values = slices.Clone(w.members)
		return
	}
	w.members = append(w.members, o.Input.Value.Text)
}
