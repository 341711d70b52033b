package wal

import "sync"

// Writer shares the batches and flushes of a log among many callers. Whoever finds nobody
// writing writes for all who wait; what arrives meanwhile is the next batch. So there is one
// flush a batch at most, without a timer and without a goroutine of its own.
type Writer struct {
	log *Log
	// unsyncedMax bounds the bytes of bodies that no flush has covered.
	unsyncedMax int

	mu       sync.Mutex
	free     sync.Cond
	waiting  []*request
	writing  bool
	unsynced int
	flushes  int
	batches  int
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
// log. What callers do not want flushed is flushed anyway once it exceeds unsyncedMax bytes.
func NewWriter(l *Log, unsyncedMax int) *Writer {
	w := &Writer{log: l, unsyncedMax: unsyncedMax}
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
		w.writing = true
		all := w.take()
		w.mu.Unlock()
		w.write(all)
		w.mu.Lock()
		w.writing = false
		for _, r := range all {
			r.done = true
		}
		w.free.Broadcast()
	}
	return mine.err
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

// write stores requests as one batch. If the log refuses that, each is tried by itself, so
// that nobody answers for another's records.
func (w *Writer) write(all []*request) {
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
	flush := false
	for _, r := range all {
		if r.err == nil {
			w.unsynced += r.bytes
			flush = flush || r.durable
		}
	}
	if !flush && w.unsynced <= w.unsyncedMax {
		return
	}
	w.flushes++
	err = w.log.Sync()
	for _, r := range all {
		if r.err == nil && (r.durable || err != nil) {
			r.err = err
		}
	}
	w.unsynced = 0
}

// Counts returns how many batches were written and how many flushes there were.
func (w *Writer) Counts() (batches, flushes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.batches, w.flushes
}

// Alone gives the log to f between two batches: for [Log.Release] and [Log.Close].
func (w *Writer) Alone(f func(*Log) error) error {
	w.mu.Lock()
	for w.writing {
		w.free.Wait()
	}
	w.writing = true
	w.mu.Unlock()
	err := f(w.log)
	w.mu.Lock()
	w.writing = false
	w.mu.Unlock()
	w.free.Broadcast()
	return err
}
