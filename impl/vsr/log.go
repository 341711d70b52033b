package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// log is the headers of a replica's log above its base: base.Op+1 at position 0. The head is
// the last. The base is the identity of the op below the headers; zero if they begin at op 1.
//
// Everything up to the base is committed: it is the op of a checkpoint, or a StartView or a
// vote said so. If it lies above what the replica has executed, then the ops between are a
// hole: their headers are unknown (hole.go).
type log struct {
	base    wire.PrepareID
	headers []wire.PrepareHeader
}

// head returns the highest op; zero if the log is empty.
func (l log) head() wire.Op { return l.base.Op + wire.Op(len(l.headers)) }

// at returns the header of op, which must be in the log.
func (l log) at(op wire.Op) *wire.PrepareHeader { return &l.headers[op-l.base.Op-1] }

// has reports whether the log has a header at op.
func (l log) has(op wire.Op) bool { return op > l.base.Op && op <= l.head() }

// contains reports whether the log holds exactly this prepare at its op.
func (l log) contains(id wire.PrepareID) bool {
	return l.has(id.Op) && l.at(id.Op).Checksum == id.Checksum
}

// identity returns the identity of an op from the base to the head.
func (l log) identity(op wire.Op) wire.PrepareID {
	if op == l.base.Op {
		return l.base
	}
	return l.at(op).ID()
}

// knows reports whether the log can tell the identity of an op.
func (l log) knows(op wire.Op) bool { return op >= l.base.Op && op <= l.head() }

// reaches reports whether the log says that this very prepare is at its op; the base counts.
func (l log) reaches(id wire.PrepareID) bool {
	return l.knows(id.Op) && l.identity(id.Op) == id
}

// sound reports whether the log begins at its base and is a chain: what a peer sends need not
// be.
func (l log) sound() bool {
	if l.base.Op == 0 && !l.base.Checksum.IsZero() {
		return false
	}
	below := l.base
	for i := range l.headers {
		if l.headers[i].Op != below.Op+1 || l.headers[i].Parent != below.Checksum {
			return false
		}
		below = l.headers[i].ID()
	}
	return true
}

// headChecksum is the checksum of the head; zero if the log is empty.
func (l log) headChecksum() wire.Checksum { return l.identity(l.head()).Checksum }

// above returns the log above op, which must not be below the base nor above the head.
func (l log) above(op wire.Op) log {
	return log{base: l.identity(op), headers: l.headers[op-l.base.Op:]}
}

// over returns the log extended downward by what another log has below its base, if that
// chains to it: equal identities have equal predecessors (R11).
func (l log) over(other log) log {
	if l.base.Op <= other.base.Op || !other.contains(l.base) {
		return l
	}
	below := other.headers[:l.base.Op-other.base.Op]
	return log{base: other.base, headers: slices.Concat(below, l.headers)}
}

// clone returns a copy that shares nothing that changes.
func (l log) clone() log { return log{base: l.base, headers: slices.Clone(l.headers)} }

// journal knows which bodies are stored above a base: the checksums by op, base+1 at position
// 0 (R3). What was released below a checkpoint no longer counts.
type journal struct {
	base   wire.Op
	stored [][]wire.Checksum
}

// at returns the checksums of the bodies stored at op.
func (j journal) at(op wire.Op) []wire.Checksum {
	if op <= j.base || op > j.base+wire.Op(len(j.stored)) {
		return nil
	}
	return j.stored[op-j.base-1]
}

func (j journal) has(id wire.PrepareID) bool { return slices.Contains(j.at(id.Op), id.Checksum) }

// hasOther reports whether the op has a body, but of another prepare.
func (j journal) hasOther(id wire.PrepareID) bool { return len(j.at(id.Op)) > 0 && !j.has(id) }

func (j *journal) add(id wire.PrepareID) {
	if id.Op <= j.base || j.has(id) {
		return
	}
	for j.base+wire.Op(len(j.stored)) < id.Op {
		j.stored = append(j.stored, nil)
	}
	// Clones share the checksums of an op, so adding must copy: clip the capacity.
	old := slices.Clip(j.stored[id.Op-j.base-1])
	j.stored[id.Op-j.base-1] = append(old, id.Checksum)
}

// remove forgets a body that cannot be read any more.
func (j *journal) remove(id wire.PrepareID) {
	var left []wire.Checksum // clones share the old ones
	for _, c := range j.at(id.Op) {
		if c != id.Checksum {
			left = append(left, c)
		}
	}
	j.stored[id.Op-j.base-1] = left
}

// release forgets everything up to op.
func (j *journal) release(op wire.Op) {
	if op <= j.base {
		return
	}
	gone := min(int(op-j.base), len(j.stored))
	j.base, j.stored = op, slices.Clone(j.stored[gone:])
}

// holds reports whether the body of the log's op is stored.
func (r *Replica) holds(op wire.Op) bool { return r.journal.has(r.log.at(op).ID()) }

// handedOut is the highest op that the state machine has executed or is executing.
func (r *Replica) handedOut() wire.Op {
	if r.executing {
		return r.commitMin + 1
	}
	return r.commitMin
}

// lacksExecuted returns an op that was executed here, or is with the state machine, and that
// another log has not, or 0. The log is a chain: if it has the last it has all before.
func (r *Replica) lacksExecuted(l log) wire.Op {
	switch {
	case l.head() < r.handedOut():
		return l.head() + 1
	case l.knows(r.commitMin) && l.identity(r.commitMin) != r.applied:
		return r.commitMin
	case r.executing && l.has(r.handed.Op) && !l.contains(r.handed):
		return r.handed.Op
	}
	return 0
}

// refusesLog returns why a log cannot become this replica's, or 0. One that lacks an executed
// op is no log of this group: somebody is wrong, and this replica does not follow (R20).
func (r *Replica) refusesLog(l log) Refusal {
	switch {
	case !l.sound():
		return RefuseBrokenLog
	case l.has(l.head()) && strays(l.at(l.head())):
		return RefuseTooLong
	case r.lacksExecuted(l) != 0:
		return RefuseDivergence
	}
	return 0
}

// adoptLog replaces the log. It is the only place where a log shrinks or changes (R7): a new
// primary and a replica that adopts a StartView come here, each when the new log is durable.
// What was executed must be in the new log: else the cluster has lost an acknowledged op.
func (r *Replica) adoptLog(adopted log) {
	if op := r.lacksExecuted(adopted); op != 0 {
		r.violated("an adopted log holds every executed op", "op=%d adopted_head=%d",
			op, adopted.head())
	}
	r.adoptMissing(adopted)
	r.log = adopted.clone()
	r.commitMax = max(r.commitMax, adopted.base.Op) // what lies below a base is committed
}
