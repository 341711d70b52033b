package replica

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// stateLane is the queue of the superblock and of snapshots.
type stateLane struct {
	wake chan struct{}

	mu sync.Mutex
	// changes wait for the next update of the superblock, which is one for all.
	changes []stateChange
	// snapshots wait to be written; what they cover is flushed.
	snapshots []*checkpointJob
	// sweeping are groups that are gone, and whose files are to go.
	sweeping []wire.GroupID
	// full says that the disk had no room: nothing is tried before retry.
	full  bool
	ticks int

	updates int
}

// stateChange is what the superblock is to say of a group.
type stateChange struct {
	group *group
	// superblock are the views to store, unless there is a checkpoint to pair.
	superblock vsr.Superblock
	commitMax  wire.Op
	checkpoint *checkpointJob
}

func (l *stateLane) submit(change stateChange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, change)
	signal(l.wake)
}

func (l *stateLane) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.full && (len(l.changes) > 0 || len(l.snapshots) > 0 || len(l.sweeping) > 0)
}

func (l *stateLane) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ticks++
	if l.full && l.ticks%retryTicks == 0 {
		l.full = false
		signal(l.wake)
	}
}

func (l *stateLane) tryAgain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = false
	signal(l.wake)
}

// storeSuperblock asks for an update of the superblock.
func (s *Storage) storeSuperblock(g *group, sb vsr.Superblock, commitMax wire.Op) {
	s.stateLane.submit(stateChange{group: g, superblock: sb, commitMax: commitMax})
}

// workState does one thing: it updates the superblock with all that waits for it, or writes a
// snapshot that waits, or removes what is left of groups that are gone.
func (s *Storage) workState() ([]Completion, error) {
	s.superMu.Lock()
	defer s.superMu.Unlock()
	l := &s.stateLane
	l.mu.Lock()
	changes := l.changes
	l.changes = nil
	var job *checkpointJob
	if len(changes) == 0 && len(l.snapshots) > 0 {
		job, l.snapshots = l.snapshots[0], l.snapshots[1:]
	}
	var sweep []wire.GroupID
	if len(changes) == 0 && job == nil {
		sweep, l.sweeping = l.sweeping, nil
	}
	l.mu.Unlock()
	switch {
	case job != nil:
		return s.writeSnapshot(job)
	case len(sweep) > 0:
		return nil, s.sweep(sweep)
	}
	return s.updateSuperblock(changes)
}

// updateSuperblock makes the changes of all groups durable in one update.
func (s *Storage) updateSuperblock(changes []stateChange) ([]Completion, error) {
	changes = slices.DeleteFunc(changes, func(c stateChange) bool { return s.isGone(c.group) })
	if len(changes) == 0 {
		return nil, nil
	}
	next := map[*group]superblock.VsrState{}
	var order []*group
	for i := range changes {
		c := &changes[i]
		state, known := next[c.group]
		if !known {
			state = c.group.state
			order = append(order, c.group)
		}
		next[c.group] = c.apply(state)
	}
	states := make([]superblock.GroupState, len(order))
	for i, g := range order {
		states[i] = superblock.GroupState{Group: g.config.Group, VsrState: next[g]}
	}
	err := s.super.Write(states...)
	if errors.Is(err, storage.ErrFull) && !errors.Is(err, superblock.ErrPoisoned) {
		s.stateLane.putBack(changes)
		s.askForRoom()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("update superblock: %w", err)
	}
	s.stateLane.updated()
	var done []Completion
	for i := range changes {
		c := &changes[i]
		c.group.state = next[c.group]
		if c.checkpoint != nil {
			done = append(done, c.checkpoint.paired())
			continue
		}
		done = append(done, Completion{
			Group: c.group.config.Group, input: vsr.SuperblockStored{Superblock: c.superblock},
		})
	}
	return done, s.cleanSnapshots(changes)
}

// apply returns a group's state with the change.
func (c *stateChange) apply(state superblock.VsrState) superblock.VsrState {
	if c.checkpoint != nil {
		state.Checkpoint = c.checkpoint.id
		state.CommitMax = max(state.CommitMax, c.checkpoint.id.Op)
		return state
	}
	// The log of a log view that the superblock names can be lost, to rot alone: the replica then
	// goes on with an older one, untrusted at each boot until it has adopted a later one (R2).
	state.View, state.LogView = c.superblock.View, max(state.LogView, c.superblock.LogView)
	state.CommitMax = max(state.CommitMax, c.commitMax)
	return state
}

// putBack returns changes that found the disk full, before all others.
func (l *stateLane) putBack(changes []stateChange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(changes, l.changes...)
	l.full = true
}

func (l *stateLane) updated() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.updates++
}

// Updates returns how often the superblock was written since the boot.
func (s *Storage) Updates() int {
	s.stateLane.mu.Lock()
	defer s.stateLane.mu.Unlock()
	return s.stateLane.updates
}

// askForRoom has the log give a file that stands by to the disk.
func (s *Storage) askForRoom() {
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	s.logLane.room = true
	signal(s.logLane.wake)
}
