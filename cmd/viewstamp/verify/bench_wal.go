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
// goal is about what a process has, a goroutine for the lane; beside it stands what handing over
// costs: the log whose appender does the lane's work itself, and the bare loop that is handed over
// too. It judges nothing; the figures say whether the goal is met. It needs the machine to itself.
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
	own, err := newWALBench(below, 1, bytes)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(own))
	return b.alternate(ctx, own)
}

// newWALBench makes a log for so many appenders, each of a group of its own. Close it when done.
func newWALBench(below string, appenders, bytes int) (_ *walBench, err error) {
	b := &walBench{body: make([]byte, bytes), stop: make(chan struct{})}
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

// walBench is a log and its appenders. Without a goroutine for the lane, the one appender does the
// lane's work.
type walBench struct {
	root      string
	directory *storage.Directory
	disk      *countingDisk
	storage   *replica.Storage
	appenders []walAppender
	body      []byte

	handed bool // The lane has a goroutine.
	lane   sync.WaitGroup
	stop   chan struct{}
}

// start gives the lane a goroutine, as a process does.
func (b *walBench) start() {
	b.handed = true
	b.lane.Go(b.work)
}

// Close ends the lane's goroutine and removes the log.
func (b *walBench) Close() (err error) {
	close(b.stop)
	b.lane.Wait()
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

// work is the goroutine of the log's lane.
func (b *walBench) work() {
	for {
		select {
		case <-b.stop:
			return
		case <-b.storage.Wake(replica.LaneLog):
		}
		if b.drain() != nil { // It stays in storage.Err.
			for _, a := range b.appenders {
				close(a.done)
			}
			return
		}
	}
}

// drain does all that the lane has to do.
func (b *walBench) drain() error {
	for b.storage.Ready(replica.LaneLog) {
		done, err := b.storage.Work(replica.LaneLog)
		if err != nil {
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
	if !b.handed {
		<-b.storage.Wake(replica.LaneLog)
		if err := b.drain(); err != nil {
			return 0, err
		}
	}
	<-b.appenders[group].done
	return time.Since(begin), b.storage.Err()
}

// alternate compares the log of b, whose lane has a goroutine, and that of own, whose lane the
// appender works for, with a bare loop, on the appender's goroutine and on another.
func (b *walBench) alternate(ctx context.Context, own *walBench) (_ Figures, err error) {
	bare, err := newBareLoop(b.directory, wire.HeaderBytes+len(b.body))
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(bare))
	b.disk.written.Store(0)
	steps := []func(op wire.Op) (time.Duration, error){
		func(op wire.Op) (time.Duration, error) { return b.append(0, op) },
		func(op wire.Op) (time.Duration, error) { return own.append(0, op) },
		func(wire.Op) (time.Duration, error) { return bare.flush() },
		func(wire.Op) (time.Duration, error) { return bare.handOver() },
	}
	const lane, ours, bareOwn, bareLane = 0, 1, 2, 3
	took := make([][]time.Duration, len(steps))
	var shares, ownShares, laneShares []float64
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
			shares = append(shares, of(bareOwn)/of(lane))
			ownShares = append(ownShares, of(bareOwn)/of(ours))
			laneShares = append(laneShares, of(bareLane)/of(lane))
		}
	}
	figures := b.figures(took[lane])
	figures.share(shares, walShare)
	figures["bare_us_p50"] = micros(median(took[bareOwn]))
	figures["own_us_p50"] = micros(median(took[ours]))
	figures["own_share_of_bare"] = middle(ownShares)
	figures["handed_bare_us_p50"] = micros(median(took[bareLane]))
	figures["share_of_handed_bare"] = middle(laneShares)
	return figures, nil
}

// bareLoop overwrites a pre-zeroed file and flushes, with nothing else.
type bareLoop struct {
	file      storage.File
	frame     []byte
	at        int64
	ask, done chan struct{}
	err       error
}

// newBareLoop makes the file. Close it when done.
func newBareLoop(disk storage.Disk, bytes int) (_ *bareLoop, err error) {
	l := &bareLoop{
		frame: make([]byte, bytes), ask: make(chan struct{}, 1), done: make(chan struct{}, 1),
	}
	if l.file, err = disk.Create("bare"); err != nil {
		return nil, err
	}
	if err := errors.Join(l.file.Allocate(walFileBytes), l.file.Sync()); err != nil {
		return nil, multierr.Append(err, l.file.Close())
	}
	go func() {
		for range l.ask {
			_, l.err = l.flush()
			l.done <- struct{}{}
		}
		close(l.done)
	}()
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

// handOver has another goroutine do it.
func (l *bareLoop) handOver() (time.Duration, error) {
	begin := time.Now()
	l.ask <- struct{}{}
	<-l.done
	return time.Since(begin), l.err
}

// Close ends the goroutine and closes the file.
func (l *bareLoop) Close() error {
	close(l.ask)
	<-l.done
	return l.file.Close()
}

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
