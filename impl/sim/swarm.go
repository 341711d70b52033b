package sim

import (
	"context"
	"errors"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

// Swarm runs the seeds from and to and all between with the same options, on all cores, and
// sums up; see [seeds.Sum].
//
// Errors: options out of range, a trace or history (several runs cannot share one).
func Swarm(
	ctx context.Context, from, to uint64, options Options, progress func(seeds.Progress),
) (*seeds.Swarm, error) {
	if options.Trace != nil || options.History != nil {
		return nil, errors.New("run swarm: trace or history: expected none, runs would share it")
	}
	run := func(seed uint64) (seeds.Outcome, error) {
		options := options
		options.Seed = seed
		result, err := Run(options)
		if err != nil {
			return seeds.Outcome{}, err
		}
		return result.Outcome(), nil
	}
	return seeds.Sum(ctx, from, to, NewCoverage(), run, progress)
}
