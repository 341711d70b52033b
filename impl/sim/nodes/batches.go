package nodes

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What can become of an op that several requests share: the names of the coverage.
const (
	batchPrepared = "prepared" // its primary sends it
	batchExecuted = "executed" // the first time anywhere
	// batchReplayed: a process executes it again after a boot, from its log.
	batchReplayed = "replayed"
	// batchRepaired: somebody who lacks it is sent it.
	batchRepaired = "repaired"
	// batchBereaved: its primary dies before anybody has executed it; batchInherited: it is executed
	// in a later view than that of its primary.
	batchBereaved, batchInherited = "primary_died", "inherited"
	// batchRepeats: it holds a request that executed before.
	batchRepeats = "repeats"
)

var batchNames = []string{
	batchPrepared, batchExecuted, batchReplayed, batchRepaired, batchBereaved, batchInherited,
	batchRepeats,
}

// batches is what is known of the ops of a group that several requests share.
type batches struct {
	// newest is the highest that was prepared in each view, done the highest op that each process
	// has ever executed.
	newest map[wire.View]wire.Op
	done   [processesMax]wire.Op
}

// sent takes note of a prepare as it leaves its primary.
func (b *batches) sent(r *Result, w *watched, p *wire.Prepare) {
	h := &p.Header
	if h.Operation != wire.OperationBatch {
		return
	}
	if _, again := w.prepared[viewOp{h.View, h.Op}]; again {
		return
	}
	if b.newest == nil {
		b.newest = map[wire.View]wire.Op{}
	}
	b.newest[h.View] = max(b.newest[h.View], h.Op)
	r.Batches[batchPrepared]++
}

func (b *batches) repaired(r *Result, p *wire.Prepare) {
	if p.Header.Operation == wire.OperationBatch {
		r.Batches[batchRepaired]++
	}
}

// executedBatch counts what an executed op was.
func (c *checker) executedBatch(
	p *process, w *watched, h *wire.PrepareHeader, answers []clienttable.Answer,
) {
	seen, counts := w.batches.done[p.id] >= h.Op, c.s.result.Batches
	w.batches.done[p.id] = max(w.batches.done[p.id], h.Op)
	if h.Operation != wire.OperationBatch {
		return
	}
	if seen {
		counts[batchReplayed]++
	}
	if int(h.Op) <= len(w.log) {
		return
	}
	counts[batchExecuted]++
	if current := p.latestView(h.Group); current > h.View {
		counts[batchInherited]++
	}
	for i := range answers {
		if a := &answers[i]; a.Kind == clienttable.Replied && a.Op != h.Op {
			counts[batchRepeats]++
		}
	}
}

// latestView is the view that a process is in; 0 while its hosts are being made.
func (p *process) latestView(group wire.GroupID) wire.View {
	if int(group) >= len(p.hosts) {
		return 0
	}
	return p.state(group).View
}

// dies takes note of a process that ends in the middle of batches.
func (c *checker) dies(p *process) {
	for group, w := range c.groups {
		if group >= len(p.hosts) {
			return // it dies while it boots
		}
		standing := p.hosts[group].Standing()
		if standing.Leads && int(w.batches.newest[standing.View]) > len(w.log) {
			c.s.result.Batches[batchBereaved]++
		}
	}
}

// drawLimits makes requests wait and share ops in some seeds: a short pipeline is full soon. It
// draws last, so that it moves nothing else of the plan.
func (p *plan) drawLimits(random random, calm bool) {
	p.limits = vsr.Limits{
		Pipeline:      random.pick(1, 1, 2, 4, vsr.PipelineMax),
		BatchRequests: random.pick(1, 2, 8, 64, 64),
		BatchBytes:    random.pick(300, 1000, vsr.BatchBytesMax, vsr.BatchBytesMax),
		Queue:         random.pick(4, 64, 256, 256),
	}
	if calm {
		p.limits = vsr.Limits{Pipeline: 4, BatchRequests: 256, Queue: 4096}
	}
}

// gather makes the clients so many at least: they share ops as only a crowd does. They have a table
// that remembers them all, keys enough for the histories to be decided, and a log and chunks that
// what they ask for fits into.
func (p *plan) gather(clients int) {
	s := &p.shape
	if clients <= s.clients {
		return
	}
	s.clients, s.capacity, s.keys = clients, max(s.capacity, clients), s.keys+clients/6
	s.logFileBytes, s.chunkBytes = max(s.logFileBytes, 128<<10), max(s.chunkBytes, 4000)
	p.limits.BatchRequests = max(p.limits.BatchRequests, 4)
	p.limits.BatchBytes = max(p.limits.BatchBytes, 4000)
}

func (p *plan) limitWords() string {
	l := &p.limits
	return fmt.Sprintf("pipeline=%d queue=%d batch<=%d,%d", l.Pipeline, l.Queue, l.BatchRequests,
		l.BatchBytes)
}
