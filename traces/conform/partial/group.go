package partial

import "slices"

// windowMax is the number of ops of a group that are remembered after their commit.
const windowMax = 1024

// window remembers something of the last ops of a group.
type window[T any] struct {
	byOp  map[uint64]T
	order []uint64 // Ring of the ops, in the order in which they came.
	next  int
}

func newWindow[T any]() *window[T] { return &window[T]{byOp: map[uint64]T{}} }

func (w *window[T]) put(op uint64, value T) {
	if _, known := w.byOp[op]; !known {
		if len(w.order) < windowMax {
			w.order = append(w.order, op)
		} else {
			delete(w.byOp, w.order[w.next])
			w.order[w.next] = op
			w.next = (w.next + 1) % windowMax
		}
	}
	w.byOp[op] = value
}

func (w *window[T]) get(op uint64) (value T, known bool) {
	value, known = w.byOp[op]
	return value, known
}

// request is what an op executes.
type request struct {
	client    string
	number    uint64
	numbered  bool // The trace says the number.
	operation string
	place     string
}

// agreed is an op that reached its quorum.
type agreed struct {
	checksum string
	view     uint32
	place    string
}

// candidate is a prepare that was queued as an op, in some view.
type candidate struct {
	checksum string
	request  request
}

// candidatesMax bounds the prepares that are remembered for one op.
const candidatesMax = 8

// group is what is known of one group.
type group struct {
	metadata bool
	// whole says that the trace shows the group from its first op on, without a gap.
	whole    bool
	replicas map[int]*replica
	// waiting are ops that were queued and have no quorum yet.
	waiting map[uint64]string
	// head is the highest op that was queued.
	head uint64
	// needed is the size of the replication quorum, 0 if no event has said it.
	needed int

	reached    *window[agreed]
	executed   *window[request]
	candidates *window[[]candidate] // What was queued as an op.
	primaries  *window[int]         // Who acted as primary, by view.
}

func newGroup(plane string, needed int) *group {
	return &group{
		metadata: plane == "metadata", needed: needed,
		replicas: map[int]*replica{}, waiting: map[uint64]string{},
		reached: newWindow[agreed](), executed: newWindow[request](),
		candidates: newWindow[[]candidate](), primaries: newWindow[int](),
	}
}

// replica is what is known of one replica of a group.
type replica struct {
	last string // Where its last event stands.

	view, logView           uint32
	viewKnown, logViewKnown bool
	recovering              bool
	// whole says that it queued the first op in the trace, lost that later something of it was.
	whole, lost bool

	commit      uint64
	commitKnown bool
	// executed is the last op that it executed; in the metadata group it is known only of the
	// primary of executedView.
	executed      uint64
	executedKnown bool
	executedView  uint32

	pipeline pipeline
}

// pipeline is what a primary holds in one view.
type pipeline struct {
	view    uint32
	known   bool
	entries map[uint64]*entry
	// first and last are the ops queued in this view, 0 before the first. What is below first is
	// inherited.
	first, last uint64
	done        uint64 // The last op that was executed in this view.
}

// entry is an op in a pipeline.
type entry struct {
	since     string  // Where the trace shows it first.
	request   request // What it executes; unknown without a place.
	checksum  string
	votes     []int
	uncounted int // Acknowledgements from before the trace shows the entry.
	reached   bool
}

func (g *group) replica(id int) *replica {
	r := g.replicas[id]
	if r == nil {
		r = &replica{}
		g.replicas[id] = r
	}
	return r
}

// forget drops what a lost line may have changed: everything but views, which never go back, and
// what was agreed.
func (g *group) forget() {
	g.whole = false
	clear(g.waiting)
	for _, r := range g.replicas {
		r.forget()
	}
}

// restart drops what a replica loses when it begins anew. Whether it lost ops that it had
// queued, nobody can say.
func (g *group) restart(r *replica) {
	for op := range r.pipeline.entries {
		if _, waits := g.waiting[op]; waits {
			delete(g.waiting, op)
			g.whole = false
		}
	}
	r.forget()
}

func (r *replica) forget() {
	r.whole, r.lost, r.commitKnown, r.executedKnown = false, true, false, false
	r.pipeline = pipeline{}
}

// at returns the replica's pipeline of a view.
func (r *replica) at(view uint32) *pipeline {
	if !r.pipeline.known || r.pipeline.view != view {
		r.pipeline = pipeline{view: view, known: true, entries: map[uint64]*entry{}}
	}
	return &r.pipeline
}

// addCandidate remembers that a prepare was queued as an op.
func (g *group) addCandidate(op uint64, checksum string, r request) {
	all, _ := g.candidates.get(op)
	if _, known := pick(all, checksum); checksum != "" && !known && len(all) < candidatesMax {
		g.candidates.put(op, append(slices.Clone(all), candidate{checksum, r}))
	}
}

// pick returns the candidate with a checksum.
func pick(all []candidate, checksum string) (candidate, bool) {
	i := slices.IndexFunc(all, func(c candidate) bool { return c.checksum == checksum })
	if i < 0 {
		return candidate{}, false
	}
	return all[i], true
}
