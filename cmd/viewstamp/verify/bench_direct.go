package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/multierr"
)

// BenchDirect is the job that asks what writing past the page cache gains, as the log does with
// batches that are flushed next (storage.WriteAround): a bare loop
// that does (O_DIRECT) alternates with one through the cache, both with so many bytes a write,
// aligned alike, and a flush behind each. It judges nothing, and measures nothing where the file
// system knows no such writes (figure known: 0).
func BenchDirect(below string, bytes int) Job {
	return benchJob(fmt.Sprintf("bench/direct-%d", bytes), func(
		ctx context.Context,
	) (Figures, error) {
		return benchDirect(ctx, below, bytes)
	})
}

func benchDirect(ctx context.Context, below string, bytes int) (_ Figures, err error) {
	disk, root, remove, err := benchDirectory(below)
	if err != nil {
		return nil, err
	}
	defer func() { err = multierr.Append(err, remove()) }()
	direct, err := newDirectLoop(root, bytes)
	if err != nil {
		return nil, err
	}
	if direct == nil {
		return Figures{"known": 0}, nil
	}
	defer multierr.AppendInvoke(&err, multierr.Close(direct))
	bare, err := newBareLoop(disk, bytes)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(bare))
	var cached, past []time.Duration
	var gains []float64
	for i := range walAppends {
		c, cachedErr := bare.flush()
		d, pastErr := direct.flush()
		if err := errors.Join(cachedErr, pastErr, ctx.Err()); err != nil {
			return nil, err
		}
		cached, past = append(cached, c), append(past, d)
		if round := walAppends / walRounds; (i+1)%round == 0 {
			gains = append(gains, float64(median(cached[len(cached)-round:]))/
				float64(median(past[len(past)-round:])))
		}
	}
	return Figures{
		"known": 1, "direct_us_p50": micros(median(past)), "bare_us_p50": micros(median(cached)),
		"speed_of_bare": middle(gains),
	}, nil
}
