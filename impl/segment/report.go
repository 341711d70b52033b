package segment

import (
	"fmt"
	"strings"
)

// Reason says why a range of bytes was not adopted, or cannot be.
type Reason uint8

// The reasons.
const (
	// Missing: the checkpoint covers the file, and it is not there.
	Missing Reason = iota + 1
	// Short: the file ends before the checkpoint does.
	Short
	// Damaged: a batch does not verify.
	Damaged
	// Invalid: the checksum matches bytes that this package never writes.
	Invalid
	// Foreign: a batch of another group.
	Foreign
	// Unchained: a batch that verifies and does not continue the one before it.
	Unchained
	// Forked: the batches verify, and the checkpoint counts on others.
	Forked
	// TornTail: behind the checkpoint, not readable: a write that a crash cut short.
	TornTail
	// AboveCheckpoint: batches that verify, of ops above the checkpoint. The write-ahead log
	// has them.
	AboveCheckpoint
	// Released: below the checkpoint's start: a crash came between checkpoint and trim.
	Released
	// IndexMissing: no index. It is made anew, as in the next three cases.
	IndexMissing
	// IndexDamaged: the index is torn, or does not verify.
	IndexDamaged
	// IndexStale: the index verifies and does not describe the segment as it is.
	IndexStale
	// IndexOrphaned: an index without a segment.
	IndexOrphaned
	// Unfinished: a segment that was being received when a crash came. It is removed.
	Unfinished
)

var reasonNames = [...]string{
	Missing:         "missing",
	Short:           "short",
	Damaged:         "damaged",
	Invalid:         "invalid",
	Foreign:         "foreign",
	Unchained:       "unchained",
	Forked:          "forked",
	TornTail:        "torn_tail",
	AboveCheckpoint: "above_checkpoint",
	Released:        "released",
	IndexMissing:    "index_missing",
	IndexDamaged:    "index_damaged",
	IndexStale:      "index_stale",
	IndexOrphaned:   "index_orphaned",
	Unfinished:      "unfinished",
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
}

// String returns the range in one line.
func (d Discard) String() string {
	return fmt.Sprintf("%s offset=%d bytes=%d %s", d.File, d.Offset, d.Bytes, d.Reason)
}

// Report says what [Open] found.
type Report struct {
	// Segments and Bytes were adopted.
	Segments int
	Bytes    int64
	// Scanned is how many of the bytes were read to be sure of them: all where an index was
	// of no use.
	Scanned int64
	// Discarded are the ranges that were not adopted, by file and offset.
	Discarded []Discard
}

// String returns the report, one line for what was kept and one for each range.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d segments with %d bytes", r.Segments, r.Bytes)
	for _, d := range r.Discarded {
		fmt.Fprintf(&b, "\n%s", d)
	}
	return b.String()
}

// LostError says that the segments do not have what a checkpoint counts on. Only another
// replica has it now.
type LostError struct {
	File string
	// Position is where in the file, in bytes.
	Position int64
	Reason   Reason
}

// Error names file, position and reason.
func (e *LostError) Error() string {
	return fmt.Sprintf("segment %s at %d is %s: expected what the checkpoint covers; "+
		"remove this partition's data and let it join anew", e.File, e.Position, e.Reason)
}
