package wal

import "sync"

// Bounds says how much a crash of the machine may take of what nobody waited for: the policy
// replicated.
type Bounds struct {
	// UnflushedBytes of bodies are flushed with the batch that exceeds them.
	UnflushedBytes int
	// UnflushedTicks is how often [Writer.Tick] is called until it flushes.
	UnflushedTicks int
}

// Writer shares the batches and flushes of a log among many callers. Whoever finds nobody
// writing writes for all who wait; what arrives meanwhile is the next batch. So there is one
// flush a batch at most, without a timer and without a goroutine of its own.
type Writer struct {
	log    *Log
	bounds Bounds
	// unflushed counts the bytes of bodies that no flush has covered. Who writes owns it.
	unflushed int

	mu      sync.Mutex
	free    sync.Cond
	waiting []*request
	writing bool
	// pending: something is not flushed, for so many ticks.
	pending bool
	ticks   int
	flushes int
	batches int
}

// request is what one caller wants stored.
type request struct {
	records []Record
	durable bool
	bytes   int
	done    bool
	err     error
}

// NewWriter returns a writer, which is from then on the only one to append to and flush the
// log. What callers do not want flushed is flushed anyway once it exceeds a bound.
func NewWriter(l *Log, bounds Bounds) *Writer {
	w := &Writer{log: l, bounds: bounds}
	w.free.L = &w.mu
	return w
}

// Store returns when the records are stored: on the disk if durable (the policy persisted),
// else with the operating system (replicated). It may be called from any goroutine. The
// records lie in one batch, in their order. Do not change the bodies meanwhile.
//
// Errors: as [Log.Append], for these records alone, and [Log.Sync].
func (w *Writer) Store(records []Record, durable bool) error {
	mine := &request{records: records, durable: durable}
	for _, r := range records {
		mine.bytes += len(r.Body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, mine)
	for w.writing && !mine.done {
		w.free.Wait()
	}
	if !mine.done {
		all, due := w.take(), w.pending && w.ticks >= w.bounds.UnflushedTicks
		w.alone(func() { w.write(all, due) })
		for _, r := range all {
			r.done = true
		}
	}
	return mine.err
}

// Tick says that time has passed: the host calls it at a steady pace. What nobody waits for
// is flushed when it has been there for UnflushedTicks ticks, or, where another batch is being
// written just then, with that one or the next.
//
// Errors: as [Log.Sync]. They poison, and every Store says so from then on.
func (w *Writer) Tick() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.pending {
		return nil
	}
	w.ticks++
	if w.ticks < w.bounds.UnflushedTicks || w.writing {
		return nil
	}
	var err error
	w.alone(func() { err = w.flush() })
	return err
}

// alone runs f as the only one that uses the log, without the lock, which the caller holds.
func (w *Writer) alone(f func()) {
	w.writing = true
	w.mu.Unlock()
	f()
	unflushed := w.log.synced < w.log.newest.sequence
	w.mu.Lock()
	w.writing = false
	if !unflushed || !w.pending {
		w.ticks = 0
	}
	w.pending = unflushed
	w.free.Broadcast()
}

// take takes the requests that fit into one batch off the queue: at least one.
func (w *Writer) take() []*request {
	records, bytes, n := 0, 0, 0
	for _, r := range w.waiting {
		records, bytes = records+len(r.records), bytes+r.bytes
		if n > 0 && int64(batchSize(records, bytes)) > w.log.config.FileBytes {
			break
		}
		n++
	}
	all := w.waiting[:n:n]
	w.waiting = append([]*request(nil), w.waiting[n:]...)
	return all
}

// write stores requests as one batch, and flushes if one of them or a bound demands it. If
// the log refuses the batch, each is tried by itself, so that nobody answers for another's
// records.
func (w *Writer) write(all []*request, due bool) {
	var records []Record
	for _, r := range all {
		records = append(records, r.records...)
	}
	_, err := w.log.Append(records...)
	w.batches++
	switch {
	case err == nil:
	case len(all) == 1 || w.log.failure != nil:
		for _, r := range all {
			r.err = err
		}
		return
	default:
		for _, r := range all {
			w.batches++
			_, r.err = w.log.Append(r.records...)
		}
	}
	for _, r := range all {
		if r.err == nil {
			w.unflushed += r.bytes
			due = due || r.durable
		}
	}
	if !due && w.unflushed <= w.bounds.UnflushedBytes {
		return
	}
	if err := w.flush(); err != nil {
		for _, r := range all {
			if r.err == nil {
				r.err = err
			}
		}
	}
}

func (w *Writer) flush() error {
	w.flushes++
	w.unflushed = 0
	return w.log.Sync()
}

// Counts returns how many batches were written and how many flushes there were.
func (w *Writer) Counts() (batches, flushes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.writing {
		w.free.Wait()
	}
	return w.batches, w.flushes
}

// Alone gives the log to f between two batches: for [Log.Release], [Log.MakeRoom] and
// [Log.Close].
func (w *Writer) Alone(f func(*Log) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.writing {
		w.free.Wait()
	}
	var err error
	w.alone(func() { err = f(w.log) })
	return err
}
