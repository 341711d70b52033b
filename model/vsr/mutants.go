package vsr

import (
	"fmt"
	"math/bits"
	"strings"
)

// Mutant is one deliberate defect: the spec's BugNames. With none of them every
// property holds; with any single one some property is violated.
type Mutant uint8

const (
	// StallIsPipeline (R6): the stall detector takes the pipeline's head for a stall.
	// Only the second driver shape has it. Breaks PipelineBacked.
	StallIsPipeline Mutant = iota + 1
	// StallTruncates (R6, R7): the stall detector truncates from a hollow op. Breaks
	// Agreement.
	StallTruncates
	// WalkTakesPipeline (R5): the commit walk executes what the pipeline owns. Only the
	// second driver shape has it. Breaks PipelineAhead.
	WalkTakesPipeline
	// HeadersVolatile (R2): log_view is durable, the log it speaks for is not. Breaks
	// AckedDurable and Agreement.
	HeadersVolatile
	// AckOverHole (R2, lazy form): a prepare is accepted above a hollow op. Breaks
	// PrepareOKBacked.
	AckOverHole
	// NarrowRepair (R9): repair stops at commit_max, not at the head. Breaks NoStall.
	NarrowRepair
	// VolatileView (R1): view and log_view are not durable. Breaks AckedDurable,
	// Agreement and OneStart.
	VolatileView
	// SendFirst (R1): view change messages leave before the write. Breaks AckedDurable
	// and Agreement.
	SendFirst
	// NoNonce (R4): a recovering replica adopts an old StartView. Breaks
	// PrepareOKBacked.
	NoNonce
	// StaleBody (R3): bodies are looked up by op, not by checksum. Breaks
	// PrepareOKBacked.
	StaleBody
	// StartHollow (R13): a new primary starts before it holds the bodies. Breaks
	// PipelineBacked.
	StartHollow
	// DVCDropsHollow (R12): a vote forgets adopted headers without a body. Breaks
	// AckedDurable and Agreement.
	DVCDropsHollow
	// SameViewSV (R7): a StartView of the view a replica is normal in is adopted.
	// Breaks PrepareOKBacked.
	SameViewSV
	// LongestLog (R12): the merge ignores log_view. Breaks AckedDurable and
	// CommitAgree.
	LongestLog
	// MergeResurrects (R12): the merge adds to the canonical log what only votes of lower
	// log views hold behind it. No invariant notices: the refinement does.
	MergeResurrects
	// JoinIsSilent (R10): who joins a view change does not say so itself. Breaks NoStall
	// and ViewChangeCompletes.
	JoinIsSilent
	// RepairOnlyWhenNormal (R9, R13): a new primary does not repair before its start.
	// Breaks NoStall and ViewChangeCompletes.
	RepairOnlyWhenNormal
	// FillIsDuplicate (R8): a body for an adopted header is taken for a stale duplicate.
	// Breaks NoStall and Progress.
	FillIsDuplicate
	// PrepareOKOnce (R10): what was acknowledged in an old view is not acknowledged again
	// in the new one. Breaks NoStall and Progress.
	PrepareOKOnce
	// CommitNumberNotSent (R10): the primary tells nobody what is committed. Breaks NoStall
	// and Progress.
	CommitNumberNotSent
	// HalfIsQuorum (R12): half the replicas, rounded up, are a quorum of either kind, so one
	// of two is. Breaks AckedDurable and Agreement where N is even.
	HalfIsQuorum
	// OneQuorum (R12): the size of the replication quorum decides view changes too. Breaks
	// AckedDurable at N = 4.
	OneQuorum

	mutantEnd // One past the last.
)

var mutantNames = [mutantEnd]string{
	StallIsPipeline:   "stall_is_pipeline",
	StallTruncates:    "stall_truncates",
	WalkTakesPipeline: "walk_takes_pipeline",
	HeadersVolatile:   "headers_volatile",
	AckOverHole:       "ack_over_hole",
	NarrowRepair:      "narrow_repair",
	VolatileView:      "volatile_view",
	SendFirst:         "send_first",
	NoNonce:           "no_nonce",
	StaleBody:         "stale_body",
	StartHollow:       "start_hollow",
	DVCDropsHollow:    "dvc_drops_hollow",
	SameViewSV:        "same_view_sv",
	LongestLog:        "longest_log",

	MergeResurrects:      "merge_resurrects",
	JoinIsSilent:         "join_is_silent",
	RepairOnlyWhenNormal: "repair_only_when_normal",
	FillIsDuplicate:      "fill_is_duplicate",
	PrepareOKOnce:        "prepare_ok_once",
	CommitNumberNotSent:  "commit_number_not_sent",
	HalfIsQuorum:         "half_is_quorum",
	OneQuorum:            "one_quorum",
}

// String is the mutant's name in the spec.
func (m Mutant) String() string {
	if m >= 1 && m < mutantEnd {
		return mutantNames[m]
	}
	return fmt.Sprintf("Mutant(%d)", uint8(m))
}

// ParseMutant reads what [Mutant.String] writes.
func ParseMutant(name string) (Mutant, error) {
	for m := Mutant(1); m < mutantEnd; m++ {
		if mutantNames[m] == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("mutant %q: expected one of %s", name,
		strings.Join(mutantNames[1:], ", "))
}

// Mutants is a set of mutants. The zero value is the correct protocol.
type Mutants uint32

// MutantSet returns the set of the given mutants.
func MutantSet(members ...Mutant) Mutants {
	var set Mutants
	for _, m := range members {
		set |= 1 << m
	}
	return set
}

// AllMutants returns the set of every mutant of the spec.
func AllMutants() Mutants {
	return 1<<mutantEnd - 2 // Bit 0 belongs to no mutant.
}

// Has reports whether m is in the set.
func (s Mutants) Has(m Mutant) bool {
	return s>>m&1 != 0
}

// Members returns the mutants of the set in the spec's order.
func (s Mutants) Members() []Mutant {
	members := make([]Mutant, 0, bits.OnesCount32(uint32(s)))
	for m := Mutant(1); m < mutantEnd; m++ {
		if s.Has(m) {
			members = append(members, m)
		}
	}
	return members
}

// String lists the names, separated by commas.
func (s Mutants) String() string {
	var names []string
	for _, m := range s.Members() {
		names = append(names, m.String())
	}
	return strings.Join(names, ",")
}
