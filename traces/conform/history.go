package conform

import (
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// history is what a group has settled: ops that all replicas have executed and that nobody can
// act on before one of them restarts (vsr.State.Settled). The one explanation that there is then
// goes on without them, as the model does, its ops numbered from 1; so an event costs what
// its group has in flight, and not what it has ever done. An event that speaks of a settled op,
// such as a restart, brings all of them back, and so does one that nothing explains: it is
// judged, and told of, with the whole log.
type history struct {
	// gone is how many ops are forgotten for good: every replica has a checkpoint of them, from
	// below which none goes on. The ops below are numbered from there.
	gone vsr.Op
	// ops are nil before any has been put aside.
	ops *settledOps
	// last is the entry of the highest, where ops are not nil.
	last vsr.Entry
}

// settleEvery is how many ops must have settled before they are put aside.
const settleEvery = 128

// settled puts ops aside if there are enough of them.
func (c *checker) settled() {
	if len(c.now) != 1 || c.every == 0 {
		return
	}
	x := &c.now[0]
	for r := range c.config.N {
		if x.state.CommitMin(r) < c.every {
			return // Cheap, and true of nearly all events.
		}
	}
	n := x.state.Settled()
	if n < c.every {
		return
	}
	if c.past.ops == nil {
		c.past.ops = &settledOps{}
	}
	done := c.past.ops.head
	for op := vsr.Op(1); op <= n; op++ {
		e, _ := x.state.Log(0).At(op)
		e = e.Raised(done)
		c.past.ops.extend(c.past.last, e)
		c.past.last = e
	}
	x.bound = x.bound.withoutFirst(n, done, c.past.ops)
	for r := range c.config.N {
		var open []vsr.Entry
		for _, e := range x.perhaps[r] {
			if e.Op > n { // No log can show one that is not above: it has another there.
				open = append(open, e.Lowered(n))
			}
		}
		x.perhaps[r] = open
		x.hole[r] -= min(x.hole[r], n)
	}
	x.state = x.state.WithoutFirst(n)
	c.forget()
}

// forget drops the ops that were put aside of which all replicas have a checkpoint, and of one
// above it is known that it is committed, so that each log goes on behind them. Of as many as are
// put aside at a time, so that the others are not renumbered all the time.
func (c *checker) forget() {
	x, low := &c.now[0], c.past.offset()
	if x.state.Acknowledged().Head() == 0 {
		low--
	}
	for r := range c.config.N {
		low = min(low, c.seen.floor[r])
	}
	if low < c.past.gone+c.every {
		return
	}
	n := low - c.past.gone
	c.past.gone, c.past.ops = low, c.past.ops.withoutFirst(n)
	c.past.last = c.past.last.Lowered(n)
	bound := *x.bound
	bound.past = c.past.ops
	x.bound = &bound
}

// bringBack gives all explanations the ops that were put aside.
func (c *checker) bringBack() {
	if c.past.ops == nil {
		return
	}
	done, log := c.past.ops.head, c.past.ops.log()
	c.back(done, log, c.past.ops)
	c.past = history{gone: c.past.gone}
}

// bringBackAll also puts something in the place of the ops that were forgotten, so that the
// others have the numbers of the trace: to tell of an event that nothing explains.
func (c *checker) bringBackAll() {
	c.bringBack()
	var log vsr.Log
	for op := vsr.Op(1); op <= c.past.gone; op++ {
		log = append(log, vsr.Entry{Op: op})
	}
	if len(log) > 0 {
		c.back(log.Head(), log, &settledOps{})
	}
	c.past = history{}
}

// back gives all explanations the ops of a log again, done of them.
func (c *checker) back(done vsr.Op, log vsr.Log, ops *settledOps) {
	for i := range c.now {
		x := &c.now[i]
		x.state = x.state.On(log)
		x.bound = x.bound.on(done, ops)
		for r := range c.config.N {
			var open []vsr.Entry
			for _, e := range x.perhaps[r] {
				open = append(open, e.Raised(done))
			}
			x.perhaps[r] = open
			if x.hole[r] > 0 {
				x.hole[r] += done
			}
		}
	}
}

// offset is how many ops the explanations do not have.
func (h *history) offset() vsr.Op {
	if h.ops == nil {
		return h.gone
	}
	return h.gone + h.ops.head
}

// take returns the explanations after an event, in the numbers of what is left.
func (c *checker) take(e traces.Event) []explanation {
	if c.past.holds(e) {
		e.Args = traces.Args{} // All of it is known, and no step needs it.
		e.Action = actionSettled
	}
	if done := c.past.offset(); done > 0 {
		if low, ok := lowered(e, uint64(done)); ok {
			if next := c.explain(low); len(next) > 0 {
				return next
			}
		}
		c.bringBack()
	}
	if c.past.gone == 0 {
		return c.explain(e)
	}
	// A message may still tell of less than all have: as committed, that is nothing new.
	if e.Args.Commit <= uint64(c.past.gone) {
		e.Args.Commit = 0
	}
	if op := vsr.Op(e.Args.Op); op <= c.past.gone && c.landsLate(e, op) {
		e.Args, e.Action, e.Stutter = traces.Args{}, actionSettled, true
	}
	low, ok := lowered(e, uint64(c.past.gone))
	if !ok {
		return nil // It speaks of an op that is below each checkpoint.
	}
	return c.explain(low)
}

// actionSettled stands for an event of what was put aside or forgotten: it changes nothing.
const actionSettled = "SettledCheckpoint"

// holds reports whether an event takes a checkpoint of an op that was put aside, by its checksum.
func (h *history) holds(e traces.Event) bool {
	op := vsr.Op(e.Args.Op)
	if h.ops == nil || !namesCheckpoint(e) || op <= h.gone || op > h.offset() {
		return false
	}
	entry, named := h.ops.entry(e.Args.Checksum)
	return named && entry.Op == op-h.gone && e.Action == traces.EventTakeCheckpoint
}

// lowered is an event in whose numbers the first n ops do not exist, or false if it speaks of
// one of them.
func lowered(e traces.Event, n uint64) (traces.Event, bool) {
	ok := true
	lower := func(op *uint64, lowest uint64) {
		ok = ok && *op >= n+lowest
		*op -= n
	}
	lower(&e.After.OpHead, 1)
	lower(&e.After.Contiguous, 0)
	lower(&e.After.CommitMin, 0)
	lower(&e.After.CommitMax, 0)
	for _, op := range []*uint64{&e.Args.Op, &e.Args.Commit} {
		if *op != 0 && (!e.Stutter || ofCheckpoints(e)) { // An absent one is free.
			lower(op, 1)
		}
	}
	for _, ops := range []*[]uint64{&e.After.Hollow, &e.After.Pipeline} {
		low := make([]uint64, len(*ops))
		for i, op := range *ops {
			low[i] = op
			lower(&low[i], 1)
		}
		*ops = low
	}
	return e, ok
}

// withoutFirst is the binding without the first n ops, the others renumbered. What goes is kept
// in past, above the done ops that are there already.
func (b *binding) withoutFirst(n, done vsr.Op, past *settledOps) *binding {
	c := newBinding()
	c.past = past
	all := b.settled()
	for checksum, e := range all.entries { //nolint:maporder // Into maps.
		if e.Op <= n {
			past.name(checksum, e.Raised(done))
			continue
		}
		e = e.Lowered(n)
		c.entries[checksum], c.checksums[e] = e, checksum
	}
	return c
}

// on is the binding with the ops up to done again.
func (b *binding) on(done vsr.Op, past *settledOps) *binding {
	c := newBinding()
	all := b.settled()
	for checksum, e := range all.entries { //nolint:maporder // Into maps.
		e = e.Raised(done)
		c.entries[checksum], c.checksums[e] = e, checksum
	}
	past.each(func(checksum string, e vsr.Entry) {
		c.entries[checksum], c.checksums[e] = e, checksum
	})
	return c
}
