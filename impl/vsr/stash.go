package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Bounds of what waits for a predecessor: ops beyond the next one, and bytes of their bodies.
const (
	stashOps   = PipelineMax
	stashBytes = 16 << 20
)

// stash holds prepares of this view that came before their predecessor. Nothing is promised
// about them: they are no part of the log until they are taken, so that to the specification
// they are messages still on their way. A change of view or log drops them all.
//
// It is an array, the slot given by the op, so that a copy of a replica shares nothing.
type stash [stashOps]*wire.Prepare

// keep holds a prepare beyond next, and reports whether there was room for it.
func (s *stash) keep(p *wire.Prepare, next wire.Op) bool {
	op := p.Header.Op
	if op <= next || op-next >= stashOps {
		return false
	}
	slot := &s[op%stashOps]
	*slot = nil // an op that has been passed, or an older arrival of this one
	bytes := len(p.Body)
	for _, held := range s {
		if held != nil {
			bytes += len(held.Body)
		}
	}
	if bytes > stashBytes {
		return false
	}
	*slot = p
	return true
}

// take removes and returns the prepare of an op, nil if it is not held.
func (s *stash) take(op wire.Op) *wire.Prepare {
	slot := &s[op%stashOps]
	p := *slot
	if p == nil || p.Header.Op != op {
		return nil
	}
	*slot = nil
	return p
}

// admitStashed takes what has been waiting for the prepare just admitted. Each is classified
// like one that arrives now (R8): a chain that does not fit is a conflict, not a next.
func (r *Replica) admitStashed() {
	next, _ := r.next()
	if p := r.stash.take(next); p != nil {
		r.admit(p)
	}
}
