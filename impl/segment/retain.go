package segment

import (
	"fmt"
	"slices"
)

// Retention says what a partition need not keep. A zero bound keeps everything.
type Retention struct {
	// Now is the time of the op that asks, Age how long a segment is kept after its last
	// batch, both in the unit of the batches' timestamps.
	Now, Age uint64
	// Bytes bounds the size of all segments together.
	Bytes int64
	// Hold is the first offset that must stay, for a consumer that has not read it.
	// 2^64-1 holds nothing.
	Hold uint64
}

// Retain moves the start over the oldest segments that need not be kept, and returns how many
// went. The last segment always stays. Their files stay too, until Trim; they cannot be read.
//
// It is an op: all replicas call it at the same op, with the same bounds, and so agree.
func (l *Log) Retain(r Retention) int {
	n, bytes := 0, l.Bytes()
	for n < len(l.segments)-1 {
		s := l.segments[n]
		old := r.Age > 0 && r.Now > s.timestamp && r.Now-s.timestamp >= r.Age
		much := r.Bytes > 0 && bytes > r.Bytes
		if s.next > r.Hold || !old && !much {
			break
		}
		bytes -= s.covered
		n++
	}
	l.release(n)
	return n
}

// Purge moves the start over everything: the next batch begins a segment. Offsets go on. It is
// an op, as Retain.
func (l *Log) Purge() { l.release(len(l.segments)) }

// ReleaseBelow moves the start over the segments that end at or below an offset. It is an op,
// as Retain: what an owner who counts segments by itself has decided to drop.
func (l *Log) ReleaseBelow(offset uint64) {
	n := 0
	for n < len(l.segments) && l.segments[n].next <= offset {
		n++
	}
	l.release(n)
}

// Skip goes on behind a batch that need not be written, because an op has dropped it already.
// All that lies before it is released with it. The mark is then that of a log which has
// written and purged it.
//
// Errors: those of a batch that does not continue the log; nothing is changed.
func (l *Log) Skip(b Batch) error {
	if err := b.check(l.mark); err != nil {
		return fmt.Errorf("skip in segments of group %d: %w", l.config.Group, err)
	}
	l.Purge()
	_, sum := b.encode(l.config.Group, l.mark.Chain)
	next := b.next()
	l.mark = Mark{
		Start: next, Last: next, Next: next, Op: b.Op, Timestamp: b.Timestamp, Chain: sum,
	}
	return nil
}

func (l *Log) release(n int) {
	if n == 0 {
		return
	}
	l.released = append(l.released, l.segments[:n]...)
	l.segments = l.segments[n:]
	if len(l.segments) > 0 {
		l.mark.Start = l.segments[0].start
		return
	}
	l.mark.Start, l.mark.Last, l.mark.Bytes = l.mark.Next, l.mark.Next, 0
}

// Trim removes the files below the start. The caller has made the checkpoint that says so
// durable, and paired it: until then a crash needs them (R17).
//
// Errors: ErrPoisoned; the disk's, which poisons.
func (l *Log) Trim() error { return l.TrimBelow(l.mark.Start) }

// TrimBelow is Trim for a checkpoint whose start is not the present one: ops have released more
// since. What lies above its start stays until the next.
func (l *Log) TrimBelow(start uint64) error {
	if l.failure != nil {
		return l.poisoned("trim segments")
	}
	n := 0
	for ; n < len(l.released) && l.released[n].next <= start; n++ {
		s := l.released[n]
		if err := l.closeFile(s); err != nil {
			return l.poison(err)
		}
		if err := l.drop(s.start); err != nil {
			return l.poison(err)
		}
	}
	if n == 0 {
		return nil
	}
	l.released = slices.Clone(l.released[n:])
	if err := l.disk.SyncDir(l.config.Directory); err != nil {
		return l.poison(err)
	}
	return nil
}

// drop removes the files of a segment, the index first: alone it would be of no use.
func (l *Log) drop(start uint64) error {
	if err := removeIfThere(l.disk, l.path(indexName(start))); err != nil {
		return err
	}
	return removeIfThere(l.disk, l.path(logName(start)))
}
