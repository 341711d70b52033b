package superblock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// The names of the files, in the store's directory.
const (
	FileA         = "superblock.a"
	FileB         = "superblock.b"
	fileTemporary = "superblock.tmp"
)

// Outcome is what a directory says of its superblock: [Empty], [Present] or [Unreadable].
// A lost superblock that counts as an empty one makes a replica forget its votes, so there
// is no fourth value and no default (R16).
//
//sumtype:decl
type Outcome interface{ isOutcome() }

// Empty says that nothing was ever written here. A fresh start.
type Empty struct{}

// Present has the newest complete record, or one that an update had begun to write.
type Present struct{ Record Record }

// Unreadable says that something was written here that cannot be trusted. Booting is refused.
type Unreadable struct {
	// Version is what the file says of itself; 0 if it does not say it.
	Version uint16
	Why     Why
	// File is the path of the file, or of the directory for WhyMissing.
	File string
}

func (Empty) isOutcome()      {}
func (Present) isOutcome()    {}
func (Unreadable) isOutcome() {}

// Error says in one line what was found, what was expected and what can be done.
func (u Unreadable) Error() string {
	switch u.Why {
	case WhyOtherVersion:
		return fmt.Sprintf("superblock %s has version %d, expected %d: start the program that "+
			"wrote it", u.File, u.Version, Version)
	case WhyMissing:
		return fmt.Sprintf("no superblock beside what is in %s: expected a directory that "+
			"'viewstamp format' made; a replica whose superblock is lost gets an empty one with "+
			"'viewstamp format --replace'", u.File)
	case WhyEmptyFile, WhyForeign, WhyDamaged, WhyInvalid, WhyConflict:
	}
	return fmt.Sprintf("superblock %s cannot be trusted (%s), nor is there a copy that can: "+
		"restore both files from one copy, or give this replica an empty directory with "+
		"'viewstamp format --replace'",
		u.File, u.Why)
}

// Why says what is wrong with a superblock.
type Why uint8

// The reasons.
const (
	// WhyMissing: no file of a superblock, in a directory that is not empty.
	WhyMissing Why = iota + 1
	// WhyEmptyFile: a file without content, which no crash leaves behind.
	WhyEmptyFile
	// WhyForeign: a file of something else: it does not begin as ours do. A rotten first sector of
	// one of ours looks the same; what is to be done is the same too.
	WhyForeign
	// WhyOtherVersion: a record of another version of the format.
	WhyOtherVersion
	// WhyDamaged: the checksum does not match, or the file is cut off before it has one.
	WhyDamaged
	// WhyInvalid: the checksum matches bytes that this package never writes.
	WhyInvalid
	// WhyConflict: two records of one sequence that differ.
	WhyConflict
)

var whyNames = [...]string{
	WhyMissing:      "missing",
	WhyEmptyFile:    "empty_file",
	WhyForeign:      "foreign",
	WhyOtherVersion: "other_version",
	WhyDamaged:      "damaged",
	WhyInvalid:      "invalid",
	WhyConflict:     "conflict",
}

// String returns the name in snake_case, fit for a metric's label.
func (w Why) String() string {
	if w == 0 || int(w) >= len(whyNames) {
		return fmt.Sprintf("why(%d)", uint8(w))
	}
	return whyNames[w]
}

// copyOf is one of the two files.
type copyOf struct {
	file    string
	missing bool
	content []byte
	record  Record
	version uint16
	why     Why // Zero if the record is good.
}

func (c copyOf) good() bool { return !c.missing && c.why == 0 }

// Read says what a directory holds. It changes nothing. In beside are directories of the
// same owner, the WAL's say: a superblock counts as never written only where these hold
// nothing either.
//
// Errors are the disk's: a directory that cannot be read says nothing.
//
// Source: R16; spec/JournalBoot.tla Outcome, with Mirror.
func Read(disk storage.Disk, directory string, beside ...string) (Outcome, error) {
	outcome, _, err := read(disk, directory, beside)
	if err != nil {
		return nil, fmt.Errorf("read superblock: %w", err)
	}
	return outcome, nil
}

func read(disk storage.Disk, directory string, beside []string) (Outcome, [2]copyOf, error) {
	var copies [2]copyOf
	for i, name := range []string{FileA, FileB} {
		var err error
		if copies[i], err = readCopy(disk, path.Join(directory, name)); err != nil {
			return nil, copies, err
		}
	}
	if copies[0].missing && copies[1].missing {
		return absent(disk, directory, beside, copies)
	}
	return judge(copies), copies, nil
}

// absent tells a fresh directory from one whose superblock is gone. A temporary file is
// what a crash leaves of the very first update.
func absent(
	disk storage.Disk, directory string, beside []string, copies [2]copyOf,
) (Outcome, [2]copyOf, error) {
	for _, d := range append([]string{directory}, beside...) {
		names, err := disk.List(d)
		if err != nil {
			return nil, copies, err
		}
		if i := slices.Index(names, fileTemporary); i >= 0 && d == directory {
			names = slices.Delete(names, i, i+1)
		}
		if len(names) > 0 {
			return Unreadable{Why: WhyMissing, File: d}, copies, nil
		}
	}
	return Empty{}, copies, nil
}

// judge says what two files amount to, of which at least one is there. Of two good ones the
// newer counts: an update that no crash completed is as good as the one before it, since
// nobody has spoken for either alone.
func judge(copies [2]copyOf) Outcome {
	a, b := copies[0], copies[1]
	for _, c := range copies {
		// A newer program may have gone on from here: the other file may be older.
		if !c.missing && c.why == WhyOtherVersion {
			return Unreadable{Version: c.version, Why: c.why, File: c.file}
		}
	}
	switch {
	case a.good() && b.good():
		if a.record.Sequence == b.record.Sequence && string(a.content) != string(b.content) {
			return Unreadable{Version: a.version, Why: WhyConflict, File: a.file}
		}
		if b.record.Sequence > a.record.Sequence {
			return Present{b.record}
		}
		return Present{a.record}
	case a.good():
		return Present{a.record}
	case b.good():
		return Present{b.record}
	case a.missing:
		return Unreadable{Version: b.version, Why: b.why, File: b.file}
	}
	return Unreadable{Version: a.version, Why: a.why, File: a.file}
}

// readCopy reads one file. One that is longer than any record is read no further.
func readCopy(disk storage.Disk, name string) (c copyOf, err error) {
	c.file = name
	f, err := disk.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		c.missing = true
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	size, err := f.Size()
	if err != nil {
		return c, err
	}
	c.content = make([]byte, min(size, recordBytesMax+1))
	n, err := f.ReadAt(c.content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return c, err
	}
	c.content = c.content[:n]
	c.record, c.version, c.why = decode(c.content)
	return c, nil
}
