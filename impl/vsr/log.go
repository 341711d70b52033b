package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// log is the headers of a replica's log: op 1 at position 0. The head is the last.
type log []wire.PrepareHeader

// head returns the highest op; zero if the log is empty.
func (l log) head() wire.Op { return wire.Op(len(l)) }

// at returns the header of op, which must be in the log.
func (l log) at(op wire.Op) *wire.PrepareHeader { return &l[op-1] }

// has reports whether the log has a header at op.
func (l log) has(op wire.Op) bool { return op >= 1 && op <= l.head() }

// contains reports whether the log holds exactly this prepare at its op.
func (l log) contains(id wire.PrepareID) bool {
	return l.has(id.Op) && l.at(id.Op).Checksum == id.Checksum
}

// sound reports whether the log begins at op 1 and is a chain: what a peer sends need not be.
func (l log) sound() bool {
	parent := wire.Checksum{}
	for i := range l {
		if l[i].Op != wire.Op(i+1) || l[i].Parent != parent {
			return false
		}
		parent = l[i].Checksum
	}
	return true
}

// headChecksum is the checksum of the head; zero if the log is empty.
func (l log) headChecksum() wire.Checksum {
	if len(l) == 0 {
		return wire.Checksum{}
	}
	return l[len(l)-1].Checksum
}

// journal knows which bodies are stored: the checksums by op, op 1 at position 0 (R3).
type journal [][]wire.Checksum

// at returns the checksums of the bodies stored at op.
func (j journal) at(op wire.Op) []wire.Checksum {
	if op < 1 || op > wire.Op(len(j)) {
		return nil
	}
	return j[op-1]
}

func (j journal) has(id wire.PrepareID) bool { return slices.Contains(j.at(id.Op), id.Checksum) }

// hasOther reports whether the op has a body, but of another prepare.
func (j journal) hasOther(id wire.PrepareID) bool { return len(j.at(id.Op)) > 0 && !j.has(id) }

func (j *journal) add(id wire.PrepareID) {
	if j.has(id) {
		return
	}
	for wire.Op(len(*j)) < id.Op {
		*j = append(*j, nil)
	}
	// Clones share the checksums of an op, so adding must copy: clip the capacity.
	old := slices.Clip((*j)[id.Op-1])
	(*j)[id.Op-1] = append(old, id.Checksum)
}

// remove forgets a body that cannot be read any more.
func (j *journal) remove(id wire.PrepareID) {
	var left []wire.Checksum // clones share the old ones
	for _, c := range j.at(id.Op) {
		if c != id.Checksum {
			left = append(left, c)
		}
	}
	(*j)[id.Op-1] = left
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

// refusesLog returns why a log cannot become this replica's, or 0. One that lacks an executed
// op is no log of this group: somebody is wrong, and this replica does not follow (R20).
func (r *Replica) refusesLog(l log) Refusal {
	if !l.sound() {
		return RefuseBrokenLog
	}
	for op := wire.Op(1); op <= r.handedOut(); op++ {
		if !l.contains(r.log.at(op).ID()) {
			return RefuseDivergence
		}
	}
	return 0
}

// adoptLog replaces the log. It is the only place where a log shrinks or changes (R7): a new
// primary and a replica that adopts a StartView come here, each when the new log is durable.
// What was executed must be in the new log: else the cluster has lost an acknowledged op.
func (r *Replica) adoptLog(headers []wire.PrepareHeader) {
	adopted := log(slices.Clone(headers))
	for op := wire.Op(1); op <= r.handedOut(); op++ {
		if !adopted.contains(r.log.at(op).ID()) {
			r.violated("an adopted log holds every executed op", "op=%d adopted_head=%d",
				op, adopted.head())
		}
	}
	r.adoptMissing(adopted)
	r.log = adopted
}
