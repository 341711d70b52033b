package storage

import (
	"fmt"
	"slices"
)

// Bounds of [GroupsConfig] that the compact state can hold.
const (
	// GroupsMax is the largest number of groups.
	GroupsMax = 2
	// GroupsOpMax is the highest op of a group.
	GroupsOpMax = 3
	// GroupsViewMax is the highest log view of a group.
	GroupsViewMax = 7
	// GroupsBatchMax is the highest sequence of a batch.
	GroupsBatchMax = 15
	// GroupsSlotsMax is the largest ring of batches.
	GroupsSlotsMax = 6
	// GroupsCrashMax is the largest number of crashes and of rotten batches.
	GroupsCrashMax = 9
)

// GroupsConfig holds the constants of JournalGroups.tla. Bounds are guards of the
// actions.
type GroupsConfig struct {
	// Groups is the number of groups that share the WAL, 1 to GroupsMax.
	Groups int
	// MaxOp and MaxView are the highest op and log view of a group.
	MaxOp, MaxView int
	// MaxBatch is the highest sequence of a batch, Slots the number of batches that the
	// ring holds.
	MaxBatch, Slots int
	// MaxCrash and MaxRot bound the crashes and the batches that rot.
	MaxCrash, MaxRot int
	// Bugs are the mutants switched on, members of [GroupsBugs].
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c GroupsConfig) Validate() error {
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"Groups", c.Groups, 1, GroupsMax},
		{"MaxOp", c.MaxOp, 0, GroupsOpMax},
		{"MaxView", c.MaxView, 0, GroupsViewMax},
		{"MaxBatch", c.MaxBatch, 0, GroupsBatchMax},
		{"Slots", c.Slots, 1, GroupsSlotsMax},
		{"MaxCrash", c.MaxCrash, 0, GroupsCrashMax},
		{"MaxRot", c.MaxRot, 0, GroupsCrashMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("JournalGroups: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if !slices.Contains(GroupsBugs(), b) {
			return fmt.Errorf("JournalGroups: unknown bug %q, expected one of %v", b, GroupsBugs())
		}
	}
	return nil
}

// The mutants of JournalGroups.tla, in the order of its BugNames, where a comment gives
// the rule that each breaks.
const (
	doubtForOneGroupOnly Bug = "doubt_for_one_group_only"
	superblockOfOneGroup Bug = "superblock_of_one_group"
	superblockUnsynced   Bug = "superblock_before_other_sync"
	releaseByOneGroup    Bug = "release_by_lowest_of_one_group"
	dropsOtherState      Bug = "checkpoint_drops_other_state"
	releaseUnsyncedCopy  Bug = "release_unsynced_copy"
	noFirstStates        Bug = "no_first_states"
	moveVerbatim         Bug = "move_verbatim"
	fullIsAcknowledged   Bug = "full_is_acknowledged"
	noReservedSlot       Bug = "no_reserved_slot"
	noSlotForMoving      Bug = "no_slot_for_moving"
	noSlotForBoot        Bug = "no_slot_for_boot"
)

// GroupsBugs returns all mutants of JournalGroups.tla, in the order of its BugNames.
func GroupsBugs() []Bug {
	return []Bug{
		doubtForOneGroupOnly, superblockOfOneGroup, superblockUnsynced, releaseByOneGroup,
		dropsOtherState, releaseUnsyncedCopy, noFirstStates, moveVerbatim,
		fullIsAcknowledged, noReservedSlot, noSlotForMoving, noSlotForBoot,
	}
}
