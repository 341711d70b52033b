package retention

import (
	"fmt"
	"slices"
)

// Bug is a deliberate defect of a replica: a mutant, which an invariant must catch.
type Bug uint8

// The mutants of Retention.tla, in the order of Retention!BugNames.
const (
	// AgeByOwnClock (R5): each replica looks at its own clock. Breaks MachinesEqual and
	// DroppedAsAsked.
	AgeByOwnClock Bug = iota + 1
	// RetainsByFiles (R5): retention sees what lies in files only. Breaks MachinesEqual.
	RetainsByFiles
	// RetainDropsLast (R5): the last segment may go. Breaks NewestStays.
	RetainDropsLast
	// HoldIgnored (R5): what a consumer has not read goes too. Breaks UnreadStays.
	HoldIgnored
	// TruncateDropsOldest (R18): a truncation that comes twice drops twice. Breaks
	// DroppedAsAsked.
	TruncateDropsOldest
	// PurgeEachTime (R18): a purge is not once in its generation. Breaks DroppedAsAsked.
	PurgeEachTime
	// PurgeRestartsOffsets (R5): after a purge offsets begin at 0 again. Breaks OffsetsDense.
	PurgeRestartsOffsets
	// PurgeForgetsStored (R5): what consumers stored is gone after a purge. Breaks
	// AdvanceKept.
	PurgeForgetsStored
	// StoreUnchecked (R5): an offset is stored that no message has. Breaks StoredReal.
	StoreUnchecked
	// AdvanceLowers (R5): the automatic offset goes back. Breaks AdvanceKept.
	AdvanceLowers
	// GenerationNotInCheckpoint (R17): a restart forgets how often it was purged. Breaks
	// MachinesEqual.
	GenerationNotInCheckpoint
	// StoredNotInCheckpoint (R17): a restart forgets what consumers stored. Breaks
	// MachinesEqual.
	StoredNotInCheckpoint
	// TrimBeforePairing (R17): files go when the snapshot is taken. Breaks NoneMissing.
	TrimBeforePairing
	// StartInsideSegment (R17): messages behind a purge join a dropped segment. Breaks
	// FilesAsCounted.
	StartInsideSegment
	// PollBelowStart (R19): a poll returns what is dropped and still in files. Breaks
	// PollRight.
	PollBelowStart
	// PollWaitsBelowStart (R19): a poll below the start returns nothing. Breaks PollRight.
	PollWaitsBelowStart

	bugMax = PollWaitsBelowStart
)

// bugNames are the names in the module; element i is that of bug i+1.
var bugNames = [bugMax]string{
	"age_by_own_clock", "retains_by_files", "retain_drops_last", "hold_ignored",
	"truncate_drops_oldest", "purge_each_time", "purge_restarts_offsets",
	"purge_forgets_stored", "store_unchecked", "advance_lowers",
	"generation_not_in_checkpoint", "stored_not_in_checkpoint", "trim_before_pairing",
	"start_inside_segment", "poll_below_start", "poll_waits_below_start",
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
		return 0, fmt.Errorf("Retention: unknown bug %q, expected one of %v", name, bugNames)
	}
	return Bug(at + 1), nil
}

// Bugs returns all mutants, in the order of Retention!BugNames.
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
