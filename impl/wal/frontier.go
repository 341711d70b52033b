package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	frontierMagic    = "VWF1"
	frontierBytes    = 32
	offsetFrontierOf = 16 // Of its own checksum.
)

func frontierPath(log string) string { return log + ".frontier" }

// PublishFrontier syncs the log and then says durably how far it reaches. Recovery
// has no use for that (R14); only [RecoverToFrontier] believes it, which is why it
// loses what was appended since.
//
// Errors: as [Log.Sync]. After an error from the frontier's own file the log can be
// used on, and the frontier is the old one or the new one.
//
// Source: spec/PartitionLog.tla PublishFrontier.
func (l *Log) PublishFrontier() error {
	if err := l.Sync(); err != nil {
		return err
	}
	var b [frontierBytes]byte
	copy(b[:], frontierMagic)
	binary.LittleEndian.PutUint64(b[8:], uint64(l.last().Sequence))
	putChecksum(b[offsetFrontierOf:], wire.ChecksumOf(b[:offsetFrontierOf]))
	if err := replaceFile(l.disk, frontierPath(l.path), b[:]); err != nil {
		return fmt.Errorf("publish frontier: %w", err)
	}
	return nil
}

// replaceFile gives a file new content in one step: a crash leaves the old or the new.
func replaceFile(disk storage.Disk, name string, content []byte) (err error) {
	temporary := name + ".tmp"
	if err := disk.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := disk.Create(temporary)
	if err != nil {
		return err
	}
	// A failed close can be the only sign of a lost write, so it must not be dropped.
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := disk.Rename(temporary, name); err != nil {
		return err
	}
	return disk.SyncDir(path.Dir(name))
}

// readFrontier reads the published frontier of a log: the sequence of the last record
// below it. One that is missing or does not verify stands before the first record, as
// it does where nothing was published.
func readFrontier(disk storage.Disk, log string) (last Sequence, err error) {
	f, err := disk.Open(frontierPath(log))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	var b [frontierBytes]byte
	if _, err := f.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(b[:4]) != frontierMagic ||
		getChecksum(b[offsetFrontierOf:]) != wire.ChecksumOf(b[:offsetFrontierOf]) {
		return 0, nil
	}
	return Sequence(binary.LittleEndian.Uint64(b[8:])), nil
}
