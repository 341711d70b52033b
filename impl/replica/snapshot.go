package replica

import (
	"errors"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checkpointJob is a checkpoint on its way through the phases (R17): what it covers is flushed;
// the snapshot is durable; the superblock names it. The release follows from the core.
type checkpointJob struct {
	group    *group
	snapshot checkpoint.Snapshot
	// id is the pairing, once the snapshot is written.
	id wire.PrepareID
	// room says that the log has been asked for room already.
	room bool
}

// checkpointDone is how a checkpoint ended.
type checkpointDone struct {
	// prepare is the op that the checkpoint is of; failed that the disk had no room.
	prepare wire.PrepareID
	failed  bool
}

func (j *checkpointJob) paired() Completion {
	return Completion{
		Group:      j.group.config.Group,
		checkpoint: &checkpointDone{prepare: j.snapshot.Prepare},
	}
}

// takeCheckpoint asks for a checkpoint. The log is flushed first, since a snapshot covers only
// what is on the disk.
func (s *Storage) takeCheckpoint(g *group, snapshot checkpoint.Snapshot) {
	job := &checkpointJob{group: g, snapshot: snapshot}
	s.logLane.submit(logJob{durable: true, then: func() { s.stateLane.snapshot(job) }})
}

func (l *stateLane) snapshot(job *checkpointJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.snapshots = append(l.snapshots, job)
	signal(l.wake)
}

// writeSnapshot is the first phase; the pairing is the next thing that the lane does.
func (s *Storage) writeSnapshot(job *checkpointJob) ([]Completion, error) {
	directory := datadir.Snapshots(job.group.config.Group)
	id, err := checkpoint.Write(s.disk, directory, job.snapshot)
	switch {
	case errors.Is(err, storage.ErrFull) && !job.room:
		job.room = true
		s.stateLane.wait(job)
		s.askForRoom()
		return nil, nil
	case errors.Is(err, storage.ErrFull):
		return []Completion{{
			Group:      job.group.config.Group,
			checkpoint: &checkpointDone{prepare: job.snapshot.Prepare, failed: true},
		}}, nil
	case err != nil:
		return nil, err
	}
	job.id = id
	if s.options.Defects.Has(DefectReleaseBeforePairing) {
		s.release(job.group, id.Op)
	}
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
