package replica

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Lane is one of the two queues of a storage. What one lane waits for does not hold up the
// other.
type Lane uint8

// The lanes.
const (
	// LaneLog writes the write-ahead log: prepares and state records.
	LaneLog Lane = iota + 1
	// LaneState writes the superblock and snapshots.
	LaneState
)

// Lanes lists them.
func Lanes() []Lane { return []Lane{LaneLog, LaneState} }

// String returns the name.
func (l Lane) String() string {
	switch l {
	case LaneLog:
		return "log"
	case LaneState:
		return "state"
	}
	return fmt.Sprintf("lane(%d)", uint8(l))
}

// Completion is something that the storage has done for a group: hand it to
// [Host.Complete] of that group's host.
type Completion struct {
	Group wire.GroupID
	// input is what the core is to hear; checkpoint, if not nil, how one ended.
	input      vsr.Input
	checkpoint *checkpointDone
}

// Wake returns a channel that has a value when a lane may have become ready by what came from
// elsewhere: time, the other lane, a group that is gone. What a host or an [Appender] asks the
// log's lane for wakes nobody, so that whoever called it can do the lane's work itself, with no
// other goroutine between: after each call of a host, or several, look at [Storage.Ready] of that
// lane. Whatever asks the state's lane wakes it.
func (s *Storage) Wake(lane Lane) <-chan struct{} {
	if lane == LaneLog {
		return s.logLane.wake
	}
	return s.stateLane.wake
}

// Ready says whether a lane has something to do that can be done now.
func (s *Storage) Ready(lane Lane) bool {
	if s.Err() != nil {
		return false
	}
	if lane == LaneLog {
		return s.logLane.ready()
	}
	return s.stateLane.ready()
}

// Work does the next thing that a lane has to do, with all that waits for it: append a batch,
// flush it, let go of files, make room, update the superblock, or write a snapshot. It returns
// what is done by it. It blocks as
// long as the disk does; call it from one goroutine at a time for each lane.
//
// Errors: the disk's. They are fatal: nobody knows what the disk holds. The process must end;
// every later call says the same.
func (s *Storage) Work(lane Lane) ([]Completion, error) {
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("storage failed earlier: %w", err)
	}
	var done []Completion
	var err error
	if lane == LaneLog {
		done, err = s.workLog()
	} else {
		done, err = s.workState()
	}
	if err != nil {
		return nil, s.fail(fmt.Errorf("%s lane: %w", lane, err))
	}
	return done, nil
}

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // there is a signal already
	}
}
