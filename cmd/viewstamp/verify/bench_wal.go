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
// appenders, each of a group of its own, in a directory made below the one given: through the lane
// that hosts use, from the append to the completion. With one appender it alternates with a bare
// loop, which overwrites a pre-zeroed file with as many bytes as a prepare has and flushes, and
// compares medians: a disk's speed drifts too much for two loops one after the other. It judges
// nothing; the figures say whether the goal is met. It needs the machine to itself.
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
	root, err := os.MkdirTemp(below, "viewstamp-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = multierr.Append(err, os.RemoveAll(root)) }()
	directory, err := storage.OpenDirectory(root)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(directory))
	b := &walBench{disk: &countingDisk{Disk: directory}, body: make([]byte, bytes)}
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
	defer multierr.AppendInvoke(&err, multierr.Close(b.storage))
	for g := range appenders {
		a, err := b.storage.NewAppender(replica.GroupConfig{
			Group: wire.GroupID(g), ReplicaCount: 1, Fresh: true,
		})
		if err != nil {
			return nil, err
		}
		b.appenders = append(b.appenders, walAppender{a, make(chan struct{}, 1)})
	}
	stop := make(chan struct{})
	var lane sync.WaitGroup
	lane.Go(func() { b.work(stop) })
	defer lane.Wait()
	defer close(stop)
	if appenders == 1 {
		return b.alternate(ctx)
	}
	return b.together(ctx)
}

type walBench struct {
	disk      *countingDisk
	storage   *replica.Storage
	appenders []walAppender
	body      []byte
}

// walAppender is one appender, with one prepare at a time on its way.
type walAppender struct {
	*replica.Appender
	done chan struct{} // Its prepare is stored, or the storage has failed.
}

// work is the goroutine of the log's lane.
func (b *walBench) work(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-b.storage.Wake(replica.LaneLog):
		}
		for b.storage.Ready(replica.LaneLog) {
			done, err := b.storage.Work(replica.LaneLog)
			if err != nil { // It stays in storage.Err.
				for _, a := range b.appenders {
					close(a.done)
				}
				return
			}
			for _, d := range done {
				b.appenders[d.Group].done <- struct{}{}
			}
		}
	}
}

// append stores one prepare durably and returns how long that took.
func (b *walBench) append(group int, op wire.Op) (time.Duration, error) {
	p := &wire.Prepare{Header: wire.PrepareHeader{
		Group: wire.GroupID(group), Op: op, Operation: wire.OperationRegister,
	}, Body: b.body}
	p.Seal()
	begin := time.Now()
	b.appenders[group].Append(p)
	<-b.appenders[group].done
	return time.Since(begin), b.storage.Err()
}

func (b *walBench) alternate(ctx context.Context) (_ Figures, err error) {
	bare, err := b.disk.Create("bare")
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(bare))
	if err := errors.Join(bare.Allocate(walFileBytes), bare.Sync()); err != nil {
		return nil, err
	}
	frame := make([]byte, wire.HeaderBytes+len(b.body))
	b.disk.written.Store(0)
	var ours, theirs []time.Duration
	var ratios []float64
	for i := range int64(walAppends) {
		took, err := b.append(0, wire.Op(i+1))
		if err != nil {
			return nil, err
		}
		ours = append(ours, took)
		begin := time.Now()
		if _, err := bare.WriteAt(frame, i*int64(len(frame))%(walFileBytes/2)); err != nil {
			return nil, err
		}
		if err := errors.Join(bare.Sync(), ctx.Err()); err != nil {
			return nil, err
		}
		theirs = append(theirs, time.Since(begin))
		if round := walAppends / walRounds; len(ours)%round == 0 {
			ratios = append(ratios,
				float64(median(theirs[len(theirs)-round:]))/float64(median(ours[len(ours)-round:])))
		}
	}
	figures := b.figures(ours)
	figures["bare_us_p50"] = micros(median(theirs))
	figures.share(ratios, walShare)
	return figures, nil
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
