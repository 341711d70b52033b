package checkpoint

import (
	"fmt"
	"path"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// MismatchError refuses a directory whose snapshots are not what the superblock names.
type MismatchError struct {
	File string
	Why  Why
	// Expected is the superblock's pairing; zero if it has none.
	Expected wire.PrepareID
}

// Error says in one line what was found, what was expected and what can be done.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("snapshot %s is %s, expected the checkpoint %s of the superblock: restore "+
		"both from one copy, or give this replica an empty directory with 'viewstamp format --replace'",
		e.File, e.Why, e.Expected)
}

// Discard is a file that recovery does not adopt.
type Discard struct {
	File string
	Why  Why
}

// String returns the file in one line.
func (d Discard) String() string { return d.File + " " + d.Why.String() }

// Recovered is what a group starts from.
type Recovered struct {
	// Checkpoint is the pairing of the snapshot; zero: no checkpoint was ever taken.
	Checkpoint wire.PrepareID
	Snapshot   Snapshot
	// Newer: the superblock does not name it yet. The next update is to do so.
	Newer     bool
	Discarded []Discard

	content []byte
}

// Inspect says what [Recover] would adopt, and changes nothing.
//
// Errors: [*MismatchError]; the disk's.
//
// Source: R17; spec/JournalBoot.tla Boot.
func Inspect(
	disk storage.Disk, directory string, group wire.GroupID, state superblock.VsrState,
) (Recovered, error) {
	names, err := disk.List(directory)
	if err != nil {
		return Recovered{}, fmt.Errorf("recover checkpoint of group %d: %w", group, err)
	}
	r, paired := Recovered{}, Missing
	refuse := func(name string, why Why) (Recovered, error) {
		return Recovered{}, &MismatchError{path.Join(directory, name), why, state.Checkpoint}
	}
	for _, name := range names {
		op, ok := parseName(name)
		file := path.Join(directory, name)
		if name == nameTemporary {
			r.Discarded = append(r.Discarded, Discard{file, Unfinished})
			continue
		}
		if !ok {
			return refuse(name, Foreign)
		}
		content, err := read(disk, file)
		if err != nil {
			return Recovered{}, fmt.Errorf("recover checkpoint of group %d: %w", group, err)
		}
		s, sum, why := decode(content)
		id := wire.PrepareID{Op: op, Checksum: sum}
		switch {
		case why == OtherVersion:
			return refuse(name, why)
		case why == 0 && (s.Cluster != state.Cluster || s.Group != group || s.Prepare.Op != op):
			return refuse(name, Foreign)
		case why == 0 && op == state.Checkpoint.Op && id != state.Checkpoint:
			why = Unpaired
		case why == 0 && op < state.Checkpoint.Op:
			why = Superseded
		}
		if op == state.Checkpoint.Op {
			paired = why
		}
		if why != 0 {
			r.Discarded = append(r.Discarded, Discard{file, why})
			continue
		}
		if !r.Checkpoint.IsZero() { // Names rise: this one is newer.
			old := path.Join(directory, fileName(r.Checkpoint.Op))
			r.Discarded = append(r.Discarded, Discard{old, Superseded})
		}
		r.Checkpoint, r.Snapshot, r.content = id, s, content
	}
	if r.Checkpoint.IsZero() && state.Checkpoint.Op > 0 {
		return refuse(fileName(state.Checkpoint.Op), paired)
	}
	r.Newer = r.Checkpoint.Op > state.Checkpoint.Op
	return r, nil
}

// Recover finds the snapshot that counts: the newest that is complete, and not older than the
// one that the superblock names. A newer one is made durable before anybody relies on it: its
// name may be in the page cache only. What does not count is removed.
//
// Errors: those of [Inspect], with nothing changed; the disk's.
func Recover(
	disk storage.Disk, directory string, group wire.GroupID, state superblock.VsrState,
) (Recovered, error) {
	r, err := Inspect(disk, directory, group, state)
	if err != nil {
		return Recovered{}, err
	}
	if r.Newer {
		if err := replace(disk, directory, fileName(r.Checkpoint.Op), r.content); err != nil {
			return Recovered{}, fmt.Errorf("recover checkpoint of group %d: %w", group, err)
		}
	}
	// The paired one stays beside a newer one until that is paired, too.
	for _, d := range r.Discarded {
		if d.File == path.Join(directory, fileName(state.Checkpoint.Op)) ||
			d.File == path.Join(directory, nameTemporary) && r.Newer { // Gone by now.
			continue
		}
		if err := disk.Remove(d.File); err != nil {
			return Recovered{}, fmt.Errorf("recover checkpoint of group %d: %w", group, err)
		}
	}
	return r, nil
}
