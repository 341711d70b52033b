package segment

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
func (l *Log) Trim() error {
	if l.failure != nil {
		return l.poisoned("trim segments")
	}
	if len(l.released) == 0 {
		return nil
	}
	for _, s := range l.released {
		if err := l.closeFile(s); err != nil {
			return l.poison(err)
		}
		if err := l.drop(s.start); err != nil {
			return l.poison(err)
		}
	}
	l.released = nil
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
