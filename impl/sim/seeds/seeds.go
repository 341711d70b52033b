package seeds

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// finished is the outcome of a seed.
type finished[R any] struct {
	result R
	err    error
}

// InOrder runs total seeds from the first on all cores and yields the results in the order of
// the seeds, until ctx ends or the consumer does. Seeds that have begun come to their end.
func InOrder[R any](
	ctx context.Context, first, total uint64, run func(seed uint64) (R, error),
) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		// One channel for each seed keeps the order; the queue of channels bounds how far
		// ahead the workers are.
		workers := runtime.GOMAXPROCS(0)
		queue := make(chan chan finished[R], 2*workers)
		work := make(chan func())
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for do := range work {
					do()
				}
			})
		}
		group.Go(func() {
			defer close(queue)
			defer close(work)
			for i := range total {
				done := make(chan finished[R], 1)
				if ctx.Err() != nil {
					return
				}
				select {
				case <-ctx.Done():
					return
				case queue <- done:
				}
				work <- func() {
					result, err := run(first + i)
					done <- finished[R]{result, err}
				}
			}
		})
		defer group.Wait()
		defer cancel()
		for done := range queue {
			if f := <-done; !yield(f.result, f.err) {
				cancel()
				for range queue { // what is left comes to its end by itself
				}
				return
			}
		}
	}
}
