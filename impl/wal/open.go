package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// fileBytesMax bounds a file, and so what recovery holds in memory at once.
const fileBytesMax = 1 << 30

// Open opens the log in a directory, or begins one, and recovers it. What it keeps may only
// have been in the page cache, or have been there since a flush that failed in an earlier
// life of the process: what no batch knows to be flushed is written anew, and flushed. Then
// it writes a batch of its own, with this boot's incarnation and, where something was
// unreadable, the mark of doubt; only when that is flushed does the evidence go.
//
// Errors: a file that is not the log's, or [*VersionError], with nothing changed; ErrFull if there
// is no room for even one batch; else the disk's. Any other content of the log's own files is
// recovered.
//
// Source: R14, R15; spec/JournalBoot.tla Boot.
func Open(disk storage.Disk, config Config) (*Log, Report, error) {
	l := &Log{
		disk: disk, config: config, index: index{pages: map[pageKey]*page{}},
		states: map[wire.GroupID]Sequence{},
	}
	report := Report{
		recorded: map[wire.GroupID]bool{}, settled: map[wire.GroupID]bool{},
		flushed: map[wire.Uint128]Sequence{},
	}
	if err := config.check(); err != nil {
		return nil, Report{}, fmt.Errorf("open log: %w", err)
	}
	if err := l.open(&report); err != nil {
		for _, f := range l.files {
			multierr.AppendInvoke(&err, multierr.Close(f))
		}
		return nil, Report{}, fmt.Errorf("open log: %w", err)
	}
	return l, report, nil
}

func (l *Log) open(report *Report) error {
	live, spares, err := l.names()
	if err != nil {
		return err
	}
	s := &scanner{}
	for _, first := range live {
		f, err := l.disk.Open(l.path(liveName(first)))
		if err != nil {
			return err
		}
		l.addFile(f, first)
		s.images = append(s.images, image{f, liveName(first), first})
	}
	if err := s.follow(l.config.Recovery); err != nil {
		return err
	}
	a := newAdopter(l, report, len(live))
	s.adopt = a.take
	err = s.run()
	a.wait()
	if err != nil {
		return err
	}
	report.Batches, report.Discarded, report.Damaged = len(s.cells), s.discarded, s.damaged
	last := s.last()
	report.SameKernel = last.sequence > 0 && !l.config.Kernel.IsZero() &&
		last.kernel == l.config.Kernel
	l.newest, l.offset = header{sequence: s.next - 1, checksum: last.checksum}, s.end.offset
	return l.settle(s, spares)
}

// names lists the directory. Whatever is not the log's is refused.
func (l *Log) names() (live []Sequence, spares []string, err error) {
	names, err := l.disk.List(l.config.Directory)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if first, ok := parseName(name, suffixLive); ok && first > 0 {
			live = append(live, Sequence(first))
		} else if n, ok := parseName(name, suffixSpare); ok {
			spares = append(spares, name)
			l.spareNext = max(l.spareNext, n+1)
		} else if name != nameTemporary {
			return nil, nil, fmt.Errorf("%s is no file of a log, expected SEQUENCE%s, NUMBER%s or %s",
				l.path(name), suffixLive, suffixSpare, nameTemporary)
		}
	}
	slices.Sort(live)
	return live, spares, nil
}

// adopt takes a batch that the scan has found into index and report.
func (l *Log) adopt(c cell, report *Report) {
	if c.h.flags&flagDoubt != 0 {
		report.marked = true
		for group := range report.recorded {
			report.recorded[group] = true
		}
	}
	report.follow(c.h)
	at := 0
	for i, x := range c.records {
		r := Recovered{
			Head: x.Head, Sequence: c.h.sequence, Incarnation: c.h.incarnation,
			Present: c.absent == nil || !c.absent[i],
		}
		if x.Kind == KindState {
			r.Body = slices.Clone(c.body[at : at+int(x.size)])
			report.recorded[x.Group], report.settled[x.Group] = x.InDoubt, true
		}
		report.Records = append(report.Records, r)
		at += int(x.size)
	}
	l.hold(l.files[c.at.file], c.h, c.records, c.absent)
}

// settle makes durable what was found, then the doubt about what was not, then lets go of
// what was not adopted, in this order.
func (l *Log) settle(s *scanner, spares []string) error {
	l.synced = s.next - 1
	if len(s.images)+len(spares) > 0 { // Else there may be no directory yet.
		if err := l.rewrite(s); err != nil {
			return err
		}
		if err := l.removeSpares(spares); err != nil {
			return err
		}
	}
	beyond := l.keep(s)
	if err := l.renew(s); err != nil {
		return err
	}
	flags := uint32(0)
	if s.damaged {
		flags = flagDoubt
	}
	if err := l.write(nil, flags, reserveBoot, wayCached); err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	if s.cut {
		if err := l.clearRest(s); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(beyond) {
		if err := l.drop(f); err != nil {
			return err
		}
	}
	return l.fillSpares()
}

// removeSpares removes the spares of an earlier life; new ones are made. The name of one may
// have come by a flush of the directory that failed: to the disk it may still be a live file
// with batches, which must not come back with its start overwritten.
func (l *Log) removeSpares(names []string) error {
	for _, name := range append(names, nameTemporary) {
		if err := l.disk.Remove(l.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.disk.SyncDir(l.config.Directory)
}

// ErrGone says that a log which has begun has no file left: somebody removed it, as no crash does.
var ErrGone = errors.New("the write-ahead log is gone, with what this replica acknowledged: " +
	"restore its files, or give the replica an empty directory with 'viewstamp format --replace'")

// Begun refuses a directory in which a log has begun before, and no file of it is left. [Open]
// would take it for a new one, and the replica for one that has never promised anything (R16).
//
// Errors: [ErrGone]; those of [Open] for files that are not the log's; the disk's.
func Begun(disk storage.Disk, directory string) error {
	l := &Log{disk: disk, config: Config{Directory: directory}}
	live, _, err := l.names()
	if err != nil {
		return fmt.Errorf("look for the log: %w", err)
	}
	if len(live) == 0 {
		return ErrGone
	}
	return nil
}

// RemoveSpares gives the room that a log has set aside back to the disk, before [Open] sets aside
// what it can: a boot on a full disk needs some for other things first.
//
// Errors: [*VersionError], with nothing changed; else the disk's.
func RemoveSpares(disk storage.Disk, directory string) error {
	if err := Check(disk, directory); err != nil {
		return err
	}
	l := &Log{disk: disk, config: Config{Directory: directory}}
	live, spares, err := l.names()
	if err != nil {
		return err
	}
	if len(live)+len(spares) == 0 { // There may be no directory yet.
		return nil
	}
	if err := l.removeSpares(spares); err != nil {
		return fmt.Errorf("remove spares of log: %w", err)
	}
	return nil
}

// rewrite writes the batches anew that no later one knows to be flushed, and flushes them. A
// flush that failed leaves pages that count as clean and are not on the disk; a second flush
// would return at once.
func (l *Log) rewrite(s *scanner) error {
	touched := map[int]bool{}
	for _, c := range s.cells {
		if c.h.sequence <= s.covered {
			continue
		}
		b, err := s.reader.load(c.at.file)
		if err != nil {
			return err
		}
		if _, err := l.files[c.at.file].WriteAt(b[c.at.offset:][:c.h.size], c.at.offset); err != nil {
			return err
		}
		touched[c.at.file] = true
	}
	for i, f := range l.files {
		if touched[i] {
			if err := f.Sync(); err != nil {
				return err
			}
		}
	}
	return l.disk.SyncDir(l.config.Directory)
}

// keep takes the files behind the end off the log and returns them.
func (l *Log) keep(s *scanner) (beyond []*file) {
	if len(l.files) == 0 {
		return nil
	}
	beyond = slices.Clone(l.files[s.end.file+1:])
	l.files = l.files[:s.end.file+1]
	return beyond
}

// renew removes the last file if no batch ever came into it: its name may be one that a failed
// flush of the directory has lost. A batch proves that the name was flushed. A file that is
// shorter than it should be is filled up.
func (l *Log) renew(s *scanner) error {
	if len(l.files) == 0 {
		return nil
	}
	last := l.files[len(l.files)-1]
	if l.offset > 0 || s.cut {
		return last.Allocate(l.config.FileBytes)
	}
	l.files = l.files[:len(l.files)-1]
	l.offset = l.config.FileBytes // Full: the next batch takes another file.
	return l.drop(last)
}

// clearRest writes zeros over what a cut leaves behind the last batch.
func (l *Log) clearRest(s *scanner) error {
	f := l.files[len(l.files)-1]
	if f.first != s.images[s.end.file].first {
		return nil // The batch went into a new file.
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	zeros := make([]byte, min(1<<20, max(0, size-l.offset)))
	for at := l.offset; at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return f.Sync()
}

// drop removes a file that was cut off. It is not used again: what lies in it would look as
// if it belonged there, should the file get the same name.
func (l *Log) drop(f *file) error {
	if err := f.Close(); err != nil {
		return err
	}
	if err := l.disk.Remove(l.path(liveName(f.first))); err != nil {
		return err
	}
	return l.disk.SyncDir(l.config.Directory)
}

// fillSpares makes the spares that a roll wants to find. A full disk can wait.
func (l *Log) fillSpares() error {
	for len(l.spares) < sparesWanted {
		if err := l.makeSpare(); err != nil {
			if errors.Is(err, storage.ErrFull) {
				return nil
			}
			return err
		}
	}
	return nil
}
