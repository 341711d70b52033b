package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// VersionError refuses a log that another version of the format has written. Its batches would look
// like damage, and recovery lets go of what it cannot read.
type VersionError struct {
	// Path is the file in which a batch of that version verifies.
	Path string
	// Version is the last character of the magic there.
	Version byte
}

// Error says what was found, what was expected and what can be done.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %q of the log's format, expected %q: start the build that "+
		"wrote it, or format the directory anew", e.Path, e.Version, magic[len(magic)-1])
}

// otherVersion returns the version of the batch at the start of a file, if it is another one than
// ours and the header verifies: damage to the magic of a batch of ours is no version.
//
// Two checksums count, at the same place: that of the header alone, and that of the header and the
// checksum of the index in a row, which version 1 had at first.
func otherVersion(b []byte) (version byte, found bool) {
	const named = len(magic) - 1
	if len(b) < headerBytes || string(b[:named]) != magic[:named] || b[named] == magic[named] {
		return 0, false
	}
	sum := wire.Checksum(getUint128(b[offsetChecksum:]))
	if sum == wire.ChecksumOf(b[:offsetChecksum]) {
		return b[named], true
	}
	end := headerBytes + int64(binary.LittleEndian.Uint32(b[4:]))*indexBytes
	if end > int64(len(b)) {
		return 0, false
	}
	var both [headerBytes]byte
	copy(both[:], b[:offsetChecksum])
	putUint128(both[offsetChecksum:], wire.Uint128(wire.ChecksumOf(b[headerBytes:end])))
	return b[named], sum == wire.ChecksumOf(both[:])
}

// Check refuses a directory that no log can be opened in: before anything beside it is written,
// and without a change. The log must not be open elsewhere.
//
// Errors: a file that is not the log's; [*VersionError]; else the disk's.
func Check(disk storage.Disk, directory string) error {
	l := &Log{disk: disk, config: Config{Directory: directory}}
	live, _, err := l.names()
	if err != nil {
		return fmt.Errorf("check log: %w", err)
	}
	for _, first := range live {
		if err := l.checkVersion(first); err != nil {
			return fmt.Errorf("check log: %w", err)
		}
	}
	return nil
}

// checkVersion refuses a file of another version, of which it reads the start.
func (l *Log) checkVersion(first Sequence) (err error) {
	file, err := l.disk.Open(l.path(liveName(first)))
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	header := make([]byte, headerBytes)
	if _, err := file.ReadAt(header, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // There is no batch in it.
		}
		return err
	}
	size, err := file.Size()
	if err != nil || string(header[:len(magic)]) == magic {
		return err
	}
	front := headerBytes + int64(binary.LittleEndian.Uint32(header[4:]))*indexBytes
	b := make([]byte, min(front, size, fileBytesMax))
	if _, err := file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if version, found := otherVersion(b); found {
		return &VersionError{Path: file.Path(), Version: version}
	}
	return nil
}
