package replica

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
)

// batchBytesMax bounds the records that are appended at once, and so how long one flush can
// take; a larger record goes alone.
const batchBytesMax = 4 << 20

// retryTicks is how often prepares that found the log full are tried again.
const retryTicks = 16

// logLane is the queue of the write-ahead log. What a host does for a request takes no lock of it:
// it is one for all groups.
type logLane struct {
	wake chan struct{}
	// asked are jobs that the lane has not taken over yet, the newest first.
	asked atomic.Pointer[asked]
	// full says that jobs are held.
	full atomic.Bool

	mu sync.Mutex
	// jobs wait to be appended, in the order in which they were asked for.
	jobs []logJob
	// held found no room; prepares among them are older than all prepares in jobs.
	held []logJob
	// retry says that held may be tried again.
	retry bool
	// flushing are appended and count once they are flushed.
	flushing []logJob
	// flushDue says that a bound is exceeded by what nobody waits for.
	flushDue bool
	// unflushedBytes were appended and not flushed, for so many ticks.
	unflushedBytes, ticks int
	// room says that the superblock found none on the disk, releasing that a checkpoint or a
	// state record may let files go.
	room, releasing bool
	// broken is what a host found broken on the disk; it ends the lane.
	broken error

	batches, flushes, released, moved int
}

// logJob is one record, or none: a checkpoint waits for the flush of what came before.
type logJob struct {
	record  wal.Record
	durable bool // it counts when it is flushed
	done    Completion
	then    *checkpointJob
}

// asked are the jobs of one call of submit, and those of the calls before.
type asked struct {
	jobs   []logJob
	before *asked
}

// submit asks for jobs, and wakes nobody: see [Storage.Wake].
func (l *logLane) submit(jobs ...logJob) {
	next := &asked{jobs: jobs}
	for {
		next.before = l.asked.Load()
		if l.asked.CompareAndSwap(next.before, next) {
			return
		}
	}
}

// collect takes over what was asked for, oldest first. The caller holds the lock.
func (l *logLane) collect() {
	var calls [][]logJob
	for a := l.asked.Swap(nil); a != nil; a = a.before {
		calls = append(calls, a.jobs)
	}
	for _, jobs := range slices.Backward(calls) {
		l.jobs = append(l.jobs, jobs...)
	}
}

func (l *logLane) ready() bool {
	if l.asked.Load() != nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs) > 0 || len(l.flushing) > 0 || l.flushDue ||
		l.room || l.releasing || l.broken != nil || l.retry && len(l.held) > 0
}

func (l *logLane) tick(bounds wal.Bounds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ticks++
	if l.unflushedBytes > 0 && l.ticks >= bounds.UnflushedTicks {
		l.flushDue = true
	}
	if len(l.held) > 0 && l.ticks%retryTicks == 0 {
		l.retry = true
	}
	if l.flushDue || l.retry {
		signal(l.wake)
	}
}

// storePrepares asks for prepares to be stored as the group's policy demands.
func (s *Storage) storePrepares(g *group, prepares []vsr.StorePrepare) {
	jobs := make([]logJob, len(prepares))
	for i, p := range prepares {
		jobs[i] = logJob{
			record: prepareRecord(p), durable: g.durable(),
			done: Completion{
				Group: g.config.Group, input: vsr.PrepareStored{ID: p.Prepare.Header.ID()},
			},
		}
	}
	s.logLane.submit(jobs...)
}

// storeState asks for a state record, which is always flushed (R2).
func (s *Storage) storeState(g *group, state *vsr.StateRecord) {
	s.logLane.submit(logJob{
		record: stateRecord(g.config.Group, state), durable: true,
		done: Completion{Group: g.config.Group, input: vsr.StateStored{LogView: state.LogView}},
	})
}

// workLog does one thing: flush what was appended, or let go of what checkpoints cover, or make
// room, or append what waits. A flush is one for all that was appended before it.
func (s *Storage) workLog() ([]Completion, error) {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	l := &s.logLane
	l.mu.Lock()
	flush, release, room := len(l.flushing) > 0 || l.flushDue, l.releasing, l.room
	switch {
	case flush:
	case release:
		l.releasing = false
	default:
		l.room = false
	}
	broken := l.broken
	l.mu.Unlock()
	switch {
	case broken != nil:
		return nil, broken
	case flush:
		return s.flushLog()
	case release:
		return nil, s.releaseLog()
	case room:
		return nil, s.makeRoom()
	}
	return s.appendLog()
}

func (s *Storage) flushLog() ([]Completion, error) {
	l := &s.logLane
	if err := s.log.Sync(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	flushed := l.flushing
	l.flushing, l.flushDue, l.unflushedBytes, l.ticks = nil, false, 0, 0
	l.flushes++
	for i := range flushed {
		l.releasing = l.releasing || flushed[i].record.Kind == wal.KindState
	}
	l.mu.Unlock()
	return s.finished(flushed), nil
}

// finished are the completions of jobs that are done. A checkpoint goes on instead.
func (s *Storage) finished(jobs []logJob) []Completion {
	done := make([]Completion, 0, len(jobs))
	for i := range jobs {
		if job := jobs[i].then; job != nil {
			s.stateLane.snapshot(job)
			continue
		}
		done = append(done, jobs[i].done)
	}
	return done
}

// take takes a batch off the queue: prepares that found no room first, if they may try again.
func (l *logLane) take() []logJob {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collect()
	if l.retry {
		l.jobs = append(l.held, l.jobs...)
		l.held, l.retry = nil, false // It is full until they are in.
	}
	n, bytes := 0, 0
	for n < len(l.jobs) {
		bytes += len(l.jobs[n].record.Body)
		if n > 0 && bytes > batchBytesMax {
			break
		}
		n++
	}
	batch := l.jobs[:n:n]
	l.jobs = l.jobs[n:]
	if len(l.jobs) == 0 {
		l.jobs = nil
	}
	return batch
}

// appendLog appends what waits as one batch. What counts already is returned; the rest counts
// after the flush, which is the next thing to do.
func (s *Storage) appendLog() ([]Completion, error) {
	l := &s.logLane
	batch := l.take()
	files := s.log.Files()
	appended, held, err := s.append(batch)
	if err != nil {
		return nil, err
	}
	var done []logJob
	bytes := 0
	for _, job := range appended {
		bytes += len(job.record.Body)
		if !job.durable || s.options.Defects.Has(DefectReportBeforeFlush) {
			done = append(done, job)
		}
	}
	l.mu.Lock()
	l.batches++
	for _, job := range appended {
		if job.durable && !s.options.Defects.Has(DefectReportBeforeFlush) {
			l.flushing = append(l.flushing, job)
		}
	}
	if l.unflushedBytes == 0 {
		l.ticks = 0
	}
	l.unflushedBytes += bytes
	l.flushDue = l.flushDue || l.unflushedBytes > s.options.Bounds.UnflushedBytes
	l.held = append(l.held, held...)
	l.full.Store(len(l.held) > 0)
	// Large ops fill file after file long before a checkpoint is due by their number, and no
	// flush will ask for what is held: the log itself asks, at each file and each refusal.
	l.releasing = l.releasing || s.log.Files() > files || len(held) > 0
	l.mu.Unlock()
	return s.finished(done), nil
}

// append writes jobs as one batch. Where there is no room for it state records go by
// themselves, into what the log keeps back for them; what finds no room even so is held.
func (s *Storage) append(batch []logJob) (appended, held []logJob, err error) {
	batch, held = s.logLane.pass(batch)
	var records []wal.Record
	durable := false
	for _, job := range batch {
		if job.then == nil {
			records = append(records, job.record)
			durable = durable || job.durable
		}
	}
	if len(records) == 0 {
		return batch, held, nil
	}
	err = s.write(durable, records...)
	switch {
	case err == nil:
		return batch, held, nil
	case !errors.Is(err, wal.ErrFull) && !errors.Is(err, wal.ErrTooLarge):
		return nil, nil, err
	case len(records) == 1 && errors.Is(err, wal.ErrTooLarge):
		return nil, nil, err
	}
	for _, job := range batch {
		if waits(held, &job) {
			held = append(held, job)
			continue
		}
		if job.then == nil {
			err = s.write(job.durable, job.record)
		}
		switch {
		case job.then != nil || err == nil:
			appended = append(appended, job)
		case errors.Is(err, wal.ErrFull):
			held = append(held, job)
		default:
			return nil, nil, fmt.Errorf("store a %s record of group %d: %w", job.record.Kind,
				job.record.Group, err)
		}
	}
	return appended, held, nil
}

// write appends records. The disk gets those at once that the next flush is for; the policy
// replicated waits for the operating system only.
func (s *Storage) write(durable bool, records ...wal.Record) error {
	appendTo := s.log.Append
	if durable {
		appendTo = s.log.AppendToFlush
	}
	_, err := appendTo(records...)
	return err
}

// pass takes from a batch what must not overtake what is held already.
func (l *logLane) pass(batch []logJob) (free, waiting []logJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) == 0 {
		return batch, nil
	}
	for _, job := range batch {
		if waits(l.held, &job) || waits(waiting, &job) {
			waiting = append(waiting, job)
		} else {
			free = append(free, job)
		}
	}
	return free, waiting
}

// waits says whether a job has to wait as others are held: prepares do, and a state record behind
// another of its group. A state record passes prepares: those that it should follow are in it.
func waits(held []logJob, job *logJob) bool {
	if len(held) == 0 || job.then != nil {
		return false
	}
	if job.record.Kind == wal.KindPrepare {
		return true
	}
	return slices.ContainsFunc(held, func(h logJob) bool {
		return h.record.Kind == wal.KindState && h.record.Group == job.record.Group
	})
}

// Counts returns how many batches the log has got and how many flushes it has made.
func (s *Storage) Counts() (batches, flushes int) {
	s.logLane.mu.Lock()
	defer s.logLane.mu.Unlock()
	return s.logLane.batches, s.logLane.flushes
}

// makeRoom gives a file that stands by to the disk, for the superblock.
func (s *Storage) makeRoom() error {
	if _, err := s.log.MakeRoom(); err != nil {
		return err
	}
	s.stateLane.tryAgain()
	return nil
}
