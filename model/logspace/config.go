package logspace

import "fmt"

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// GroupsMax is the most groups, OpMax the most requests of one.
	GroupsMax, OpMax = 2, 9
	// RoomMax is the most records of a file, FilesMax the most files that ops may take.
	RoomMax, FilesMax = 3, 4
	// FailMax is the most checkpoints that fail.
	FailMax = 9

	// moveFiles are those that only state records and what is moved may take.
	moveFiles = 2
)

// Config holds the constants of LogSpace.tla. Bounds are guards of the actions.
type Config struct {
	// Groups is the number of groups; the first is the keeper.
	Groups int
	// MaxOp are the requests that are offered to the keeper, OtherOp those to each other group.
	MaxOp, OtherOp int
	// Removal is the keeper's op that removes the second group; 0 if none does.
	Removal int
	// Room is how many records a file has room for, Files how many files ops may take.
	Room, Files int
	// Every is how many ops lie between checkpoints, Half how many may lie above one.
	Every, Half int
	// Queue is how many requests of a group may wait until they become ops.
	Queue int
	// MaxFail is how many checkpoints come to nothing.
	MaxFail int
	// Bugs are the mutants switched on; none for the clean model.
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c Config) Validate() error {
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"Groups", c.Groups, 1, GroupsMax},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"OtherOp", c.OtherOp, 0, OpMax},
		{"Removal", c.Removal, 0, OpMax},
		{"Room", c.Room, 1, RoomMax},
		{"Files", c.Files, 2, FilesMax},
		{"Half", c.Half, 1, OpMax},
		{"Every", c.Every, 1, c.Half},
		{"Queue", c.Queue, 1, OpMax},
		{"MaxFail", c.MaxFail, 0, FailMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("LogSpace: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	if c.Removal > 0 && c.Groups == 1 {
		return fmt.Errorf("LogSpace: Removal is %d with one group, expected 0", c.Removal)
	}
	for _, b := range c.Bugs {
		if b < 1 || b > bugMax {
			return fmt.Errorf("LogSpace: bug %d, expected 1 to %d", b, bugMax)
		}
	}
	return nil
}
