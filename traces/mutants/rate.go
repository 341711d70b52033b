package mutants

import (
	"context"
	"fmt"
	"path/filepath"
)

// Rate builds the simulators of a mutant with it and runs the seeds from 1 up, all of them, also
// those behind one that fails; none of them may fail without it. It says how many do, which is
// how likely it is that one seed finds the mutant.
//
// The verdict is Caught if at least one seed fails, and Survived if none does.
func (r *Runner) Rate(ctx context.Context, p Patch, seeds uint64) (Verdict, Seeds) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return Verdict{Outcome: Ended, Reason: context.Cause(ctx).Error()}, Seeds{}
	}
	defer func() { <-r.slots }()
	folder, overlay, err := r.prepare(p)
	if err != nil {
		return broken(ctx, err), Seeds{}
	}
	defer r.remove(folder)
	if err := r.huntsNothing(ctx, p.Simulators(), seeds); err != nil {
		return broken(ctx, fmt.Errorf("without the patch: %w", err)), Seeds{}
	}
	program := filepath.Join(folder, "seeds")
	built, err := r.build(ctx, target{folder: hunter}, program, overlay)
	if err != nil {
		return broken(ctx, err), Seeds{}
	}
	ran := r.start(ctx, huntMax, r.root, program, p.Simulators(), "1", fmt.Sprint(seeds), RateAll)
	v, found := judgeHunt(ctx, ran)
	v.CPU = built.cpu + ran.cpu
	return v, found
}

// RateAll asks the program that runs seeds to go on behind one that fails.
const RateAll = "all"
