package segment

import (
	"cmp"
	"fmt"
	"slices"

	"go.uber.org/multierr"
)

// Read returns batches in memory of their own: from the one that holds offset on, as long as
// their bodies fit into bytesMax, but at least one. Behind the last message there is none.
//
// Errors: ErrReleased below the start; [*LostError] where a batch does not verify, with those
// before it returned; else the disk's. None changes the log.
func (l *Log) Read(offset uint64, bytesMax int64) ([]Batch, error) {
	var found []Batch
	sum := int64(0)
	err := l.From(offset, func(b Batch) bool {
		sum += int64(len(b.Body))
		if len(found) > 0 && sum > bytesMax {
			return false
		}
		b.Body = slices.Clone(b.Body)
		found = append(found, b)
		return sum < bytesMax
	})
	return found, err
}

// Find returns the offset of the first message of the first batch at or after a timestamp;
// Mark().Next if all are older.
//
// Errors: [*LostError]; the disk's. None changes the log.
func (l *Log) Find(timestamp uint64) (uint64, error) {
	i, _ := slices.BinarySearchFunc(l.segments, timestamp, func(s *segment, t uint64) int {
		return cmp.Compare(s.timestamp, t)
	})
	if i == len(l.segments) {
		return l.mark.Next, nil
	}
	found := l.mark.Next
	err := l.visit(l.segments[i].start, func(s *segment) int64 { return s.byTime(timestamp) },
		func(b Batch) bool {
			if b.Timestamp < timestamp {
				return true
			}
			found = b.Offset
			return false
		})
	return found, err
}

// Scan visits all batches from the start on and verifies each. A body is valid until visit
// returns; visit returns false to end the scan.
//
// Errors: [*LostError]; the disk's. None changes the log.
func (l *Log) Scan(visit func(Batch) bool) error {
	return l.visit(l.mark.Start, func(*segment) int64 { return 0 }, visit)
}

// From visits the batches from the one that holds offset on and verifies each. A body is valid
// until visit returns; visit returns false to end. Behind the last message there is none.
//
// Errors: as Read. None changes the log.
func (l *Log) From(offset uint64, visit func(Batch) bool) error {
	if offset < l.mark.Start {
		return l.releasedError(offset)
	}
	return l.visit(offset, func(s *segment) int64 { return s.byOffset(offset) },
		func(b Batch) bool { return b.next() <= offset || visit(b) })
}

func (l *Log) releasedError(offset uint64) error {
	return fmt.Errorf("read offset %d of group %d: %w, expected at least %d",
		offset, l.config.Group, ErrReleased, l.mark.Start)
}

// visit walks from the segment that holds offset to the last, in the first of them from a
// position on.
func (l *Log) visit(
	offset uint64, from func(*segment) int64, visit func(Batch) bool,
) error {
	first, found := slices.BinarySearchFunc(l.segments, offset, func(s *segment, o uint64) int {
		return cmp.Compare(s.start, o)
	})
	if !found {
		first--
	}
	if first < 0 {
		return nil
	}
	position := from(l.segments[first])
	for _, s := range l.segments[first:] {
		more, err := l.visitOne(s, position, visit)
		if err != nil || !more {
			return err
		}
		position = 0
	}
	return nil
}

func (l *Log) visitOne(
	s *segment, position int64, visit func(Batch) bool,
) (more bool, err error) {
	file := s.file
	if file == nil {
		if file, err = l.disk.Open(l.path(logName(s.start))); err != nil {
			return false, fmt.Errorf("read segment: %w", err)
		}
		defer multierr.AppendInvoke(&err, multierr.Close(file))
	}
	w := &walker{file: file, group: l.config.Group, at: position, end: s.covered}
	w.begin(s, position)
	for !w.done() {
		b, _, reason, err := w.next()
		if err != nil {
			return false, fmt.Errorf("read segment: %w", err)
		}
		if reason != 0 {
			return false, &LostError{l.path(logName(s.start)), w.at, reason}
		}
		if !visit(b) {
			return false, nil
		}
	}
	if w.chain != s.after {
		return false, &LostError{l.path(logName(s.start)), w.at, Forked}
	}
	return true, nil
}

// begin tells a walk what must come first, as the index has it.
func (w *walker) begin(s *segment, position int64) {
	w.offset, w.chain, w.chained = s.start, s.before, true
	if position > 0 {
		i, _ := slices.BinarySearchFunc(s.places, position, func(p place, at int64) int {
			return cmp.Compare(p.position, at)
		})
		w.offset, w.timestamp, w.chained = s.places[i].offset, s.places[i].timestamp, false
	}
}
