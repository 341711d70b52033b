package segment

import (
	"slices"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// discard notes a range that is not adopted.
func (o *opening) discard(name string, offset, bytes int64, reason Reason) {
	o.report.Discarded = append(o.report.Discarded, Discard{o.path(name), offset, bytes, reason})
}

// judge says of a segment file that the mark does not cover why it goes.
func (o *opening) judge(start uint64) (err error) {
	if slices.ContainsFunc(o.segments, func(s *segment) bool { return s.start == start }) {
		return nil
	}
	o.stale = append(o.stale, start)
	f, err := o.disk.Open(o.path(logName(start)))
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	size, err := f.Size()
	if err != nil {
		return err
	}
	if start < o.mark.Start {
		o.discard(logName(start), 0, size, Released)
		return nil
	}
	return o.judgeTail(f, start, 0, size)
}

// judgeTail says of the bytes behind the mark which of them verify.
func (o *opening) judgeTail(f storage.File, start uint64, from, size int64) error {
	w := &walker{file: f, group: o.config.Group, at: from, end: size, offset: start}
	if from > 0 {
		w.offset, w.chain, w.chained = o.mark.Next, o.mark.Chain, true
	}
	for !w.done() {
		_, _, reason, err := w.next()
		if err != nil {
			return err
		}
		if reason != 0 {
			break
		}
	}
	if w.at > from {
		o.discard(logName(start), from, w.at-from, AboveCheckpoint)
	}
	if w.at < size || size == 0 {
		o.discard(logName(start), w.at, size-w.at, TornTail)
	}
	return nil
}

// settle makes the disk agree with what was adopted: files that the mark does not cover go,
// the last segment ends where the mark ends, indexes that were of no use are written anew.
func (o *opening) settle() error {
	for _, start := range slices.Backward(o.stale) {
		if err := o.drop(start); err != nil {
			return err
		}
	}
	for _, s := range o.renew {
		if err := o.writeIndex(s); err != nil {
			return err
		}
	}
	if n := len(o.segments); n > 0 {
		if err := o.cut(o.segments[n-1]); err != nil {
			return err
		}
	}
	for _, name := range o.incoming {
		if err := o.disk.Remove(o.path(name)); err != nil {
			return err
		}
	}
	if len(o.stale)+len(o.renew)+len(o.incoming) > 0 {
		return o.disk.SyncDir(o.config.Directory)
	}
	return nil
}

// cut ends the last segment where the mark ends. What a crash left behind it must not become
// the continuation of something else.
func (o *opening) cut(s *segment) error {
	size, err := s.file.Size()
	if err != nil || size == s.covered {
		return err
	}
	if err := s.file.Truncate(s.covered); err != nil {
		return err
	}
	return s.file.Sync()
}
