package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The simulators.
const (
	// SimulatorCores is that of package impl/sim: real cores, whose disks keep what they say.
	SimulatorCores = "cores"
	// SimulatorNodes is that of package impl/sim/nodes: whole processes on disks that fail.
	SimulatorNodes = "nodes"
	// SimulatorWipes is that of cores, in groups of three and of five by turns, in which one replica
	// loses its disk in every run.
	SimulatorWipes = "wipes"
	// SimulatorRare is the same with what is rare: a disk that loses a part, slow checkpoints and
	// executions, questions for too much.
	SimulatorRare = "rare"
)

// simulators says which simulators run the code of a folder.
var simulators = []struct{ folder, names string }{
	{"impl/vsr/", SimulatorCores + "," + SimulatorRare + "," + SimulatorNodes},
	{"impl/wal/", SimulatorNodes},
	{"impl/superblock/", SimulatorNodes},
	{"impl/clienttable/", SimulatorNodes},
	{"impl/replica/", SimulatorNodes},
}

// rulesOfLostDisks are about replicas whose disk is new (R16), or whose log is in doubt (R15).
var rulesOfLostDisks = []string{"R15", "R16"}

// Simulators returns the simulators that may find the mutant, with commas between them; empty if
// none runs its code.
func (p Patch) Simulators() string {
	for _, c := range p.Changes {
		for _, s := range simulators {
			if strings.HasPrefix(c.File, s.folder) {
				lost := func(rule string) bool { return slices.Contains(rulesOfLostDisks, rule) }
				if s.folder == "impl/vsr/" && slices.ContainsFunc(p.Rules, lost) {
					return SimulatorWipes + "," + s.names
				}
				return s.names
			}
		}
	}
	return ""
}

// Seeds is what a range of seeds of a simulator came to.
type Seeds struct {
	// Ran is how many of them ran.
	Ran uint64 `json:"ran"`
	// Failed is how many of them failed, where all ran ([Runner.Rate]).
	Failed uint64 `json:"failed"`
	// Seed is the first one that failed, or after which something has not been seen; 0 if there is
	// none. Simulator is the one that it failed in.
	Seed      uint64 `json:"seed"`
	Simulator string `json:"simulator"`
	// Failure says how it failed, or what all together have not seen; empty if nothing is wrong.
	Failure string `json:"failure"`
}

// huntMax bounds the time of one hunt, the build left out.
const huntMax = 10 * time.Minute

// hunter is the program that is built with a mutant: a package of this tree.
const hunter = "./traces/mutants/seeds"

// Hunt builds the simulators of a mutant with it and runs seeds, from 1 up, until one fails; the
// same seeds must pass without it. It waits while [AtOnceMax] others are tried.
//
// The verdict is Caught if a seed fails, or if all together have not seen what they should, and
// Survived if not.
func (r *Runner) Hunt(ctx context.Context, p Patch, seeds uint64) (Verdict, Seeds) {
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
	ran := r.hunt(ctx, p.Simulators(), program, seeds)
	v, found := judgeHunt(ctx, ran)
	v.CPU = built.cpu + ran.cpu
	return v, found
}

func (r *Runner) hunt(ctx context.Context, names, program string, seeds uint64) result {
	return r.start(ctx, huntMax, r.root, program, names, "1", fmt.Sprint(seeds))
}

// judgeHunt says what a hunt has found.
func judgeHunt(ctx context.Context, ran result) (Verdict, Seeds) {
	var found Seeds
	switch err := json.Unmarshal([]byte(ran.output), &found); {
	case ctx.Err() != nil:
		return Verdict{Outcome: Ended, Reason: context.Cause(ctx).Error()}, Seeds{}
	case ran.late:
		return Verdict{
			Outcome: Ended, Reason: fmt.Sprintf("the seeds ran for %s without an end", ran.limit),
		}, Seeds{}
	case ran.err != nil:
		return Verdict{Outcome: Broken, Reason: ran.err.Error()}, Seeds{}
	case err != nil:
		return Verdict{
			Outcome: Broken, Output: ran.output,
			Reason: fmt.Sprintf("the seeds end with status %d, expected a report; they print %q",
				ran.status, lastLine(ran.output)),
		}, Seeds{}
	case found.Failure == "":
		return Verdict{
			Outcome: Survived, Reason: fmt.Sprintf("it survived %d seeds", found.Ran),
		}, found
	}
	return Verdict{Outcome: Caught}, found
}

// huntsNothing says which of the seeds fails on the tree as it is. They are run once.
func (r *Runner) huntsNothing(ctx context.Context, names string, seeds uint64) error {
	b, p := r.onceFor(hunter, fmt.Sprintf("%s %d", names, seeds))
	p.once.Do(func() {
		b.once.Do(func() { _, b.err = r.build(ctx, target{folder: hunter}, b.path, "") })
		if p.err = b.err; p.err != nil {
			return
		}
		v, found := judgeHunt(ctx, r.hunt(ctx, names, b.path, seeds))
		switch v.Outcome {
		case Survived:
		case Caught:
			p.err = fmt.Errorf("seed %d of %s fails: %s", found.Seed, found.Simulator,
				found.Failure)
		case Elsewhere, Broken, Ended:
			p.err = fmt.Errorf("run seeds: %s", v.Reason)
		}
	})
	return p.err
}
