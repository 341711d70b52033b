package wal

import (
	"fmt"
	"strings"
)

// Reason says why recovery discarded a range of bytes.
type Reason uint8

// The reasons.
const (
	// TornTail: a record that is there in part, or that does not verify, and what
	// cannot be read for lack of its length.
	TornTail Reason = iota + 1
	// BrokenChain: records that verify one by one and do not continue the log: another
	// sequence, op or predecessor. Left over from a log that was here before.
	BrokenChain
	// Orphaned: records that verify and continue one that does not.
	Orphaned
	// Unwritten: nothing but zeros to the end: room was made, and nothing came.
	Unwritten
	// Foreign: bytes that no record starts with.
	Foreign
	// BeyondFrontier: records that verify and lie above the published frontier. Only
	// RecoverToFrontier discards them: seed 003.
	BeyondFrontier
)

var reasonNames = [...]string{
	TornTail:       "torn_tail",
	BrokenChain:    "broken_chain",
	Orphaned:       "orphaned",
	Unwritten:      "unwritten",
	Foreign:        "foreign",
	BeyondFrontier: "beyond_frontier",
}

// String returns the name in snake_case, fit for a metric's label.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return fmt.Sprintf("reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// Discard is a range of bytes that recovery cut off.
type Discard struct {
	// Offset and Bytes are the range in the file.
	Offset, Bytes int64
	Reason        Reason
	// Records are those in the range that verify by themselves, and PayloadBytes the
	// sum of their bodies: what was lost although it was there.
	Records      int
	PayloadBytes int64
}

// String returns the range in one line.
func (d Discard) String() string {
	return fmt.Sprintf("discarded offset=%d bytes=%d payload=%d records=%d reason=%s",
		d.Offset, d.Bytes, d.PayloadBytes, d.Records, d.Reason)
}

// Report says what [Open] found.
type Report struct {
	// Path is the log's.
	Path string
	// Created is true if there was no file.
	Created bool
	// Records and Bytes were kept, PayloadBytes of it bodies.
	Records             int
	Bytes, PayloadBytes int64
	// Discarded are the ranges that were cut off, in the order of their offsets.
	Discarded []Discard
}

// DiscardedBytes is the sum of the discarded ranges.
func (r Report) DiscardedBytes() int64 {
	var sum int64
	for _, d := range r.Discarded {
		sum += d.Bytes
	}
	return sum
}

// String returns the report, one line for what was kept and one for each range.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: kept records=%d bytes=%d payload=%d, discarded bytes=%d",
		r.Path, r.Records, r.Bytes, r.PayloadBytes, r.DiscardedBytes())
	for _, d := range r.Discarded {
		fmt.Fprintf(&b, "\n%s: %s", r.Path, d)
	}
	return b.String()
}
