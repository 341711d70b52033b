package replica

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// departure is what becomes of a group that exists no more. Its records keep files of the log, and
// it has files of its own and a place in the superblock. All that may go when no boot asks for
// the group any more: the group that says which others there are, the keeper, begins each boot
// at its checkpoint, and executes the removal again where the checkpoint lies below it.
type departure struct {
	keeper wire.GroupID
	// op is one of the keeper's log: from there on its state knows that the group is gone.
	op wire.Op
	// swept says that the files are being removed.
	swept bool
}

// Forget gives a group up that exists no more, as the state of the group keeper says from op on.
// Its host, if it had one, must be closed. What a lane has under way for it is still reported.
//
// Mutant replica_gone_too_early lets the log go before the keeper's checkpoint covers the removal.
func (s *Storage) Forget(id, keeper wire.GroupID, op wire.Op) {
	s.mu.Lock()
	delete(s.groups, id)
	delete(s.records, id)
	if _, known := s.gone[id]; !known {
		s.gone[id] = departure{keeper: keeper, op: op}
	}
	s.mu.Unlock()
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	s.logLane.releasing = true
	signal(s.logLane.wake)
}

// Strangers lists the groups that something on the disk is of and that have neither a host nor
// been forgotten: those that a host will be asked for, and those that are gone. They rise.
func (s *Storage) Strangers() []wire.GroupID {
	all := map[wire.GroupID]bool{}
	for _, g := range s.Groups() {
		all[g.Group] = g.Group != datadir.Identity
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.records {
		all[id] = true
	}
	maps.DeleteFunc(all, func(id wire.GroupID, is bool) bool {
		_, gone := s.gone[id]
		return !is || gone || s.groups[id] != nil
	})
	return slices.Sorted(maps.Keys(all))
}

// goneTicks is how often keepers are asked for a checkpoint that covers removals, so that the space
// of a group that is gone is free again even if nothing else happens.
const goneTicks = 256

// pressKeepers asks the keepers of groups that are gone for a checkpoint, now and then.
func (s *Storage) pressKeepers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ticks++; s.ticks%goneTicks != 0 {
		return
	}
	for _, d := range s.gone {
		if keeper := s.groups[d.keeper]; keeper != nil && keeper.released < d.op {
			keeper.blocking.Checkpoint = true
		}
	}
}

// departed adds to the checkpoints those groups whose removal is for good, and lists those whose
// files may now go. The caller holds the lock.
func (s *Storage) departed(bases map[wire.GroupID]wire.Op) (sweep []wire.GroupID) {
	for id, d := range s.gone {
		keeper := s.groups[d.keeper]
		if keeper == nil || keeper.released < d.op {
			continue
		}
		bases[id] = wal.Gone
		if !d.swept {
			d.swept = true
			s.gone[id] = d
			sweep = append(sweep, id)
		}
	}
	slices.Sort(sweep)
	return sweep
}

// holder is the group that must move on for the log to let go of what id keeps: its keeper's
// checkpoint, where it is gone. The caller holds the lock.
func (s *Storage) holder(id wire.GroupID) *group {
	if d, gone := s.gone[id]; gone {
		return s.groups[d.keeper]
	}
	return s.groups[id]
}

// isGone says that nothing is to be written for a group any more.
func (s *Storage) isGone(g *group) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, gone := s.gone[g.config.Group]
	return gone
}

func (l *stateLane) sweep(groups []wire.GroupID) {
	if len(groups) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweeping = append(l.sweeping, groups...)
	signal(l.wake)
}

// sweep removes the files of groups that are gone, and then their places in the superblock: after
// a crash in between the next boot finds them there, and begins anew.
func (s *Storage) sweep(groups []wire.GroupID) error {
	for _, id := range groups {
		for _, directory := range []string{
			datadir.Segments(id), datadir.Snapshots(id), datadir.Incoming(id),
		} {
			if err := s.removeAll(directory); err != nil {
				return fmt.Errorf("remove group %d: %w", id, err)
			}
		}
	}
	err := s.super.Drop(groups...)
	switch {
	case errors.Is(err, storage.ErrFull) && !errors.Is(err, superblock.ErrPoisoned):
		s.stateLane.sweepLater(groups)
		s.askForRoom()
		return nil
	case err != nil:
		return fmt.Errorf("remove groups: %w", err)
	}
	return nil
}

func (l *stateLane) sweepLater(groups []wire.GroupID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweeping = append(groups, l.sweeping...)
	l.full = true
}

func (s *Storage) removeAll(directory string) error {
	names, err := s.disk.List(directory)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		if err := s.disk.Remove(path.Join(directory, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.disk.SyncDir(directory)
}

// Close lets go of the files of a host that is given up. It is not used afterwards.
//
// Errors: the disk's, all of them; the files are closed even so.
func (h *Host) Close() error {
	h.serving.end()
	var errs []error
	if h.incoming.file != nil {
		errs = append(errs, h.incoming.file.Close())
		h.incoming = incoming{}
	}
	if c, ok := h.sessions.Machine().(io.Closer); ok {
		errs = append(errs, c.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close host of group %d: %w", h.config.Group, err)
	}
	return nil
}
