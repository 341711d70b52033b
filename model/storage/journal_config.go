package storage

import (
	"fmt"
	"slices"
)

// Bounds of [JournalConfig] that the compact state can hold.
const (
	// JournalOpMax is the highest op.
	JournalOpMax = 2
	// JournalViewMax is the highest view.
	JournalViewMax = 2
	// JournalBatchMax is the highest sequence of a batch: the key has four bits for it.
	JournalBatchMax = 15
	// JournalSlotsMax is the largest ring of batches.
	JournalSlotsMax = 4
	// JournalRecordsMax is the largest number of records in a batch.
	JournalRecordsMax = 2
	// JournalCrashMax is the largest number of crashes, of rotten batches and of
	// damaged files.
	JournalCrashMax = 9
)

// Policy is the durability policy of the group (JournalDisk!Policy).
type Policy uint8

// The policies.
const (
	// Persisted acknowledges an op when it is synced.
	Persisted Policy = iota + 1
	// Replicated acknowledges an op when its operating system has it.
	Replicated
)

// String is the policy as the cfgs write it.
func (p Policy) String() string {
	switch p {
	case Persisted:
		return "persisted"
	case Replicated:
		return "replicated"
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// ParsePolicy reads a policy as the cfgs write it.
func ParsePolicy(text string) (Policy, error) {
	for _, p := range []Policy{Persisted, Replicated} {
		if p.String() == text {
			return p, nil
		}
	}
	return 0, fmt.Errorf("Policy is %q, expected %q or %q", text, Persisted, Replicated)
}

// JournalConfig holds the constants of Journal.tla. Bounds are guards of the actions.
type JournalConfig struct {
	Policy Policy
	// MaxOp and MaxView are the highest op and view: 0 to JournalOpMax, JournalViewMax.
	MaxOp, MaxView int
	// MaxBatch is the highest sequence of a batch, Slots the number of batches that the
	// ring holds, MaxAhead of those that are written and not yet synced, MaxRecords the
	// number of records in a batch.
	MaxBatch, Slots, MaxAhead, MaxRecords int
	// MaxCrash, MaxRot and MaxDamage bound the crashes, the batches that rot, and the
	// superblock files and snapshots that are damaged.
	MaxCrash, MaxRot, MaxDamage int
	// OtherGroups lets other groups of the node write to the same WAL.
	OtherGroups bool
	// Checkpoints lets the replica take them (R17).
	Checkpoints bool
	// Misdirects lets a write land in another slot, which counts as rot.
	Misdirects bool
	// Twin gives a batch its index at both ends, of which rot spares one (R15).
	Twin bool
	// Mirror makes the two superblock files copies; else they alternate (R16).
	Mirror bool
	// Bugs are the mutants switched on, members of [JournalBugs]; none for the clean
	// model.
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c JournalConfig) Validate() error {
	if c.Policy != Persisted && c.Policy != Replicated {
		return fmt.Errorf("Journal: Policy is %s, expected %s or %s",
			c.Policy, Persisted, Replicated)
	}
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"MaxOp", c.MaxOp, 0, JournalOpMax},
		{"MaxView", c.MaxView, 0, JournalViewMax},
		{"MaxBatch", c.MaxBatch, 0, JournalBatchMax},
		{"Slots", c.Slots, 1, JournalSlotsMax},
		{"MaxAhead", c.MaxAhead, 0, JournalBatchMax},
		{"MaxRecords", c.MaxRecords, 1, JournalRecordsMax},
		{"MaxCrash", c.MaxCrash, 0, JournalCrashMax},
		{"MaxRot", c.MaxRot, 0, JournalCrashMax},
		{"MaxDamage", c.MaxDamage, 0, JournalCrashMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Journal: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if !slices.Contains(JournalBugs(), b) {
			return fmt.Errorf("Journal: unknown bug %q, expected one of %v", b, JournalBugs())
		}
	}
	return nil
}

// journalBug numbers the mutants, so that a step can ask for one at no cost.
type journalBug uint8

// The mutants of Journal.tla, in the order of JournalDisk!BugNames, where a comment
// gives the rule that each breaks.
const (
	ackBeforeFlush journalBug = iota
	ackByOldBody
	viewSentBeforeWrite
	speakBeforeBootFlush
	superblockBeforeAdoption
	logViewWithoutHeaders
	hollowHeadersOnly
	logViewFromSuperblock
	ignoreRecordLogView
	truncateToFrontier
	noSyncedThrough
	rotIsEnd
	adoptPastHole
	adoptTorn
	staleRecycled
	misdirectedIsEnd
	nackAfterTorn
	nackAfterRot
	nackAfterRestart
	cutForgetsDoubt
	snapshotAheadOfLog
	pairingBeforeSnapshot
	releaseBeforePairing
	releaseUnderAdoption
	releaseDropsAdoption
	fullOverwrites
	releaseKeepsIndex
	copiesLeftUnequal
	sameSlotSuperblock
	superblockUnreadableIsEmpty
	superblockAnyValid
	journalBugs // Their number.
)

// JournalBugs returns all mutants of Journal.tla, in the order of JournalDisk!BugNames.
func JournalBugs() []Bug {
	return []Bug{
		"ack_before_flush", "ack_by_old_body", "view_sent_before_write",
		"speak_before_boot_flush", "superblock_before_adoption", "log_view_without_headers",
		"hollow_headers_only", "log_view_from_superblock", "ignore_record_log_view",
		"truncate_to_frontier", "no_synced_through", "rot_is_end", "adopt_past_hole", "adopt_torn",
		"stale_recycled", "misdirected_is_end", "nack_after_torn", "nack_after_rot", "nack_after_restart",
		"cut_forgets_doubt", "snapshot_ahead_of_log", "pairing_before_snapshot",
		"release_before_pairing", "release_under_adoption", "release_drops_adoption",
		"full_overwrites", "release_keeps_index", "copies_left_unequal", "same_slot_superblock",
		"superblock_unreadable_is_empty", "superblock_any_valid",
	}
}
