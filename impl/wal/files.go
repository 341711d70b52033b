package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	suffixLive    = ".wal"
	suffixSpare   = ".spare"
	nameTemporary = "new.tmp"
	// sparesMax is how many released files are kept for use, sparesWanted how many stand by
	// before prepares may take one: then a state record finds a file, and a snapshot its room.
	sparesMax    = 4
	sparesWanted = 3
	// sparesKept is what MakeRoom leaves, for the state record.
	sparesKept = 1
)

// reserve says how far a batch may go into what is kept back.
type reserve uint8

const (
	reservePrepare reserve = iota + 1 // Not at all.
	reserveState                      // The last spare, and one file more.
	reserveMove                       // As that, and another file.
	reserveBoot                       // Whatever there is: without it there is no log.
)

func liveName(first Sequence) string { return fmt.Sprintf("%016x%s", uint64(first), suffixLive) }

func spareName(n uint64) string { return fmt.Sprintf("%016x%s", n, suffixSpare) }

// parseName reads the number of a live or spare file.
func parseName(name, suffix string) (uint64, bool) {
	digits, found := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, found && err == nil && digits == fmt.Sprintf("%016x", n) // not in capitals
}

// roll goes on in the next file. All that was written is flushed first, so that a flush
// never has to do with two files.
//
// Errors: ErrFull, with nothing changed; the disk's, which poisons.
func (l *Log) roll(reserve reserve) error {
	if len(l.files) >= l.limit(reserve) && reserve != reserveBoot {
		return ErrFull
	}
	for len(l.spares) < sparesWanted {
		err := l.makeSpare()
		if err == nil {
			continue
		}
		if !errors.Is(err, storage.ErrFull) {
			return l.poison(err)
		}
		if len(l.spares) == 0 || reserve == reservePrepare {
			return ErrFull
		}
		break
	}
	if err := l.Sync(); err != nil {
		return err
	}
	spare, first := l.spares[0], l.newest.sequence+1
	if err := l.disk.Rename(l.path(spare), l.path(liveName(first))); err != nil {
		return l.poison(err)
	}
	if err := l.disk.SyncDir(l.config.Directory); err != nil {
		return l.poison(err)
	}
	f, err := l.disk.Open(l.path(liveName(first)))
	if err != nil {
		return l.poison(err)
	}
	l.spares = l.spares[1:]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addFile(f, first)
	l.offset, l.flushed = 0, 0
	return nil
}

// addFile adds a live file, whose content is not known to be zeros. Its number follows that of
// the last one: recovery may have removed files at the end, and find counts on no gap.
func (l *Log) addFile(f storage.File, first Sequence) {
	number := uint32(1)
	if n := len(l.files); n > 0 { // One that was dropped behind it had no batch.
		number += l.files[n-1].number
	}
	l.files = append(l.files, &file{
		File: f, first: first, stale: true, number: number, highest: map[wire.GroupID]wire.Op{},
	})
}

// makeSpare makes a file full of zeros. A crash leaves it under its temporary name, or as a spare.
// After ErrFull nothing is left of it.
func (l *Log) makeSpare() error {
	name := l.path(nameTemporary)
	if err := l.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := l.fill(name); err != nil {
		if errors.Is(err, storage.ErrFull) {
			if removed := l.disk.Remove(name); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
				return removed
			}
		}
		return err
	}
	// Nothing is in it that a crash could bring back, so its name need not be durable, nor its start
	// be cleared: what counts is that a live file's name is, and roll sees to that.
	spare := l.nextSpare()
	if err := l.disk.Rename(name, l.path(spare)); err != nil {
		return err
	}
	l.spares = append(l.spares, spare)
	return nil
}

// nextSpare is a name that no spare has.
func (l *Log) nextSpare() string {
	l.spareNext++
	return spareName(l.spareNext - 1)
}

func (l *Log) fill(name string) (err error) {
	f, err := l.disk.Create(name)
	if err != nil {
		return err
	}
	// A failed close can be the only sign of a lost write, so it must not be dropped.
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	if err := f.Allocate(l.config.FileBytes); err != nil {
		return err
	}
	return f.Sync()
}

// addSpare makes a spare of a file whose batches count no more. Its name is durable before
// its first sector goes: else a power loss could show a live file without its first batch.
func (l *Log) addSpare(name string) error {
	spare := l.nextSpare()
	if err := l.disk.Rename(l.path(name), l.path(spare)); err != nil {
		return err
	}
	if err := l.disk.SyncDir(l.config.Directory); err != nil {
		return err
	}
	if err := l.clearStart(l.path(spare)); err != nil {
		return err
	}
	l.spares = append(l.spares, spare)
	return nil
}

func (l *Log) clearStart(name string) (err error) {
	f, err := l.disk.Open(name)
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	if _, err := f.WriteAt(make([]byte, SectorBytes), 0); err != nil {
		return err
	}
	return f.Sync()
}

// Gone is the checkpoint, for [Log.Release] and [Log.Blocking], of a group that exists no more and
// that no boot asks for: its records keep no file, and it needs no state record.
const Gone = ^wire.Op(0)

// limit is how many files a batch may find full and still get another.
func (l *Log) limit(reserve reserve) int {
	switch {
	case reserve == reservePrepare:
		return l.config.FilesMax
	case reserve == reserveMove, len(l.files) > 0 && l.files[0].moved:
		return l.config.FilesMax + 2 // The state record of a moved file's group lets it go.
	}
	return l.config.FilesMax + 1
}

// Release lets go of the oldest files whose ops all lie at or below the checkpoints of their
// groups, or have a copy behind that is flushed ([Log.Move]), as far as each of these groups has
// a newer state record that is flushed. It returns how many files went. Bodies in them are absent
// from then on (R3).
//
// The caller has made the checkpoints durable and paired before (R17). It names every group that it
// has, also one without a checkpoint (op 0), and one of which the log has no record: it may be in
// doubt by a mark alone (R15).
//
// Errors: ErrPoisoned; the disk's, which poisons.
//
// Source: R17; spec/Journal.tla Release, and RepeatState for what must come before.
func (l *Log) Release(checkpoints map[wire.GroupID]wire.Op) (int, error) {
	if err := l.usable("release"); err != nil {
		return 0, err
	}
	released := 0
	for len(l.files) > 1 && len(l.needs(checkpoints)) == 0 {
		if err := l.releaseOldest(); err != nil {
			return released, fmt.Errorf("release log: %w", l.poison(err))
		}
		released++
	}
	return released, nil
}

// stateSince says whether the group has a flushed state record in the batches from first on.
func (l *Log) stateSince(group wire.GroupID, first Sequence) bool {
	state := l.states[group]
	return state >= first && state <= l.synced
}

func (l *Log) releaseOldest() error {
	oldest := l.forgetOldest()
	if err := oldest.Close(); err != nil {
		return err
	}
	return l.retire(liveName(oldest.first))
}

// forgetOldest takes the oldest file out of memory.
func (l *Log) forgetOldest() *file {
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := l.files[0]
	l.files = slices.Delete(l.files, 0, 1)
	l.records -= oldest.records
	for i := range oldest.bodies {
		b := &oldest.bodies[i]
		l.index.remove(b.group, b.id.Op, position{oldest.number, uint32(i)})
	}
	return oldest
}

// MakeRoom gives a spare file back to the disk, and returns the bytes that are free by it; 0 if
// there is none to give. A checkpoint on a full disk does so before its snapshot, which finds
// room up to a file's size; one more spare stays for its state record. The release puts files
// in the place of both.
//
// Errors: ErrPoisoned; the disk's, which poisons.
//
// Source: R17.
func (l *Log) MakeRoom() (int64, error) {
	if err := l.usable("make room in"); err != nil {
		return 0, err
	}
	if len(l.spares) <= sparesKept {
		return 0, nil
	}
	last := len(l.spares) - 1
	name := l.path(l.spares[last])
	l.spares = l.spares[:last]
	if err := errors.Join(l.disk.Remove(name), l.disk.SyncDir(l.config.Directory)); err != nil {
		return 0, fmt.Errorf("make room in log: %w", l.poison(err))
	}
	return l.config.FileBytes, nil
}

// retire makes a spare of a file, or removes it where there are enough.
func (l *Log) retire(name string) error {
	if len(l.spares) < sparesMax {
		return l.addSpare(name)
	}
	if err := l.disk.Remove(l.path(name)); err != nil {
		return err
	}
	return l.disk.SyncDir(l.config.Directory)
}
