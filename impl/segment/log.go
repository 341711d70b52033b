package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Errors of a log.
var (
	// ErrPoisoned: a write or flush failed earlier, and nobody knows what the disk holds.
	ErrPoisoned = errors.New("an earlier write or flush failed")
	// ErrReleased: the offset lies below the start: retention or a purge took it.
	ErrReleased = errors.New("offset released")
)

// Config sets up a log.
type Config struct {
	// Directory is the log's alone.
	Directory string
	Group     wire.GroupID
	// SegmentBytes is the size that a segment does not exceed, unless by a single batch. All
	// replicas of the group have the same: it says where segments begin.
	SegmentBytes int64
	// IndexBytes is the distance of the batches that an index names; the same everywhere, too.
	IndexBytes int64
}

// DefaultConfig has the sizes of a server.
func DefaultConfig(directory string, group wire.GroupID) Config {
	return Config{
		Directory: directory, Group: group, SegmentBytes: 256 << 20, IndexBytes: 64 << 10,
	}
}

// Fits says whether a batch with so many bytes of body goes into a segment that has covered
// bytes. What does not begins the next one, and so does the first batch of all.
func (c Config) Fits(covered, bodyBytes int64) bool {
	return covered > 0 && covered+BatchHeaderBytes+bodyBytes <= c.SegmentBytes
}

func (c Config) check() error {
	if c.SegmentBytes < 1 || c.IndexBytes < 1 {
		return fmt.Errorf("segments of %d bytes with an index each %d, expected at least 1",
			c.SegmentBytes, c.IndexBytes)
	}
	return nil
}

// segment is one file and what is known of it.
type segment struct {
	extent
	// file is open in the last segment and in those that are not flushed yet.
	file storage.File
	// dirty: batches, or a new length, are not flushed.
	dirty bool
}

// Log is the open log of a partition.
type Log struct {
	disk   storage.Disk
	config Config
	// segments are kept, in order of offsets; the last is the one that grows. released are
	// waiting for Trim.
	segments, released []*segment
	mark               Mark
	failure            error
}

// Mark says how far the log reaches. A checkpoint takes it after Sync.
func (l *Log) Mark() Mark { return l.mark }

// Bytes is the size of all segments that are kept.
func (l *Log) Bytes() int64 {
	sum := int64(0)
	for _, s := range l.segments {
		sum += s.covered
	}
	return sum
}

// Append writes a committed batch behind the others and returns once the operating system has
// it. It does not flush. Body is not kept.
//
// Errors: a batch that does not continue the log, or is no batch: nothing is written.
// storage.ErrFull leaves the log as it was; Append may be called again. ErrPoisoned after an
// earlier failure. Any other error is the disk's, and poisons.
func (l *Log) Append(b Batch) error {
	if l.failure != nil {
		return l.poisoned("append to segment")
	}
	if err := b.check(l.mark); err != nil {
		return fmt.Errorf("append to segments of group %d: %w", l.config.Group, err)
	}
	s, err := l.room(b)
	if err != nil {
		return l.failed(fmt.Errorf("append to segment: %w", err))
	}
	content, sum := b.encode(l.config.Group, l.mark.Chain)
	s.dirty = true
	if _, err := s.file.WriteAt(content, s.covered); err != nil {
		if back := l.undo(s); back != nil {
			return l.poison(errors.Join(err, back))
		}
		return l.failed(fmt.Errorf("append to segment: %w", err))
	}
	s.add(b, link{l.config.Group, l.mark.Chain, sum}, l.config.IndexBytes)
	l.follow(s)
	return nil
}

// undo takes back what a failed write may have left: bytes, or a segment without any.
func (l *Log) undo(s *segment) error {
	if s.covered > 0 {
		return s.file.Truncate(s.covered)
	}
	l.segments = l.segments[:len(l.segments)-1]
	if err := l.closeFile(s); err != nil {
		return err
	}
	return l.disk.Remove(l.path(logName(s.start)))
}

// follow makes the mark that of a log whose last segment is s.
func (l *Log) follow(s *segment) {
	l.mark.Last, l.mark.Bytes, l.mark.Next = s.start, s.covered, s.next
	l.mark.Op, l.mark.Timestamp, l.mark.Chain = s.op, s.timestamp, s.after
}

// room returns the segment that takes a batch: the last, or a new one where that is full.
func (l *Log) room(b Batch) (*segment, error) {
	if n := len(l.segments); n > 0 {
		last := l.segments[n-1]
		if l.config.Fits(last.covered, int64(len(b.Body))) {
			return last, nil
		}
	}
	file, err := l.disk.Create(l.path(logName(l.mark.Next)))
	if err != nil {
		return nil, err
	}
	s := &segment{extent: extent{start: l.mark.Next, next: l.mark.Next}, file: file, dirty: true}
	l.segments = append(l.segments, s)
	return s, nil
}

// Sync returns once the disk has all that was appended, with the indexes and the names.
//
// Errors: ErrPoisoned; the disk's, which poisons: a second flush may succeed without having
// done anything. Where there is no room for an index there will be none.
func (l *Log) Sync() error {
	if l.failure != nil {
		return l.poisoned("sync segments")
	}
	changed := false
	for i, s := range l.segments {
		if !s.dirty {
			continue
		}
		changed = true
		if err := s.file.Sync(); err != nil {
			return l.poison(err)
		}
		if err := l.writeIndex(s); err != nil {
			return l.poison(err)
		}
		s.dirty = false
		if i < len(l.segments)-1 {
			if err := l.closeFile(s); err != nil {
				return l.poison(err)
			}
		}
	}
	if !changed {
		return nil
	}
	if err := l.disk.SyncDir(l.config.Directory); err != nil {
		return l.poison(err)
	}
	return nil
}

// writeIndex replaces the index of a segment. A crash may leave any part of it: it verifies,
// or is made anew.
func (l *Log) writeIndex(s *segment) error {
	name := l.path(indexName(s.start))
	if err := removeIfThere(l.disk, name); err != nil {
		return err
	}
	err := l.writeFile(name, s.encode(l.config.Group))
	if errors.Is(err, storage.ErrFull) {
		return removeIfThere(l.disk, name)
	}
	return err
}

func (l *Log) writeFile(name string, content []byte) (err error) {
	f, err := l.disk.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	return f.Sync()
}

// Close releases the files. It does not flush.
func (l *Log) Close() error {
	var err error
	for _, s := range append(l.segments, l.released...) {
		err = errors.Join(err, l.closeFile(s))
	}
	return err
}

func (l *Log) closeFile(s *segment) error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

func (l *Log) path(name string) string { return path.Join(l.config.Directory, name) }

// failed poisons, except where the disk was only full.
func (l *Log) failed(err error) error {
	if errors.Is(err, storage.ErrFull) {
		return err
	}
	return l.poison(err)
}

func (l *Log) poison(err error) error {
	l.failure = err
	return err
}

func (l *Log) poisoned(what string) error {
	return fmt.Errorf("%s: %w: %w", what, ErrPoisoned, l.failure)
}

func removeIfThere(disk storage.Disk, name string) error {
	if err := disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
