package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Errors of a log.
var (
	// ErrPoisoned: a write or a sync failed earlier, and nobody knows what the disk
	// holds. Close the log; the next Open finds out.
	ErrPoisoned = errors.New("an earlier write or sync failed")
	// ErrTooLarge: a body exceeds BodyBytesMax.
	ErrTooLarge = errors.New("body too large")
	// ErrAbsent: the log has no such prepare: another op, or another checksum (R3).
	ErrAbsent = errors.New("no such prepare")
	// ErrDamaged: the prepare was there when the log was opened or appended to, and
	// does not verify any more.
	ErrDamaged = errors.New("the stored prepare does not verify")
)

// Log is an open log. Use it from one goroutine at a time.
type Log struct {
	disk    storage.Disk
	file    storage.File
	path    string
	headers []Header
	// offsets are where the records start, in bytes; end is behind the last.
	offsets []int64
	end     int64
	// synced counts the records that are known to be on the disk.
	synced int
	// failure is the write or sync that poisoned the log.
	failure error
	// unverified is RecoverTorn's: bodies are served as they are.
	unverified bool
	buffer     []byte
}

// Option changes how [Open] works.
type Option func(*options)

type options struct{ recovery Recovery }

// WithRecovery selects a recovery; all but RecoverVerified are defects for tests.
func WithRecovery(r Recovery) Option { return func(o *options) { o.recovery = r } }

// Open opens the log at path, or makes an empty one, and recovers it: it adopts every
// record that verifies as an unbroken chain, up to the first that does not, cuts off
// the rest, and says in the report what that was. What it keeps may only have been in
// the page cache, so it syncs file and directory before it returns (R14): whoever
// speaks for what is in the log speaks for what is on the disk.
//
// Errors are the disk's; the file may then have been cut already, but only behind
// what verifies. Any content of the file is recovered, none is an error.
//
// Source: R14; spec/PartitionLog.tla Recovered.
func Open(disk storage.Disk, path string, opts ...Option) (*Log, Report, error) {
	o := options{recovery: RecoverVerified}
	for _, set := range opts {
		set(&o)
	}
	l := &Log{disk: disk, path: path, unverified: o.recovery == RecoverTorn}
	report := Report{Path: path}
	if err := l.open(o.recovery, &report); err != nil {
		if l.file != nil {
			multierr.AppendInvoke(&err, multierr.Close(l.file))
		}
		return nil, Report{}, fmt.Errorf("open log %s: %w", path, err)
	}
	return l, report, nil
}

func (l *Log) open(recovery Recovery, report *Report) (err error) {
	l.file, err = l.disk.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		report.Created = true
		l.file, err = l.disk.Create(l.path)
	}
	if err != nil {
		return err
	}
	size, err := l.file.Size()
	if err != nil {
		return err
	}
	front, err := readFrontier(l.disk, l.path)
	if err != nil {
		return err
	}
	s := scanner{file: l.file, size: size}
	headers, end, err := s.adopt(recovery, front)
	if err != nil {
		return err
	}
	for _, h := range headers {
		l.hold(h)
		report.PayloadBytes += h.BodyBytes()
	}
	if report.Discarded, err = s.discards(end, l.last()); err != nil {
		return err
	}
	report.Records, report.Bytes = len(headers), end
	if size != end { // Longer: cut. Shorter, a torn record was adopted: make it whole.
		if err := l.file.Truncate(end); err != nil {
			return err
		}
	}
	return l.settle()
}

// settle makes all of the log durable: content, length and name.
func (l *Log) settle() error {
	if err := l.file.Sync(); err != nil {
		return err
	}
	if err := l.disk.SyncDir(path.Dir(l.path)); err != nil {
		return err
	}
	l.synced = len(l.headers)
	return nil
}

// hold adds a record to what the log holds in memory.
func (l *Log) hold(h Header) {
	l.headers = append(l.headers, h)
	l.offsets = append(l.offsets, l.end)
	l.end += int64(h.SizeBytes)
}

// last returns the header of the last record; zero if there is none.
func (l *Log) last() Header {
	if len(l.headers) == 0 {
		return Header{}
	}
	return l.headers[len(l.headers)-1]
}

// poison notes a failure and returns it.
func (l *Log) poison(err error) error {
	l.failure = err
	return err
}

// usable refuses work on a log that a failure has poisoned.
func (l *Log) usable(verb string) error {
	if l.failure == nil {
		return nil
	}
	return fmt.Errorf("%s log %s: %w: %w", verb, l.path, ErrPoisoned, l.failure)
}

// Append writes prepares to the end of the log and returns once the operating system
// has them: from then on they survive the death of the process. It does not sync:
// only [Log.Sync] makes them survive power loss.
//
// Ops must be consecutive and follow the head; an empty log may start with any. A gap
// is the caller's bug and panics.
//
// Errors: ErrTooLarge, with nothing written. Any other error is the disk's; the log
// then holds what it held before and refuses all calls but reads and Close, because
// nobody knows how much was written.
//
// Source: VRR 4.1 steps 2 and 4; R3; spec/PartitionLog.tla AppendPrepare, WriteLog.
func (l *Log) Append(records ...Record) error {
	if err := l.usable("append to"); err != nil {
		return err
	}
	prev := l.last()
	headers := make([]Header, 0, len(records))
	l.buffer = l.buffer[:0]
	for _, r := range records {
		if len(r.Body) > BodyBytesMax {
			return fmt.Errorf("append op %d to log %s: %w: %d bytes, expected at most %d",
				r.Op, l.path, ErrTooLarge, len(r.Body), BodyBytesMax)
		}
		if r.Op == 0 || prev.Sequence > 0 && r.Op != prev.Op+1 {
			panic(fmt.Sprintf("append to log %s: op %d does not follow head %d", l.path, r.Op, prev.Op))
		}
		l.buffer, prev = appendRecord(l.buffer, prev, r)
		headers = append(headers, prev)
	}
	if len(headers) == 0 {
		return nil
	}
	if _, err := l.file.WriteAt(l.buffer, l.end); err != nil {
		return l.poison(fmt.Errorf("append to log: %w", err))
	}
	for _, h := range headers {
		l.hold(h)
	}
	return nil
}

// Sync returns once the disk has all that was appended.
//
// Errors are the disk's. The log then refuses all calls but reads and Close, because
// after a failed sync nobody knows what the disk holds, and a second one may succeed
// without having done anything.
//
// Source: spec/PartitionLog.tla PublishFrontier.
func (l *Log) Sync() error {
	if err := l.usable("sync"); err != nil {
		return err
	}
	if l.synced == len(l.headers) {
		return nil
	}
	if err := l.file.Sync(); err != nil {
		return l.poison(fmt.Errorf("sync log: %w", err))
	}
	l.synced = len(l.headers)
	return nil
}

// CutAbove drops the prepares above op, durably: a view change has decided against
// them (R7). An op at or above the head drops nothing, zero drops all.
//
// Errors are the disk's; the log then refuses all calls but reads and Close, and the
// next Open finds the prepares or not.
func (l *Log) CutAbove(op wire.Op) error {
	if err := l.usable("cut"); err != nil {
		return err
	}
	keep := len(l.headers)
	for keep > 0 && l.headers[keep-1].Op > op {
		keep--
	}
	if keep == len(l.headers) {
		return nil
	}
	l.end = l.offsets[keep]
	l.headers, l.offsets = l.headers[:keep], l.offsets[:keep]
	if err := l.file.Truncate(l.end); err != nil {
		return l.poison(fmt.Errorf("cut log: %w", err))
	}
	if err := l.file.Sync(); err != nil {
		return l.poison(fmt.Errorf("cut log: %w", err))
	}
	l.synced = keep
	return nil
}

// Records returns the headers of the prepares in the log, oldest first. The slice is
// valid until the next call that changes the log.
func (l *Log) Records() []Header { return l.headers }

// Head returns the identity of the newest prepare; zero if the log is empty.
func (l *Log) Head() wire.PrepareID { return l.last().ID() }

// Synced returns the newest op that is known to be on the disk; zero if none is.
func (l *Log) Synced() wire.Op {
	if l.synced == 0 {
		return 0
	}
	return l.headers[l.synced-1].Op
}

// Read returns the body of a prepare, in memory of its own. It is looked up by op and
// checksum, never by op alone, and verified again.
//
// Errors: ErrAbsent; ErrDamaged; else the disk's. None changes the log.
//
// Source: R3.
func (l *Log) Read(id wire.PrepareID) ([]byte, error) {
	if len(l.headers) == 0 || id.Op < l.headers[0].Op || id.Op > l.last().Op {
		return nil, fmt.Errorf("read %s from log %s: %w", id, l.path, ErrAbsent)
	}
	i := int(id.Op - l.headers[0].Op)
	if l.headers[i].ID() != id {
		return nil, fmt.Errorf("read %s from log %s: %w: the log has %s",
			id, l.path, ErrAbsent, l.headers[i].ID())
	}
	body, err := readBody(l.file, l.offsets[i], l.headers[i])
	if err != nil {
		return nil, fmt.Errorf("read %s from log: %w", id, err)
	}
	if !l.unverified && wire.ChecksumOf(body) != id.Checksum {
		return nil, fmt.Errorf("read %s from log %s: %w", id, l.path, ErrDamaged)
	}
	return body, nil
}

// Path returns the log's path.
func (l *Log) Path() string { return l.path }

// Close releases the file. It does not sync.
func (l *Log) Close() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("close log: %w", err)
	}
	return nil
}
