package segment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	suffixLog   = ".log"
	suffixIndex = ".index"
	digits      = 20
)

func logName(start uint64) string   { return fmt.Sprintf("%0*d%s", digits, start, suffixLog) }
func indexName(start uint64) string { return fmt.Sprintf("%0*d%s", digits, start, suffixIndex) }

// opening is an Open under way. Until settle it only reads.
type opening struct {
	*Log
	report Report
	// logs and indexes are the starts of the files that are there, sorted.
	logs, indexes []uint64
	// incoming are the names of files that a Receive has not finished.
	incoming []string
	// stale are the starts of segments whose files go, renew those of which only the index
	// is made anew.
	stale []uint64
	renew []*segment
}

// Open opens the log as a checkpoint has it, and removes what lies behind and below: ops above
// the checkpoint are appended again, by who replays the write-ahead log. It returns when the
// disk has it so. Sealed segments whose index verifies and describes them are not read, but for
// their last batch: damage in them shows when they are read, or scanned.
//
// Errors, with nothing changed: [*LostError] where the files lack what the mark covers; a file
// that is none of a log. Else the disk's; then a later Open finds the same.
//
// Source: R14, R17.
func Open(disk storage.Disk, config Config, mark Mark) (*Log, Report, error) {
	o := &opening{Log: &Log{disk: disk, config: config, mark: mark}}
	err := errors.Join(config.check(), mark.check())
	if err == nil {
		err = o.open()
	}
	if err != nil {
		return nil, Report{}, fmt.Errorf("open segments of group %d: %w", config.Group,
			multierr.Append(err, o.Close()))
	}
	return o.Log, o.report, nil
}

func (o *opening) open() error {
	if err := o.names(); err != nil {
		return err
	}
	if err := o.adopt(); err != nil {
		return err
	}
	for _, start := range o.logs {
		if err := o.judge(start); err != nil {
			return err
		}
	}
	for _, start := range o.indexes {
		if !slices.Contains(o.logs, start) {
			o.stale = append(o.stale, start)
			o.discard(indexName(start), 0, 0, IndexOrphaned)
		}
	}
	for _, name := range o.incoming {
		o.discard(name, 0, 0, Unfinished)
	}
	slices.SortStableFunc(o.report.Discarded, func(a, b Discard) int {
		return strings.Compare(a.File, b.File)
	})
	return o.settle()
}

// names lists the directory. Whatever is not the log's is refused.
func (o *opening) names() error {
	names, err := o.disk.List(o.config.Directory)
	if err != nil {
		return err
	}
	for _, name := range names {
		if start, ok := parseName(name, suffixLog); ok {
			o.logs = append(o.logs, start)
		} else if start, ok := parseName(name, suffixIndex); ok {
			o.indexes = append(o.indexes, start)
		} else if _, ok := parseName(name, suffixLog+suffixIncoming); ok {
			o.incoming = append(o.incoming, name)
		} else {
			return fmt.Errorf("%s is no file of a partition, expected OFFSET%s or OFFSET%s",
				o.path(name), suffixLog, suffixIndex)
		}
	}
	return nil
}

// parseName reads the offset in a file's name.
func parseName(name, suffix string) (uint64, bool) {
	number, found := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(number, 10, 64)
	return n, found && err == nil && len(number) == digits
}

// adopt finds the segments that the mark covers, from its start to its end.
func (o *opening) adopt() error {
	if o.mark.Bytes == 0 {
		return nil
	}
	before, chained := wire.Checksum{}, false
	for at := o.mark.Start; ; {
		s, err := o.find(at, before, chained)
		if err != nil {
			return err
		}
		o.segments = append(o.segments, s)
		o.report.Segments++
		o.report.Bytes += s.covered
		switch {
		case at == o.mark.Last && (s.after != o.mark.Chain || s.next != o.mark.Next):
			return o.lost(at, s.covered, Forked)
		case at == o.mark.Last:
			return nil
		case s.next > o.mark.Last:
			return o.lost(at, 0, Forked)
		}
		at, before, chained = s.next, s.after, true
	}
}

func (o *opening) lost(start uint64, position int64, reason Reason) error {
	return &LostError{o.path(logName(start)), position, reason}
}

// find opens one segment that the mark covers.
func (o *opening) find(start uint64, before wire.Checksum, chained bool) (*segment, error) {
	file, err := o.disk.Open(o.path(logName(start)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, o.lost(start, 0, Missing)
	}
	if err != nil {
		return nil, err
	}
	s := &segment{file: file}
	if err := o.fill(s, start, before, chained); err != nil {
		return nil, multierr.Append(err, file.Close())
	}
	if start != o.mark.Last {
		return s, o.closeFile(s)
	}
	return s, nil
}

// fill finds out what a segment has: by its index if it can be trusted, else by a scan.
func (o *opening) fill(s *segment, start uint64, before wire.Checksum, chained bool) error {
	size, err := s.file.Size()
	if err != nil {
		return err
	}
	end := size
	if start == o.mark.Last {
		end = o.mark.Bytes
	}
	if size < end || size == 0 {
		return o.lost(start, size, Short)
	}
	if end < size {
		if err := o.judgeTail(s.file, start, end, size); err != nil {
			return err
		}
	}
	reason, err := o.byIndex(s, start, end)
	if err != nil {
		return err
	}
	if reason == 0 && chained && s.before != before {
		return o.lost(start, 0, Unchained)
	}
	if reason == 0 {
		return nil
	}
	o.discard(indexName(start), 0, 0, reason)
	o.renew = append(o.renew, s)
	s.extent = extent{start: start, next: start}
	w := &walker{
		file: s.file, group: o.config.Group, end: end, offset: start, chain: before, chained: chained,
	}
	for !w.done() {
		b, link, reason, err := w.next()
		if err != nil {
			return err
		}
		if reason != 0 {
			return o.lost(start, w.at, reason)
		}
		s.add(b, link, o.config.IndexBytes)
	}
	o.report.Scanned += w.bytes
	return nil
}

// byIndex takes what the index says, if it describes the segment: the same group and start,
// exactly so many bytes, of which the last batch is the one that it names.
func (o *opening) byIndex(s *segment, start uint64, end int64) (Reason, error) {
	content, reason, err := o.readIndex(start)
	if err != nil || reason != 0 {
		return reason, err
	}
	e, group, reason := decodeIndex(content)
	if reason != 0 {
		return reason, nil
	}
	if group != o.config.Group || e.start != start || e.covered != end {
		return IndexStale, nil
	}
	last := make([]byte, end-e.last)
	if _, err := s.file.ReadAt(last, e.last); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	o.report.Scanned += int64(len(last))
	b, l, reason := decode(last)
	if reason != 0 || l.group != group || l.after != e.after || b.next() != e.next ||
		b.Op != e.op || b.Timestamp != e.timestamp {
		return IndexStale, nil
	}
	s.extent = e
	return 0, nil
}

func (o *opening) readIndex(start uint64) (content []byte, reason Reason, err error) {
	f, err := o.disk.Open(o.path(indexName(start)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, IndexMissing, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	size, err := f.Size()
	if err != nil {
		return nil, 0, err
	}
	content = make([]byte, size)
	n, err := f.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	return content[:n], 0, nil
}
