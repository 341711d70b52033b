package replica

import (
	"errors"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checkpointJob is a checkpoint on its way through the phases (R17): what it covers is flushed;
// the snapshot is durable; the superblock names it. The release follows from the core.
type checkpointJob struct {
	group    *group
	snapshot checkpoint.Snapshot
	// install says that it came from another replica (R21).
	install bool
	// id is the pairing, once the snapshot is written.
	id wire.PrepareID
	// room says that the log has been asked for room already.
	room bool
}

// checkpointDone is how a checkpoint ended.
type checkpointDone struct {
	job *checkpointJob
	// failed says that the disk had no room, or that a newer one is in force.
	failed bool
}

func (j *checkpointJob) paired() Completion {
	return Completion{Group: j.group.config.Group, checkpoint: &checkpointDone{job: j}}
}

func (j *checkpointJob) fails() Completion {
	done := j.paired()
	done.checkpoint.failed = true
	return done
}

// takeCheckpoint asks for a checkpoint. The log is flushed first, since a snapshot covers only
// what is on the disk.
func (s *Storage) takeCheckpoint(job *checkpointJob) {
	s.logLane.submit(logJob{durable: true, then: job})
}

func (l *stateLane) snapshot(job *checkpointJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.snapshots = append(l.snapshots, job)
	signal(l.wake)
}

// writeSnapshot is the first phase; the pairing is the next thing that the lane does.
func (s *Storage) writeSnapshot(job *checkpointJob) ([]Completion, error) {
	if s.isGone(job.group) || job.snapshot.Prepare.Op <= job.group.state.Checkpoint.Op {
		return []Completion{job.fails()}, nil
	}
	directory := datadir.Snapshots(job.group.config.Group)
	id, err := checkpoint.Write(s.disk, directory, job.snapshot)
	switch {
	case errors.Is(err, storage.ErrFull) && (!job.room || job.install):
		job.room = true
		s.stateLane.wait(job)
		s.askForRoom()
		return nil, nil
	case errors.Is(err, storage.ErrFull):
		return []Completion{job.fails()}, nil
	case err != nil:
		return nil, err
	}
	job.id = id
	s.stateLane.submit(stateChange{group: job.group, checkpoint: job})
	return nil, nil
}

// wait puts a snapshot that found the disk full back until there may be room.
func (l *stateLane) wait(job *checkpointJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.snapshots = append(l.snapshots, job)
	l.full = true
}

// cleanSnapshots removes what the new pairings have superseded.
func (s *Storage) cleanSnapshots(changes []stateChange) error {
	for i := range changes {
		if c := &changes[i]; c.checkpoint != nil {
			directory := datadir.Snapshots(c.group.config.Group)
			if err := checkpoint.Clean(s.disk, directory, c.checkpoint.id.Op); err != nil {
				return err
			}
		}
	}
	return nil
}

// release lets the log of a group go up to an op, which a paired checkpoint covers (R17).
func (s *Storage) release(g *group, op wire.Op) {
	s.mu.Lock()
	g.released = max(g.released, op)
	s.mu.Unlock()
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	s.logLane.releasing = true
	signal(s.logLane.wake)
}

// releaseLog lets go of the files that the checkpoints cover, and finds out which groups keep
// the oldest one when the log is more than half full. What no checkpoint will cover soon is moved
// before it is too late.
func (s *Storage) releaseLog() error {
	s.mu.Lock()
	bases := make(map[wire.GroupID]wire.Op, len(s.records)+len(s.groups))
	for id := range s.records { // no host yet
		bases[id] = 0
	}
	for id, g := range s.groups {
		bases[id] = g.released
	}
	sweep := s.departed(bases)
	s.mu.Unlock()
	s.stateLane.sweep(sweep)
	released, err := s.log.Release(bases)
	if err != nil {
		return err
	}
	moved := 0
	if released == 0 && s.log.Tight() {
		if moved, released, err = s.moveOldest(bases); err != nil {
			return err
		}
	}
	pressed := 2*s.log.Files() > s.options.Log.FilesMax
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.groups {
		g.blocking = wal.Need{}
	}
	if pressed {
		for id, need := range s.log.Blocking(bases) {
			if g := s.holder(id); g != nil {
				g.blocking.Checkpoint = g.blocking.Checkpoint || need.Checkpoint || g.config.Group != id
				g.blocking.State = g.blocking.State || need.State && g.config.Group == id
			}
		}
	}
	l := &s.logLane
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released, l.moved = l.released+released, l.moved+moved
	l.releasing = l.releasing || released > 0 && s.log.Tight() // There may be more to move.
	if released > 0 && len(l.held) > 0 {
		l.retry = true
	}
	return nil
}

// moveOldest frees the oldest file of what no checkpoint covers, and lets it go if that was all.
//
// Source: R17; spec/JournalGroups.tla Move.
func (s *Storage) moveOldest(bases map[wire.GroupID]wire.Op) (moved, released int, err error) {
	moved, err = s.log.Move(bases)
	if err != nil && !errors.Is(err, wal.ErrFull) {
		return moved, 0, err
	}
	released, err = s.log.Release(bases)
	return moved, released, err
}

// takeBlocking reports, once, what the log needs of a group: a newer checkpoint or state record.
func (s *Storage) takeBlocking(g *group) wal.Need {
	s.mu.Lock()
	defer s.mu.Unlock()
	blocking := g.blocking
	g.blocking = wal.Need{}
	return blocking
}

// breakDown ends the storage: a host found the disk broken.
func (s *Storage) breakDown(err error) {
	l := &s.logLane
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = err
	signal(l.wake)
}

// Moved returns how many bodies the log has moved since the boot, to let go of a file whose ops
// did not commit.
func (s *Storage) Moved() int {
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	return s.logLane.moved
}

// Released returns how many files of the log were let go since the boot.
func (s *Storage) Released() int {
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	return s.logLane.released
}
