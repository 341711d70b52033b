package superblock

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Errors of a store.
var (
	// ErrEmpty: there is no superblock to open; [Format] makes one.
	ErrEmpty = errors.New("no superblock: expected a formatted directory")
	// ErrFormatted: there is one already.
	ErrFormatted = errors.New("a superblock is there already: expected an empty directory")
	// ErrPoisoned: an earlier write failed, and nobody knows what the disk holds. The next
	// Open finds out.
	ErrPoisoned = errors.New("an earlier write failed")
)

// ForeignError refuses the superblock of another cluster.
type ForeignError struct {
	Directory string
	// Found is the cluster of the superblock, Expected ours.
	Found, Expected wire.ClusterID
}

// Error names both clusters.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("superblock in %s is of cluster %s, expected %s",
		e.Directory, wire.Uint128(e.Found), wire.Uint128(e.Expected))
}

// RegressionError refuses a state that forgets what the superblock promises.
type RegressionError struct {
	Group wire.GroupID
	// Field is that of the VsrState: "view".
	Field string
	// From is durable, To was asked for.
	From, To string
}

// Error names group, field and values.
func (e *RegressionError) Error() string {
	return fmt.Sprintf("write superblock: %s of group %d from %s to %s, expected no step back",
		e.Field, e.Group, e.From, e.To)
}

// Store is an open superblock. Use it from one goroutine at a time.
type Store struct {
	disk      storage.Disk
	directory string
	record    Record
	failure   error // What poisoned the store.
}

// Format gives an empty directory its identity: a superblock without groups. A crash in
// Format leaves the directory empty or formatted. beside is that of [Read].
//
// Errors: ErrFormatted; [Unreadable]; the disk's. Nothing that was there is changed.
func Format(
	disk storage.Disk, directory string, cluster wire.ClusterID, beside ...string,
) (*Store, error) {
	outcome, _, err := read(disk, directory, beside)
	if err != nil {
		return nil, fmt.Errorf("format superblock: %w", err)
	}
	switch found := outcome.(type) {
	case Present:
		return nil, fmt.Errorf("format superblock: %w", ErrFormatted)
	case Unreadable:
		return nil, fmt.Errorf("format superblock: %w", found)
	case Empty:
	}
	s := &Store{disk: disk, directory: directory}
	if err := s.replace(Record{Sequence: 1, Cluster: cluster}); err != nil {
		return nil, fmt.Errorf("format superblock: %w", err)
	}
	return s, nil
}

// Open opens the superblock of a cluster. What it read may be in the page cache only, and
// the last update may be half done, so it makes both copies equal and durable before it
// returns: only after that may anybody speak for what is in it (R16).
//
// Errors: ErrEmpty, [Unreadable], [*ForeignError], with nothing changed; else the disk's,
// with the newest record intact. beside is that of [Read].
//
// Source: R16; spec/JournalBoot.tla Boot, whose mutant copies_left_unequal omits this.
func Open(
	disk storage.Disk, directory string, cluster wire.ClusterID, beside ...string,
) (*Store, error) {
	outcome, copies, err := read(disk, directory, beside)
	if err != nil {
		return nil, fmt.Errorf("open superblock: %w", err)
	}
	var record Record
	switch found := outcome.(type) {
	case Empty:
		return nil, fmt.Errorf("open %s: %w", directory, ErrEmpty)
	case Unreadable:
		return nil, found
	case Present:
		record = found.Record
	}
	if record.Cluster != cluster {
		return nil, &ForeignError{Directory: directory, Found: record.Cluster, Expected: cluster}
	}
	s := &Store{disk: disk, directory: directory, record: record}
	if err := s.settle(copies); err != nil {
		return nil, fmt.Errorf("open superblock: %w", err)
	}
	return s, nil
}

// settle writes the record into both copies, first into the one that lacks it. Also where
// both hold it already: a sync of the directory that failed in an earlier life of the
// process leaves names in the page cache that count as clean and are not on the disk, and
// only a new rename brings them there.
func (s *Store) settle(copies [2]copyOf) error {
	content := s.record.encode()
	if !copies[1].good() || copies[1].record.Sequence < s.record.Sequence {
		copies[0], copies[1] = copies[1], copies[0]
	}
	for _, c := range copies {
		if err := s.replaceFile(c.file, content); err != nil {
			return err
		}
	}
	return nil
}

// Record returns what the superblock holds. The groups are the store's: do not change them.
func (s *Store) Record() Record { return s.record }

// Write makes the states of some groups durable, in one update for all of them; the states
// of the others stay. A group that is new is added. It returns when both copies are
// replaced: from then on messages may speak for the states (R1).
//
// Errors: [*RegressionError] if a view, log view or checkpoint would go backwards or the
// replica would become another one; a state that is invalid by itself; more than GroupsMax
// groups: nothing is written then. ErrPoisoned after an earlier failure. storage.ErrFull
// leaves the record as it was, and Write may be called again. Any other error is the
// disk's; the store is poisoned, and the disk has the old record or the new one.
//
// Source: spec/Journal.tla WriteSuperblock, MirrorSuperblock, SyncSuperblock.
func (s *Store) Write(changes ...GroupState) error {
	if s.failure != nil {
		return fmt.Errorf("write superblock: %w: %w", ErrPoisoned, s.failure)
	}
	next := Record{
		Sequence: s.record.Sequence + 1, Cluster: s.record.Cluster,
		Groups: slices.Clone(s.record.Groups),
	}
	for _, change := range changes {
		if err := next.set(change); err != nil {
			return err
		}
	}
	if len(next.Groups) > GroupsMax {
		return fmt.Errorf("write superblock: %d groups, expected at most %d",
			len(next.Groups), GroupsMax)
	}
	if err := s.replace(next); err != nil {
		return fmt.Errorf("write superblock: %w", err)
	}
	return nil
}

// Drop takes groups out that exist no more and whose numbers nobody uses again, in one update:
// what they promised is nobody's concern. Groups that are not there are passed over.
//
// Errors: those of [Store.Write], with the same states.
func (s *Store) Drop(groups ...wire.GroupID) error {
	if s.failure != nil {
		return fmt.Errorf("write superblock: %w: %w", ErrPoisoned, s.failure)
	}
	next := Record{
		Sequence: s.record.Sequence + 1, Cluster: s.record.Cluster,
		Groups: slices.DeleteFunc(slices.Clone(s.record.Groups), func(g GroupState) bool {
			return slices.Contains(groups, g.Group)
		}),
	}
	if len(next.Groups) == len(s.record.Groups) {
		return nil
	}
	if err := s.replace(next); err != nil {
		return fmt.Errorf("write superblock: %w", err)
	}
	return nil
}

// set puts a state into the record.
func (r *Record) set(change GroupState) error {
	if err := change.check(); err != nil {
		return fmt.Errorf("write superblock: group %d: %w", change.Group, err)
	}
	if change.Cluster != r.Cluster {
		return fmt.Errorf("write superblock: group %d is of cluster %s, expected %s",
			change.Group, wire.Uint128(change.Cluster), wire.Uint128(r.Cluster))
	}
	i, found := slices.BinarySearchFunc(r.Groups, change.Group, compareGroup)
	if !found {
		r.Groups = slices.Insert(r.Groups, i, change)
		return nil
	}
	if err := forward(r.Groups[i], change); err != nil {
		return err
	}
	r.Groups[i] = change
	return nil
}

// forward refuses a step back.
func forward(from, to GroupState) error {
	back := func(field string, a, b any) error {
		return &RegressionError{from.Group, field, fmt.Sprint(a), fmt.Sprint(b)}
	}
	switch {
	case to.Replica != from.Replica:
		return back("replica", from.Replica, to.Replica)
	case to.ReplicaCount != from.ReplicaCount:
		return back("replica_count", from.ReplicaCount, to.ReplicaCount)
	case to.View < from.View:
		return back("view", from.View, to.View)
	case to.LogView < from.LogView:
		return back("log_view", from.LogView, to.LogView)
	case to.Checkpoint.Op < from.Checkpoint.Op,
		to.Checkpoint.Op == from.Checkpoint.Op && to.Checkpoint != from.Checkpoint:
		return back("checkpoint", from.Checkpoint, to.Checkpoint)
	}
	return nil
}

// replace writes both copies, one after the other, so that one of them is whole at every
// moment. As long as the first is not touched a failure leaves everything as it was.
func (s *Store) replace(next Record) error {
	content := next.encode()
	for i, name := range []string{FileA, FileB} {
		if err := s.replaceFile(path.Join(s.directory, name), content); err != nil {
			if i > 0 || !errors.Is(err, storage.ErrFull) {
				s.failure = err
			}
			return err
		}
	}
	s.record = next
	return nil
}

// replaceFile gives a file new content in one step: a crash leaves the old or the new.
// After ErrFull it has the old.
func (s *Store) replaceFile(name string, content []byte) error {
	temporary := path.Join(s.directory, fileTemporary)
	if err := s.disk.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.writeFile(temporary, content); err != nil {
		if errors.Is(err, storage.ErrFull) { // Best effort: the next update removes it, too.
			_ = s.disk.Remove(temporary)
		}
		return err
	}
	if err := s.disk.Rename(temporary, name); err != nil {
		return err
	}
	return s.disk.SyncDir(s.directory)
}

func (s *Store) writeFile(name string, content []byte) (err error) {
	f, err := s.disk.Create(name)
	if err != nil {
		return err
	}
	// A failed close can be the only sign of a lost write, so it must not be dropped.
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	return f.Sync()
}
