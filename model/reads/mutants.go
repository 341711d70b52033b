package reads

import (
	"fmt"
	"slices"
)

// Bug is a deliberate defect of a replica: a mutant, which an invariant must catch.
type Bug uint8

// The mutants of Reads.tla, in the order of Reads!BugNames.
const (
	// ReadWithoutRound (R19): a primary answers for being primary. Breaks ReadFresh and
	// ReadOrder.
	ReadWithoutRound Bug = iota + 1
	// RoundBeforeArrival (R19): confirmations of an earlier read count. Breaks ReadFresh.
	RoundBeforeArrival
	// PrepareOKConfirms (R19): so does any PrepareOK of the view. Breaks ReadFresh.
	PrepareOKConfirms
	// ConfirmAnyView (R19): a replica confirms a view that it is not in. Breaks ReadFresh.
	ConfirmAnyView
	// ConfirmByLogView (R19): it confirms the view of its log, after its vote. Breaks
	// ReadFresh where two replication quorums need not meet.
	ConfirmByLogView
	// PrimaryCountsTwice (R19): one less than a replication quorum is enough. Breaks
	// ReadFresh.
	PrimaryCountsTwice
	// LeaseByClock (R19): until its own clock ticks a primary need not ask. Breaks
	// ReadFresh.
	LeaseByClock
	// InheritedNotCommitted (R19): a new primary's index ignores the inherited log. Breaks
	// ReadFresh.
	InheritedNotCommitted
	// AnswerBeforeExecute (R19): the index is taken and not waited for. Breaks ReadFresh.
	AnswerBeforeExecute
	// ReadPrepared (R19): reads see ops that are prepared only. Breaks ReadReal and
	// SerializablePrefix.
	ReadPrepared
	// LocalReadLabelledLinearizable (R19): a local read says that it is more. Breaks
	// ReadFresh and ReadOrder.
	LocalReadLabelledLinearizable
	// IndexWithoutRound (R19): a primary tells a backup the index for being primary. Breaks
	// ReadFresh.
	IndexWithoutRound
	// OwnCommitIsIndex (R19): a backup takes what it knows as committed for the index. Breaks
	// ReadFresh.
	OwnCommitIsIndex
	// AnswerBeforeReached (R19): a backup is told the index and does not wait for it. Breaks
	// ReadFresh.
	AnswerBeforeReached
	// CommitOwnViewFirst (R10): inherited ops commit after one of the view only. Breaks
	// NoStall.
	CommitOwnViewFirst
	// NewestRoundOnly (R10): a new read takes the place of the one that waits. Breaks
	// NoStall.
	NewestRoundOnly

	bugMax = NewestRoundOnly
)

// bugNames are the names in the module; element i is that of bug i+1.
var bugNames = [bugMax]string{
	"read_without_round", "round_before_arrival", "prepare_ok_confirms", "confirm_any_view",
	"confirm_by_log_view", "primary_counts_twice", "lease_by_clock",
	"inherited_not_committed", "answer_before_execute", "read_prepared",
	"local_read_labelled_linearizable", "index_without_round", "own_commit_is_index",
	"answer_before_reached", "commit_own_view_first", "newest_round_only",
}

// String is the mutant's name in the module.
func (b Bug) String() string {
	if b < 1 || b > bugMax {
		return fmt.Sprintf("Bug(%d)", uint8(b))
	}
	return bugNames[b-1]
}

// ParseBug reads what [Bug.String] writes.
func ParseBug(name string) (Bug, error) {
	at := slices.Index(bugNames[:], name)
	if at < 0 {
		return 0, fmt.Errorf("Reads: unknown bug %q, expected one of %v", name, bugNames)
	}
	return Bug(at + 1), nil
}

// Bugs returns all mutants, in the order of Reads!BugNames.
func Bugs() []Bug {
	var all []Bug
	for b := Bug(1); b <= bugMax; b++ {
		all = append(all, b)
	}
	return all
}

// bugSet is a set of mutants: bit b is mutant b.
type bugSet uint32

func (s bugSet) has(b Bug) bool { return s&(1<<b) != 0 }
