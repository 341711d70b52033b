package logspace

import (
	"fmt"
	"slices"
)

// Bug is a deliberate defect of a node: a mutant, which a property must catch.
type Bug uint8

// The mutants of LogSpace.tla, in the order of LogSpace!BugNames.
const (
	// DueOnlyWhenExecuted (R17): a tick begins no checkpoint that is due. Breaks Progress.
	DueOnlyWhenExecuted Bug = iota + 1
	// AsksAtFlushesOnly (R17): neither a new file nor a refusal has the log ask. Breaks
	// Progress.
	AsksAtFlushesOnly
	// AsksAtFilesOnly (R17): a refusal does not. Breaks Progress.
	AsksAtFilesOnly
	// StateNotRepeated (R17): a group with nothing new to cover does nothing. Breaks Progress.
	StateNotRepeated
	// NoReserveForState (R17): state records have the files that ops have. Breaks Progress.
	NoReserveForState
	// OpsInReserve (R17): ops go on in a file that state records have begun. Breaks Progress.
	OpsInReserve
	// NothingMoved (R17): what no checkpoint covers stays in the oldest file. Breaks
	// Progress.
	NothingMoved
	// WaitCountsOps (R17): a failed checkpoint waits for the next op. Breaks Progress.
	WaitCountsOps
	// ReleasedBeforeStateRecord (R17): the log goes before a state record above the new base.
	// Breaks LogKnown.
	ReleasedBeforeStateRecord
	// GoneGroupKept (R17): a group that is gone keeps its files for ever. Breaks Progress.
	GoneGroupKept
	// GoneAsksNobody (R17): its keeper is not asked for a checkpoint. Breaks Progress.
	GoneAsksNobody
	// GoneTooEarly (R17): its files go before that checkpoint. Breaks BodiesStay.
	GoneTooEarly

	bugMax = GoneTooEarly
)

// bugNames are the names in the module; element i is that of bug i+1.
var bugNames = [bugMax]string{
	"due_only_when_executed", "asks_at_flushes_only", "asks_at_files_only", "state_not_repeated",
	"no_reserve_for_state", "ops_in_reserve", "nothing_moved", "wait_counts_ops",
	"released_before_state_record",
	"gone_group_kept", "gone_asks_nobody", "gone_too_early",
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
		return 0, fmt.Errorf("LogSpace: unknown bug %q, expected one of %v", name, bugNames)
	}
	return Bug(at + 1), nil
}

// Bugs returns all mutants, in the order of LogSpace!BugNames.
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
