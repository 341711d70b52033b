package wal

import (
	"encoding/binary"
	"errors"
	"fmt"

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

// checkVersion refuses a file of another version. It must not be open elsewhere.
//
// Errors: [*VersionError]; else the disk's.
func (l *Log) checkVersion(first Sequence) error {
	file, err := l.disk.Open(l.path(liveName(first)))
	if err != nil {
		return err
	}
	_, err = image{file: file}.read(nil)
	return errors.Join(err, file.Close())
}
