package wal

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Reason says why recovery did not adopt a range of bytes.
type Reason uint8

// The reasons.
const (
	// TornTail: nobody can read it, and nothing shows that it was ever flushed.
	TornTail Reason = iota + 1
	// Rot: nobody can read it, and a batch behind it says that it was flushed. Also bodies
	// that do not verify in a batch whose index does.
	Rot
	// StaleRecycled: left over from before the file was used again.
	StaleRecycled
	// ForeignIncarnation: a batch that verifies and does not continue the chain: another
	// boot's, behind a cut.
	ForeignIncarnation
	// Orphaned: a batch that verifies behind one that is missing, and nothing shows that the
	// missing one was flushed.
	Orphaned
	// Misdirected: a batch that belongs to another place in a file of this log.
	Misdirected
	// BeyondFrontier: a batch that verifies, and only RecoverToFrontier discards: seed 003.
	BeyondFrontier
)

var reasonNames = [...]string{
	TornTail:           "torn_tail",
	Rot:                "rot",
	StaleRecycled:      "stale_recycled",
	ForeignIncarnation: "foreign_incarnation",
	Orphaned:           "orphaned",
	Misdirected:        "misdirected",
	BeyondFrontier:     "beyond_frontier",
}

// String returns the name in snake_case, fit for a metric's label.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return fmt.Sprintf("reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// Discard is a range of bytes that recovery did not adopt.
type Discard struct {
	File          string
	Offset, Bytes int64
	Reason        Reason
	// Records are those of the range whose index verifies, BodyBytes the sizes of their
	// bodies: what goes although something of it is there.
	Records   int
	BodyBytes int64
}

// String returns the range in one line.
func (d Discard) String() string {
	return fmt.Sprintf("discarded file=%s offset=%d bytes=%d records=%d body_bytes=%d reason=%s",
		d.File, d.Offset, d.Bytes, d.Records, d.BodyBytes, d.Reason)
}

// count adds records of an index that verifies.
func (d *Discard) count(records []indexed) {
	d.Records += len(records)
	for _, x := range records {
		d.BodyBytes += int64(x.size)
	}
}

// Recovered is a record that recovery adopted.
type Recovered struct {
	Head
	Sequence Sequence
	// Incarnation is that of the boot which wrote the batch.
	Incarnation wire.Uint128
	// Present is false where the index alone was readable: the op is known, its body is not.
	Present bool
	// Body is a state record's.
	Body []byte
}

// Report says what [Open] found.
type Report struct {
	// Records are what the log holds, oldest first: to be replayed.
	Records []Recovered
	// Batches were adopted.
	Batches int
	// Discarded are the ranges that were not, in the order of files and offsets. Bytes that
	// were never written are not among them.
	Discarded []Discard
	// Damaged: something was unreadable or out of place, so every group is in doubt.
	Damaged bool
	// SameKernel: the kernel has not restarted since the newest batch was written.
	SameKernel bool

	recorded map[wire.GroupID]bool // By the groups' newest state records, and by marks.
	marked   bool                  // For groups that have no state record.

	newest header // Of the batches adopted so far.
	// flushed is the newest batch of which each boot knew that it was flushed, by incarnation.
	flushed map[wire.Uint128]Sequence
	// restarted: the kernel has, between two batches; settled are the groups that have a state
	// record since.
	restarted bool
	settled   map[wire.GroupID]bool
}

// follow notes whether the kernel restarted before a batch. What it took may be missing until a
// state record says so or ends it: another death of the process changes nothing about that.
func (r *Report) follow(h header) {
	if r.newest.sequence > 0 && h.incarnation != r.newest.incarnation &&
		(h.kernel.IsZero() || h.kernel != r.newest.kernel) {
		r.restarted = true
		clear(r.settled)
	}
	r.newest = h
	r.flushed[h.incarnation] = max(r.flushed[h.incarnation], h.syncedThrough)
}

// Flushed says whether the boot that wrote a record lived to see it flushed, and to write a batch
// after that. Where it did not, nobody heard of the record, and a death may have torn it.
func (r Report) Flushed(of *Recovered) bool { return of.Sequence <= r.flushed[of.Incarnation] }

// DiscardedBytes is the sum of the ranges that were not adopted.
func (r Report) DiscardedBytes() int64 {
	var sum int64
	for _, d := range r.Discarded {
		sum += d.Bytes
	}
	return sum
}

// InDoubt says whether a group's log may lack what the group acknowledged (R15). Under the
// policy persisted a restart alone is no reason.
func (r Report) InDoubt(group wire.GroupID, persisted bool) bool {
	recorded, known := r.recorded[group]
	if !known {
		recorded = r.marked
	}
	restarted := !r.SameKernel || r.restarted && !r.settled[group]
	return r.Damaged || recorded || !persisted && restarted
}

// String returns the report, one line for what was kept and one for each range.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kept batches=%d records=%d damaged=%t same_kernel=%t",
		r.Batches, len(r.Records), r.Damaged, r.SameKernel)
	for _, d := range r.Discarded {
		fmt.Fprintf(&b, "\n%s", d)
	}
	return b.String()
}
