package wal

import (
	"errors"
	"fmt"
	"path"
	"sync"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Errors of a log.
var (
	// ErrPoisoned: a write or flush failed earlier, and nobody knows what the disk holds.
	ErrPoisoned = errors.New("an earlier write or flush failed")
	// ErrTooLarge: the records do not fit into one file.
	ErrTooLarge = errors.New("batch too large")
	// ErrFull: no room until something is released. It wraps storage.ErrFull.
	ErrFull = fmt.Errorf("the log is full: %w", storage.ErrFull)
	// ErrAbsent: no such prepare is stored: another op, another checksum, or released (R3).
	ErrAbsent = errors.New("no such prepare")
	// ErrDamaged: the prepare was stored and does not verify any more.
	ErrDamaged = errors.New("the stored prepare does not verify")
)

// Config sets up a log.
type Config struct {
	// Directory is the log's alone.
	Directory string
	// FileBytes is the size of a file, a multiple of SectorBytes.
	FileBytes int64
	// FilesMax bounds the files with batches, RecordsMax the records in them, and so the
	// index in memory. Prepares stop there; state records may go one file further, and what is
	// moved another one.
	FilesMax, RecordsMax int
	// Incarnation is this boot's (R4), Kernel the kernel's boot id; zero: not known.
	Incarnation, Kernel wire.Uint128
	// Recovery is RecoverVerified if zero; the others are defects for tests.
	Recovery Recovery
}

// DefaultConfig has the bounds of a server.
func DefaultConfig(directory string) Config {
	return Config{Directory: directory, FileBytes: 64 << 20, FilesMax: 64, RecordsMax: 1 << 20}
}

func (c Config) check() error {
	switch {
	case c.FileBytes < 4*SectorBytes || c.FileBytes%SectorBytes != 0 || c.FileBytes > fileBytesMax:
		return fmt.Errorf("file size %d, expected a multiple of %d, 2 KiB to 1 GiB",
			c.FileBytes, SectorBytes)
	case c.FilesMax < 2, c.RecordsMax < 1:
		return fmt.Errorf("bounds of %d files and %d records, expected at least 2 and 1",
			c.FilesMax, c.RecordsMax)
	case c.Incarnation.IsZero():
		return errors.New("incarnation zero, expected one drawn at this boot")
	}
	return nil
}

// Log is an open log. Append, Sync, Release, Move and Close come from one goroutine at a time;
// Read may come from any.
type Log struct {
	disk   storage.Disk
	config Config

	newest    header // Of the last batch.
	offset    int64  // Behind it, in the last file.
	synced    Sequence
	flushed   int64    // What of the last file lies below is known to be on the disk.
	spares    []string // Zeroed at their start, names durable.
	spareNext uint64
	failure   error
	memory    []byte // For the next batch.

	mu sync.RWMutex // Guards what Read looks at.
	// files hold batches, oldest first; the last one is written to. Their numbers are consecutive.
	files   []*file
	index   index
	states  map[wire.GroupID]Sequence // The newest state record.
	records int
}

// file is a live file.
type file struct {
	storage.File
	first Sequence
	// stale: what lies behind the batches may be left over, so each gets zeros behind it.
	stale bool
	// number counts files from 1 on.
	number uint32
	// highest is each group's highest op in the file; 0 if it has a state record only.
	highest map[wire.GroupID]wire.Op
	bodies  []location
	absent  []named // What does not verify.
	records int
	marked  bool // A batch in it carries the mark of doubt.
	moved   bool // [Log.Move] has been over it.
}

// named is a body as an index names it.
type named struct {
	group wire.GroupID
	id    wire.PrepareID
}

// location is where a body lies in a file, and whose it is.
type location struct {
	group wire.GroupID
	id    wire.PrepareID
	// older is the next older body of the op, maybe in a file that is released.
	older        position
	checksumBody wire.Checksum
	offset, size uint32
}

// find returns the file with a body, and where it lies in it. The caller holds mu.
func (l *Log) find(group wire.GroupID, id wire.PrepareID) (*file, location, bool) {
	for at := l.index.newest(group, id.Op); !at.isZero() && at.file >= l.files[0].number; {
		f := l.files[at.file-l.files[0].number]
		if f.bodies[at.body].id == id {
			return f, f.bodies[at.body], true
		}
		at = f.bodies[at.body].older
	}
	return nil, location{}, false
}

// way is how a batch gets to the disk.
type way uint8

const (
	wayCached way = iota + 1 // Through the page cache.
	wayAround                // Around it, where that is possible.
)

// AppendToFlush is [Log.Append] for a batch that is flushed next: it goes around the page cache
// where the disk can do that, which makes append and flush together quicker. What waits for the
// operating system only is not to go this way: it would wait for the disk.
func (l *Log) AppendToFlush(records ...Record) (Sequence, error) {
	return l.append(records, wayAround)
}

// Append writes records as one batch and returns its sequence once the operating system has
// it. It does not flush. A batch has at least one record, and its bodies are not kept.
//
// Errors: ErrTooLarge, ErrFull, an invalid record: nothing is written, and the log works on.
// Batches with a state record may use the space that is kept back from others. ErrPoisoned
// after an earlier failure. Any other error is the disk's, and poisons.
//
// Source: spec/Journal.tla WriteBatch, CanWrite.
func (l *Log) Append(records ...Record) (Sequence, error) { return l.append(records, wayCached) }

func (l *Log) append(records []Record, way way) (Sequence, error) {
	if err := l.usable("append to"); err != nil {
		return 0, err
	}
	urgent, bodies := false, 0
	for _, r := range records {
		if err := r.check(); err != nil {
			return 0, fmt.Errorf("append to log: %w", err)
		}
		urgent = urgent || r.Kind == KindState
		bodies += len(r.Body)
	}
	size := int64(batchSize(len(records), bodies))
	switch {
	case len(records) == 0:
		return 0, errors.New("append to log: no records, expected 1 or more")
	case size > l.config.FileBytes:
		return 0, fmt.Errorf("append to log: %w: %d bytes, expected at most %d",
			ErrTooLarge, size, l.config.FileBytes)
	case !urgent && l.records+len(records) > l.config.RecordsMax:
		return 0, fmt.Errorf("append to log: %w", ErrFull)
	}
	reserve := reservePrepare
	if urgent {
		reserve = reserveState
	}
	if err := l.write(records, 0, reserve, way); err != nil {
		return 0, fmt.Errorf("append to log: %w", err)
	}
	return l.newest.sequence, nil
}

// write writes one batch, in the next file if it does not fit into this one.
func (l *Log) write(records []Record, flags uint32, reserve reserve, way way) error {
	bodies := 0
	for _, r := range records {
		bodies += len(r.Body)
	}
	size := int64(batchSize(len(records), bodies))
	if len(l.files) == 0 || l.offset+size > l.config.FileBytes {
		if err := l.roll(reserve); err != nil {
			return err
		}
	}
	f := l.files[len(l.files)-1]
	h, b := encode(header{
		sequence: l.newest.sequence + 1, syncedThrough: l.synced, flags: flags,
		chain: l.newest.checksum, incarnation: l.config.Incarnation, kernel: l.config.Kernel,
		file: f.first, offset: l.offset,
	}, records, l.zeros(int(size)+SectorBytes))
	if f.stale && l.offset+size < l.config.FileBytes {
		b = b[:size+SectorBytes] // Zeros.
	}
	writeAt := f.WriteAt
	if way == wayAround {
		writeAt = f.writeAround
	}
	if _, err := writeAt(b, l.offset); err != nil {
		return l.poison(err)
	}
	all := make([]indexed, len(records))
	for i := range records {
		all[i] = getIndexed(b[headerBytes+i*indexBytes:])
	}
	l.hold(f, h, all, nil)
	l.newest, l.offset = h, l.offset+size
	return nil
}

// memoryMax bounds what is kept from one batch to the next. Hardly a batch has more: hosts stop one
// at 1 MiB of bodies.
const memoryMax = 1<<20 + 64<<10

// zeros returns memory for a batch, aligned for a write around the page cache. It holds until the
// next call.
func (l *Log) zeros(bytes int) []byte {
	if bytes > memoryMax {
		return storage.Aligned(bytes)
	}
	if bytes > len(l.memory) {
		l.memory = storage.Aligned(min(memoryMax, 2*bytes))
	} else {
		clear(l.memory[:bytes])
	}
	return l.memory[:bytes]
}

func (f *file) writeAround(p []byte, offset int64) (int, error) {
	return storage.WriteAround(f.File, p, offset)
}

// hold takes a batch into the index. Which bodies of a damaged one do
// not verify, damaged says.
func (l *Log) hold(f *file, h header, records []indexed, damaged []bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := h.offset + int64(indexSize(len(records)))
	highest := wire.Op(0)
	for i := range records {
		x := &records[i]
		switch x.Kind {
		case KindState:
			l.states[x.Group] = h.sequence
		case KindPrepare:
			highest = max(highest, x.Op)
			if damaged != nil && damaged[i] {
				f.absent = append(f.absent, named{x.Group, x.ID()})
			} else {
				l.holdBody(f, x, at)
			}
		}
		if i+1 == len(records) || records[i+1].Group != x.Group {
			f.highest[x.Group] = max(f.highest[x.Group], highest)
			highest = 0
		}
		at += int64(x.size)
	}
	f.records += len(records)
	f.marked = f.marked || h.flags&flagDoubt != 0
	l.records += len(records)
}

// holdBody takes a body into the index.
func (l *Log) holdBody(f *file, x *indexed, offset int64) {
	if f.bodies == nil {
		f.bodies = make([]location, 0, l.bodiesOf(f.number-1))
	}
	at := position{f.number, uint32(len(f.bodies))}
	f.bodies = append(f.bodies, location{
		group: x.Group, id: x.ID(), older: l.index.add(x.Group, x.Op, at),
		checksumBody: x.checksumBody, offset: uint32(offset), size: x.size,
	})
}

// bodiesOf is how many bodies a file has; 0 of one that is not live.
func (l *Log) bodiesOf(number uint32) int {
	if at := number - l.files[0].number; int64(at) < int64(len(l.files)) {
		return len(l.files[at].bodies)
	}
	return 0
}

// Sync returns once the disk has all that was appended.
//
// Errors: ErrPoisoned; the disk's, which poisons: a second flush may succeed without having
// done anything.
//
// Source: spec/Journal.tla SyncWAL.
func (l *Log) Sync() error {
	if err := l.usable("flush"); err != nil {
		return err
	}
	if l.synced == l.newest.sequence {
		return nil
	}
	if err := l.files[len(l.files)-1].Sync(); err != nil {
		return fmt.Errorf("flush log: %w", l.poison(err))
	}
	l.synced, l.flushed = l.newest.sequence, l.offset
	return nil
}

// Synced returns the newest batch that is known to be on the disk.
func (l *Log) Synced() Sequence { return l.synced }

// Read returns the body of a stored prepare, in memory of its own. It is looked up by group,
// op and checksum, and verified again.
//
// Errors: ErrAbsent; ErrDamaged; else the disk's. None changes the log.
//
// Source: R3.
func (l *Log) Read(group wire.GroupID, id wire.PrepareID) ([]byte, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	f, at, found := l.find(group, id)
	if !found {
		return nil, fmt.Errorf("read %s of group %d from log: %w", id, group, ErrAbsent)
	}
	body := make([]byte, at.size)
	if _, err := f.ReadAt(body, int64(at.offset)); err != nil {
		return nil, fmt.Errorf("read %s of group %d from log: %w", id, group, err)
	}
	if l.config.Recovery != RecoverTorn && wire.ChecksumOf(body) != at.checksumBody {
		return nil, fmt.Errorf("read %s of group %d from log: %w", id, group, ErrDamaged)
	}
	return body, nil
}

// Newest returns the newest batch. One that is newer than [Log.Synced] may only be with the
// operating system.
func (l *Log) Newest() Sequence { return l.newest.sequence }

// NewestPlace says where the newest batch lies: in which file of the directory, where in it, and
// how many bytes it has. A log that is open has at least one batch.
func (l *Log) NewestPlace() (name string, offset, bytes int64) {
	return liveName(l.newest.file), l.newest.offset, int64(l.newest.size)
}

// Close releases the files. It does not flush.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, f := range l.files {
		multierr.AppendInvoke(&err, multierr.Close(f))
	}
	l.files, l.index = nil, index{}
	if l.failure == nil {
		l.failure = errors.New("the log is closed")
	}
	if err != nil {
		return fmt.Errorf("close log: %w", err)
	}
	return nil
}

func (l *Log) poison(err error) error {
	l.failure = err
	return err
}

func (l *Log) usable(verb string) error {
	if l.failure == nil {
		return nil
	}
	return fmt.Errorf("%s log: %w: %w", verb, ErrPoisoned, l.failure)
}

func (l *Log) path(name string) string { return path.Join(l.config.Directory, name) }
