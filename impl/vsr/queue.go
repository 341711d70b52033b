package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// queue holds requests that a primary has taken and not prepared, since its pipeline is full, in
// the order of their arrival. They are promised nothing: the end of the view drops them.
type queue struct {
	requests []*wire.Request
	bytes    int // of their bodies
}

func (q *queue) push(m *wire.Request) {
	q.requests = append(q.requests, m)
	q.bytes += len(m.Body)
}

// take removes the oldest requests, at least one: as many as one prepare may hold.
func (q *queue) take(l *Limits) []*wire.Request {
	n, bytes := 0, 0
	for _, m := range q.requests {
		if n == l.BatchRequests || n > 0 && !batchable(m) ||
			n > 0 && wire.BatchBytes(n+1, bytes+len(m.Body)) > l.BatchBytes {
			break
		}
		bytes += len(m.Body)
		if n++; !batchable(m) {
			break
		}
	}
	taken := slices.Clone(q.requests[:n])
	q.requests = slices.Delete(q.requests, 0, n)
	q.bytes -= bytes
	return taken
}

// batchable reports whether a request may share a prepare: those that bind and end sessions
// have an op of their own, which is the session's name (R18).
func batchable(m *wire.Request) bool {
	return wire.MayShareOp(m.Operation) && !m.Client.IsZero()
}

// onRequest gives a client's request the next op and stores the prepare; while the pipeline is
// full it waits. Its timestamp is the host's. VRR 4.1, steps 1 to 3; spec ClientRequest (which
// happens when the prepare is stored).
func (r *Replica) onRequest(m *wire.Request) {
	switch reason, status := r.refusesRequest(m); {
	case status != 0:
		r.refuse(reason, m)
		r.deny(m, status)
	case reason != 0:
		r.refuse(reason, m) // the reply to the one under way answers it
	case r.pipelineFull():
		r.queue.push(m)
	default:
		r.prepare(m)
	}
}

// refusesRequest returns why a request is not taken, and what its client is told; both are zero
// if it is, the status alone if the client hears of it by itself.
func (r *Replica) refusesRequest(m *wire.Request) (Refusal, uint32) {
	limits := &r.config.Limits
	switch {
	case !r.isPrimary():
		return RefuseNotPrimary, wire.ReplyNotPrimary
	case m.Operation == wire.OperationNonReplicated || m.Operation == wire.OperationBatch:
		return RefuseOperation, wire.ReplyInvalid
	case len(m.Body) > limits.RequestBytes:
		return RefuseTooLarge, wire.ReplyTooLarge
	case r.isUnderWay(m):
		return RefuseUnderWay, 0
	case !r.pipelineFull():
		return 0, 0
	case len(r.queue.requests) >= limits.Queue || r.queue.bytes+len(m.Body) > limits.QueueBytes:
		return RefuseQueueFull, wire.ReplyQueueFull
	}
	return 0, 0
}

func (r *Replica) pipelineFull() bool {
	return len(r.pipeline)+len(r.appending) >= r.config.Limits.Pipeline
}

// isUnderWay reports whether this very request waits or is in the pipeline. Preparing it again
// would be harmless, as executing decides (R18): this saves the work. It forgets what is
// committed, and the batches of an earlier view.
func (r *Replica) isUnderWay(m *wire.Request) bool {
	if m.Client.IsZero() {
		return false // the cluster's own have no numbers
	}
	for i := range r.pipeline {
		entry := &r.pipeline[i]
		if isOneOf(r.log.at(entry.id.Op), entry.requests, m) {
			return true
		}
	}
	for i := range r.appending {
		if isOneOf(&r.appending[i].prepare.Header, r.appending[i].requests, m) {
			return true
		}
	}
	return slices.ContainsFunc(r.queue.requests, func(q *wire.Request) bool {
		return sameRequest(q, m)
	})
}

// isOneOf reports whether a prepare is of a request: alone, or together with others.
func isOneOf(h *wire.PrepareHeader, batch []*wire.Request, m *wire.Request) bool {
	if h.Operation != wire.OperationBatch {
		return h.Client == m.Client && h.Request == m.Number && h.Session == m.Session &&
			h.RequestChecksum == m.RequestChecksum && h.Operation == m.Operation
	}
	return slices.ContainsFunc(batch, func(q *wire.Request) bool { return sameRequest(q, m) })
}

func sameRequest(a, b *wire.Request) bool {
	return a.Client == b.Client && a.Number == b.Number && a.Session == b.Session &&
		a.RequestChecksum == b.RequestChecksum && a.Operation == b.Operation
}

// prepare gives one request a prepare of its own and stores it.
func (r *Replica) prepare(m *wire.Request) {
	p := r.newPrepare(m.Timestamp)
	h := &p.Header
	h.Client, h.Session, h.Request = m.Client, m.Session, m.Number
	h.RequestChecksum, h.Operation, h.UserID = m.RequestChecksum, m.Operation, m.UserID
	p.Body = m.Body
	p.Seal()
	r.appendPrepare(p)
}

// prepareBatch puts requests into one prepare and stores it.
func (r *Replica) prepareBatch(requests []*wire.Request) {
	newest := uint64(0)
	for _, m := range requests {
		newest = max(newest, m.Timestamp)
	}
	p := r.newPrepare(newest)
	p.Header.Operation, p.Body = wire.OperationBatch, wire.AppendBatch(nil, requests)
	p.Seal()
	r.appendPrepare(p)
	r.appending[len(r.appending)-1].requests = requests
}

// newPrepare returns the next prepare of the log, without what is asked in it. Its time is the
// one given, or just above that of the op before: timestamps rise strictly along the log,
// whatever the clocks of its primaries say.
func (r *Replica) newPrepare(timestamp uint64) *wire.Prepare {
	op, parent := r.next()
	last := r.appliedAt // a primary has executed the base of its log
	if n := len(r.appending); n > 0 {
		last = r.appending[n-1].prepare.Header.Timestamp
	} else if r.log.has(op - 1) {
		last = r.log.at(op - 1).Timestamp
	}
	return &wire.Prepare{Header: wire.PrepareHeader{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Parent: parent, Op: op, Commit: r.commitMax,
		Timestamp: max(last+1, timestamp),
	}}
}

// drainQueue prepares what waits once the pipeline has room, several requests in one prepare as
// the limits allow. It looks after each step; only a primary has a queue.
func (r *Replica) drainQueue() {
	for len(r.queue.requests) > 0 && r.transition == nil && !r.pipelineFull() {
		if taken := r.queue.take(&r.config.Limits); len(taken) == 1 {
			r.prepare(taken[0])
		} else {
			r.prepareBatch(taken)
		}
	}
}

// dropQueue sends the clients that wait to another replica: the view is over.
func (r *Replica) dropQueue() {
	for _, m := range r.queue.requests {
		r.refuse(RefuseViewChanged, m)
		r.deny(m, wire.ReplyNotPrimary)
	}
	r.queue = queue{}
}

func (r *Replica) deny(m *wire.Request, status uint32) {
	r.out.Replies = append(r.out.Replies, &wire.Reply{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Client: m.Client, Number: m.Number, Operation: m.Operation,
		Status: status, RequestChecksum: m.RequestChecksum,
	})
}

// reply answers the clients of an executed op: one, or each of a batch.
func (r *Replica) reply(h *wire.PrepareHeader, in *Executed) {
	if h.Operation != wire.OperationBatch {
		r.replyTo(h, RequestResult{
			Client: h.Client, Number: h.Request, Operation: h.Operation,
			RequestChecksum: h.RequestChecksum, Body: in.Result,
		})
		return
	}
	for _, result := range in.Results {
		r.replyTo(h, result)
	}
}

func (r *Replica) replyTo(h *wire.PrepareHeader, result RequestResult) {
	if result.Client.IsZero() {
		return
	}
	r.out.Replies = append(r.out.Replies, &wire.Reply{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Client: result.Client, Op: h.Op, Commit: r.commitMin,
		Timestamp: h.Timestamp, Number: result.Number, Operation: result.Operation,
		RequestChecksum: result.RequestChecksum, Body: result.Body,
	})
}
