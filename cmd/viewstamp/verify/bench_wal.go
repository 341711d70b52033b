package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// walAppends is how many appends, and bare flushes, each comparison has; walRounds in how
	// many rounds of its own ratio.
	walAppends, walRounds = 1000, 20
	// walFileBytes is the size of a file of the log and of the bare loop.
	walFileBytes = 16 << 20
	// walShare is the goal for one appender as a share of the bare loop's speed.
	walShare = 0.9
)

// BenchWAL is the job that measures appends of prepares with bodies of so many bytes by so many
// appenders, each of a group of its own, in directories made below the one given: through the lane
// that hosts use, from the append to the completion. One appender is compared with a bare loop,
// which overwrites a pre-zeroed file with as many bytes as a prepare has and flushes; a disk's
// speed drifts too much for loops one after the other, so they alternate, and medians count. The
// one appender is what a worker of a shard is in a process: it works for the lane itself, and
// another worker stands by. Several are like clients, who hand over to a worker. It judges nothing;
// the figures say whether the goal is met. It needs the machine to itself.
func BenchWAL(below string, appenders, bytes int) Job {
	return benchJob(fmt.Sprintf("bench/wal-%d-%d", bytes, appenders), func(
		ctx context.Context,
	) (Figures, error) {
		return benchWAL(ctx, below, appenders, bytes)
	})
}

func benchJob(name string, measure func(context.Context) (Figures, error)) Job {
	const reproduce = "viewstamp bench wal"
	return Job{Name: name, Engine: EngineGo, Reproduce: reproduce, Run: func(
		ctx context.Context,
	) []Check {
		figures, err := measure(ctx)
		if err != nil {
			return []Check{Errored(name, EngineGo, reproduce, err)}
		}
		return []Check{Done(name, EngineGo, figures, reproduce)}
	}}
}

// middle is the median.
func middle(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// share adds a share of a bare operation's speed and whether it reaches the goal.
func (f Figures) share(ratios []float64, goal float64) {
	slices.Sort(ratios)
	f["share_of_bare"] = middle(ratios)
	f["share_low"], f["share_high"] = ratios[len(ratios)/10], ratios[len(ratios)-1-len(ratios)/10]
	f["goal"] = goal
	f["goal_met"] = 0
	if f["share_of_bare"] >= goal {
		f["goal_met"] = 1
	}
}

func benchWAL(ctx context.Context, below string, appenders, bytes int) (f Figures, err error) {
	b, err := newWALBench(below, appenders, bytes)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(b))
	b.start()
	if appenders > 1 {
		return b.together(ctx)
	}
	return b.alternate(ctx)
}

// newWALBench makes a log for so many appenders, each of a group of its own. Close it when done.
func newWALBench(below string, appenders, bytes int) (_ *walBench, err error) {
	b := &walBench{
		body: make([]byte, bytes), asked: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			err = multierr.Append(err, b.Close())
		}
	}()
	if b.root, err = os.MkdirTemp(below, "viewstamp-bench-"); err != nil {
		return nil, err
	}
	if b.directory, err = storage.OpenDirectory(b.root); err != nil {
		return nil, err
	}
	b.disk = &countingDisk{Disk: b.directory}
	cluster := wire.ClusterIDOf("bench")
	if err := replica.Format(b.disk, cluster); err != nil {
		return nil, err
	}
	if b.storage, err = replica.Open(b.disk, replica.Options{
		Cluster: cluster, Incarnation: wire.Incarnation{Lo: 1},
		Log: wal.Config{FileBytes: walFileBytes},
	}); err != nil {
		return nil, err
	}
	for g := range appenders {
		a, err := b.storage.NewAppender(replica.GroupConfig{
			Group: wire.GroupID(g), ReplicaCount: 1, Fresh: true,
		})
		if err != nil {
			return nil, err
		}
		b.appenders = append(b.appenders, walAppender{a, make(chan struct{}, 1)})
	}
	return b, nil
}

// walBench is a log and its appenders.
type walBench struct {
	root      string
	directory *storage.Directory
	disk      *countingDisk
	storage   *replica.Storage
	appenders []walAppender
	body      []byte

	lane    sync.Mutex // of who works for it
	standby sync.WaitGroup
	asked   chan struct{} // Several appenders have the worker look.
	stop    chan struct{}
}

// start has a worker stand by, as in a process.
func (b *walBench) start() { b.standby.Go(b.work) }

// Close ends the goroutine that stands by and removes the log.
func (b *walBench) Close() (err error) {
	close(b.stop)
	b.standby.Wait()
	if b.storage != nil {
		multierr.AppendInvoke(&err, multierr.Close(b.storage))
	}
	if b.directory != nil {
		multierr.AppendInvoke(&err, multierr.Close(b.directory))
	}
	if b.root != "" {
		err = multierr.Append(err, os.RemoveAll(b.root))
	}
	return err
}

// walAppender is one appender, with one prepare at a time on its way.
type walAppender struct {
	*replica.Appender
	done chan struct{} // Its prepare is stored, or the storage has failed.
}

// work stands by.
func (b *walBench) work() {
	for {
		select {
		case <-b.stop:
			return
		case <-b.asked:
		case <-b.storage.Wake(replica.LaneLog):
		}
		b.serve()
	}
}

// serve does all that the lane has to do, unless somebody does, who looks again afterwards.
func (b *walBench) serve() {
	for b.storage.Ready(replica.LaneLog) && b.lane.TryLock() {
		err := b.drain()
		b.lane.Unlock()
		if err != nil { // It stays in storage.Err, and the lane is not ready again.
			return
		}
	}
}

// drain does all that the lane has to do. If the storage fails no appender waits any longer.
func (b *walBench) drain() error {
	for b.storage.Ready(replica.LaneLog) {
		done, err := b.storage.Work(replica.LaneLog)
		if err != nil {
			for _, a := range b.appenders {
				close(a.done)
			}
			return err
		}
		for _, d := range done {
			b.appenders[d.Group].done <- struct{}{}
		}
	}
	return nil
}

// append stores one prepare durably and returns how long that took.
func (b *walBench) append(group int, op wire.Op) (time.Duration, error) {
	p := &wire.Prepare{Header: wire.PrepareHeader{
		Group: wire.GroupID(group), Op: op, Operation: wire.OperationRegister,
	}, Body: b.body}
	p.Seal()
	begin := time.Now()
	b.appenders[group].Append(p)
	if len(b.appenders) == 1 {
		b.serve()
	} else {
		select {
		case b.asked <- struct{}{}:
		default: // It will look.
		}
	}
	<-b.appenders[group].done
	return time.Since(begin), b.storage.Err()
}

// alternate compares the log with a bare loop.
func (b *walBench) alternate(ctx context.Context) (_ Figures, err error) {
	bare, err := newBareLoop(b.directory, wire.HeaderBytes+len(b.body))
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(bare))
	b.disk.written.Store(0)
	steps := []func(op wire.Op) (time.Duration, error){
		func(op wire.Op) (time.Duration, error) { return b.append(0, op) },
		func(wire.Op) (time.Duration, error) { return bare.flush() },
	}
	const log, loop = 0, 1
	took := make([][]time.Duration, len(steps))
	var shares []float64
	for op := wire.Op(1); op <= walAppends; op++ {
		for i, step := range steps {
			d, err := step(op)
			if err := errors.Join(err, ctx.Err()); err != nil {
				return nil, err
			}
			took[i] = append(took[i], d)
		}
		if round := walAppends / walRounds; int(op)%round == 0 {
			of := func(i int) float64 { return float64(median(took[i][len(took[i])-round:])) }
			shares = append(shares, of(loop)/of(log))
		}
	}
	figures := b.figures(took[log])
	figures.share(shares, walShare)
	figures["bare_us_p50"] = micros(median(took[loop]))
	return figures, nil
}

// bareLoop overwrites a pre-zeroed file and flushes, with nothing else.
type bareLoop struct {
	file  storage.File
	frame []byte
	at    int64
}

// newBareLoop makes the file. Close it when done.
func newBareLoop(disk storage.Disk, bytes int) (_ *bareLoop, err error) {
	l := &bareLoop{frame: make([]byte, bytes)}
	if l.file, err = disk.Create("bare"); err != nil {
		return nil, err
	}
	if err := errors.Join(l.file.Allocate(walFileBytes), l.file.Sync()); err != nil {
		return nil, multierr.Append(err, l.file.Close())
	}
	return l, nil
}

// flush writes once, and flushes.
func (l *bareLoop) flush() (time.Duration, error) {
	begin := time.Now()
	_, err := l.file.WriteAt(l.frame, l.at)
	if err == nil {
		err = l.file.Sync()
	}
	l.at = (l.at + int64(len(l.frame))) % (walFileBytes / 2)
	return time.Since(begin), err
}

// Close closes the file.
func (l *bareLoop) Close() error { return l.file.Close() }

// median is a duration's.
func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func (b *walBench) together(ctx context.Context) (Figures, error) {
	appenders := len(b.appenders)
	b.disk.written.Store(0)
	all, failed := make([][]time.Duration, appenders), make([]error, appenders)
	begin := time.Now()
	var group sync.WaitGroup
	for g := range appenders {
		group.Go(func() {
			for op := wire.Op(1); int(op) <= walAppends*4/appenders; op++ {
				took, err := b.append(g, op)
				if failed[g] = errors.Join(err, ctx.Err()); failed[g] != nil {
					return
				}
				all[g] = append(all[g], took)
			}
		})
	}
	group.Wait()
	seconds := time.Since(begin).Seconds()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	took := slices.Concat(all...)
	figures := b.figures(took)
	figures["per_second"] = float64(int(float64(len(took)) / seconds))
	return figures, nil
}

// figures sums up appends that took so long.
func (b *walBench) figures(took []time.Duration) Figures {
	slices.Sort(took)
	batches, flushes := b.storage.Counts()
	return Figures{
		"us_p50":            micros(took[len(took)/2]),
		"us_p99":            micros(took[len(took)*99/100]),
		"batches":           float64(batches),
		"flushes_per_batch": float64(flushes) / float64(batches),
		"written_per_byte": float64(b.disk.written.Load()) /
			float64(len(took)*(wire.HeaderBytes+len(b.body))),
	}
}

func micros(d time.Duration) float64 { return float64(d.Microseconds()) }

// countingDisk counts the bytes that are written to files once opened.
type countingDisk struct {
	storage.Disk
	written atomic.Int64
}

// Open implements [storage.Disk].
func (d *countingDisk) Open(name string) (storage.File, error) {
	f, err := d.Disk.Open(name)
	if err != nil {
		return nil, err
	}
	return countingFile{f, &d.written}, nil
}

type countingFile struct {
	storage.File
	written *atomic.Int64
}

// WriteAt implements [storage.File].
func (f countingFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.File.WriteAt(p, offset)
	f.written.Add(int64(n))
	return n, err
}
