package benchnode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/multierr"
)

// Options say what to measure.
type Options struct {
	// Dir is where the data goes, below a temporary directory that is removed.
	Dir string
	// Program is the command line that serves a configuration file, with settings on top.
	Program func(config string, settings ...string) []string
	// Alone compares with nodes whose requests share no op, too.
	Alone bool
	// Peers is the directory of the peers' sources; empty: none.
	Peers string
	// Bytes is the size of a payload.
	Bytes int
	// Rounds is how many there are; Warm and Counted how long a turn is.
	Rounds        int
	Warm, Counted time.Duration
	// Log takes what the processes say.
	Log io.Writer
}

// Comparison is what one thing came to, as medians over the rounds.
type Comparison struct {
	Name      string
	PerSecond float64
	P50, P99  time.Duration
	Failed    int
	// Share is our speed divided by this one's: the median of the rounds' ratios.
	Share float64
}

// Report is what a run came to. The first is ours.
type Report struct {
	Compared []Comparison
	// Absent says of each peer that is not there why.
	Absent map[string]string
	// PerFlush is how many payloads one flush of one node made durable.
	PerFlush float64
}

// Start starts all that is compared. Close it.
func Start(ctx context.Context, options Options) (_ *Bench, err error) {
	root, err := os.MkdirTemp(options.Dir, "viewstamp-bench-")
	if err != nil {
		return nil, err
	}
	b := &Bench{root: root, options: options, absent: map[string]string{}}
	defer func() {
		if err != nil {
			err = multierr.Append(err, b.Close())
		}
	}()
	b.ours, err = startOurs(ctx, "viewstamp", filepath.Join(root, "ours"), options)
	if err != nil {
		return nil, err
	}
	b.targets = append(b.targets, b.ours)
	if options.Alone {
		alone, err := startOurs(ctx, "alone", filepath.Join(root, "alone"), options,
			"batches.requests=1", "batches.pipeline=32")
		if err != nil {
			return nil, err
		}
		b.targets = append(b.targets, alone)
	}
	disk, err := startBare(filepath.Join(root, "bare"))
	if err != nil {
		return nil, err
	}
	b.targets = append(b.targets, disk)
	for _, kind := range peerKinds {
		if err := b.startPeer(ctx, kind); err != nil {
			b.absent[kind.title] = err.Error()
		}
	}
	return b, nil
}

// Bench is what is compared, started.
type Bench struct {
	root    string
	options Options
	ours    *ours
	targets []target
	absent  map[string]string
}

// startPeer adds a peer. Errors: why there is none.
func (b *Bench) startPeer(ctx context.Context, kind peerKind) error {
	if b.options.Peers == "" {
		return errors.New("no directory of peers was given")
	}
	sources, err := filepath.Abs(b.options.Peers)
	if err != nil {
		return err
	}
	binary, err := buildPeer(ctx, sources, b.root, kind)
	if err != nil {
		return err
	}
	p, err := startPeer(filepath.Join(b.root, kind.title), binary, kind, b.options.Log)
	if err != nil {
		return err
	}
	b.targets = append(b.targets, p)
	return nil
}

// Close ends what was started and removes its data.
func (b *Bench) Close() error {
	var err error
	for _, t := range b.targets {
		err = multierr.Append(err, t.close())
	}
	return multierr.Append(err, os.RemoveAll(b.root))
}

// Run measures with so many clients.
//
// Errors: something that has been started does not answer.
func (b *Bench) Run(ctx context.Context, clients int) (Report, error) {
	results := make([][]Result, len(b.targets))
	submitted, flushed := 0.0, 0.0
	for range b.options.Rounds {
		for i, t := range b.targets {
			before, err := b.ours.flushes(ctx)
			if err != nil {
				return Report{}, err
			}
			r, err := b.turn(ctx, t, clients)
			if err != nil {
				return Report{}, fmt.Errorf("%s: %w", t.name(), err)
			}
			results[i] = append(results[i], r)
			if i > 0 {
				continue
			}
			after, err := b.ours.flushes(ctx)
			if err != nil {
				return Report{}, err
			}
			submitted += r.PerSecond * (b.options.Warm + b.options.Counted).Seconds()
			flushed += (after - before) / 3
		}
	}
	report := Report{Absent: b.absent, PerFlush: submitted / max(flushed, 1)}
	for i, t := range b.targets {
		report.Compared = append(report.Compared, compare(t.name(), results[0], results[i]))
	}
	return report, nil
}

// turn loads one thing once.
func (b *Bench) turn(ctx context.Context, t target, count int) (Result, error) {
	clients, err := t.clients(ctx, count)
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	if err != nil {
		return Result{}, err
	}
	r := Load(ctx, clients, b.options.Bytes, b.options.Warm, b.options.Counted)
	if r.PerSecond == 0 {
		return r, fmt.Errorf("nothing was acknowledged, %d failed", r.Failed)
	}
	return r, ctx.Err()
}

func compare(name string, ours, theirs []Result) Comparison {
	c := Comparison{Name: name}
	var speeds, shares []float64
	var p50, p99 []time.Duration
	for i, r := range theirs {
		speeds, shares = append(speeds, r.PerSecond), append(shares, ours[i].PerSecond/r.PerSecond)
		p50, p99 = append(p50, r.P50), append(p99, r.P99)
		c.Failed += r.Failed
	}
	c.PerSecond, c.Share = median(speeds), median(shares)
	c.P50, c.P99 = median(p50), median(p99)
	return c
}

func median[T float64 | time.Duration](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}
