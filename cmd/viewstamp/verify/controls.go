package verify

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/impl/vsr"
	lin "github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/replay"
)

// The kinds of mutation of a recorded trace.
var mutators = []struct {
	name   string
	mutate mutator
}{
	{"field", changeField}, {"argument", changeArgument}, {"drop", dropEvent}, {"swap", swapEvents},
}

// Controls are the jobs that show that the checks can fail: recorded traces, traces of
// the model and histories are made wrong on purpose, and cores get defects.
func Controls(recorded, mutationsEach int, defectSeeds uint64) []Job {
	var jobs []Job
	for _, m := range mutators {
		jobs = append(jobs, controlRecorded(m.name, m.mutate, recorded, mutationsEach))
	}
	return append(jobs,
		controlCheckpoints(checkpointChanges, mutationsEach), controlReplay(), controlHistories(),
		controlDefects(defectSeeds))
}

func controlJob(name, engine string) Job {
	return Job{Name: "controls/" + name, Engine: engine, Reproduce: "viewstamp verify"}
}

// controlRecorded makes one kind of mutation at several places of each of some recorded
// traces. Each must be rejected, at the right line.
func controlRecorded(name string, mutate mutator, recorded, each int) Job {
	job := controlJob(name, EngineConform)
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		var err error
		for seed := uint64(1); seed <= uint64(recorded) && c.Status == "" && err == nil; seed++ {
			t, _, recordErr := Record(recordOptions(seed))
			if recordErr != nil {
				c.fail("record a run of seed %d: %v", seed, recordErr)
				break
			}
			c.Figures[FigureTraces]++
			controlTrace(&c, t, mutate, rand.New(rand.NewPCG(seed, uint64(len(name)))), each)
			err = ctx.Err()
		}
		switch {
		case c.Status == Failed:
		case c.Figures[FigureRejected] == 0:
			c.failVacuous("trace that could be made wrong")
		default:
			c.Status = Passed
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// controlTrace mutates one trace at random places, until each mutations were made or
// no place was found ten times as often.
func controlTrace(c *Check, t *traces.Trace, mutate mutator, random *rand.Rand, each int) {
	if report, err := conform.Trace(t); err != nil || !report.Passed() {
		return // That is for the check of recorded traces to say.
	}
	made := 0
	for tries := 0; made < each && tries < 10*each; tries++ {
		m, certain := mutate(t, random.IntN(len(t.Events)), random)
		if !certain {
			c.Figures[FigureEquivalent]++
			continue
		}
		made++
		if reason := rejected(m); reason != "" {
			c.fail("recorded run of seed %d, line %d, %s: %s", t.Header.Seed, m.first, m.what, reason)
			c.Detail = c.Reason + "\n"
			return
		}
		c.Figures[FigureRejected]++
	}
}

// rejected returns nothing if the model rejects a mutation at the right line, else what
// it did.
func rejected(m mutation) string {
	report, err := conform.Trace(m.trace)
	switch {
	case err != nil:
		return err.Error()
	case report.Mismatch == nil:
		return "accepted, expected a rejection"
	case report.Mismatch.Line < m.first || report.Mismatch.Line > m.last:
		return fmt.Sprintf("rejected at line %d, expected %d to %d",
			report.Mismatch.Line, m.first, m.last)
	}
	return ""
}

// controlReplay changes one field in each of some traces of the model: real cores must
// refuse that very step.
func controlReplay() Job {
	job := controlJob("replay", EngineReplay)
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		cfg, err := spec.Lookup("ci-111")
		if err == nil {
			err = EachWalk(cfg, 1, 2*len(fields), func(t *traces.Trace) error {
				controlWalk(&c, t)
				return ctx.Err()
			})
		}
		switch {
		case c.Status == Failed:
		case c.Figures[FigureRefused] == 0:
			c.failVacuous("trace that could be made wrong")
		default:
			c.Status = Passed
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

func controlWalk(c *Check, t *traces.Trace) {
	random := rand.New(rand.NewPCG(t.Header.Seed, 1))
	report, err := replay.Trace(t)
	if err != nil || !report.Passed {
		return // That is for the replay of walks to say.
	}
	m, _ := changeField(t, random.IntN(len(t.Events)), random)
	if m.trace == nil {
		return
	}
	c.Figures[FigureTraces]++
	report, err = replay.Trace(m.trace)
	switch {
	case err != nil:
		c.fail("walk of seed %d: %v", t.Header.Seed, err)
	case report.Refusal == nil || report.Refusal.Line != m.first:
		c.fail("walk of seed %d, line %d, %s: not refused there", t.Header.Seed, m.first, m.what)
	default:
		c.Figures[FigureRefused]++
	}
}

// controlHistories checks histories with each of the violations that can be planted.
func controlHistories() Job {
	job := controlJob("histories", EngineLin)
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		for _, plant := range lin.Plants() {
			if plant == lin.PlantNone {
				continue
			}
			for seed := uint64(1); seed <= plantedEach; seed++ {
				checkGenerated(ctx, &c, generatedOptions(seed, plant))
			}
		}
		c.Figures[FigureRejected] = c.Figures[FigureHistories]
		return []Check{interrupted(ctx, c, ctx.Err())}
	}
	return job
}

// plantedEach is how many histories the control makes for each kind of violation.
const plantedEach = 20

// controlDefects runs simulated cores with each defect, seed after seed, until the run
// fails or its trace is rejected by the model.
func controlDefects(seedsMax uint64) Job {
	job := controlJob("defects", EngineSim)
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		names, err := DefectNames()
		if err != nil || len(names) == 0 {
			c.fail("no defects of the core to try, expected some: %v", err)
			return []Check{c}
		}
		c.Figures[check.FigureMutants] = float64(len(names))
		for _, name := range names {
			if ctx.Err() != nil {
				break
			}
			by, err := catchDefect(&c, name, seedsMax)
			switch {
			case err != nil:
				c.fail("core with defect %s: %v", name, err)
			case by == "":
				c.fail("core with defect %s: not noticed in %d seeds", name, seedsMax)
			default:
				c.Figures[check.FigureMutantsCaught]++
				c.Detail += fmt.Sprintf("%-20s %s\n", name, by)
			}
		}
		return []Check{interrupted(ctx, c, ctx.Err())}
	}
	return job
}

// DefectNames lists the mutants of the spec that a core can be run with.
func DefectNames() ([]string, error) {
	mutants, err := spec.Mutants("VSR")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range mutants {
		if _, err := vsr.ParseDefect(m.Name); err == nil {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

// catchDefect returns what noticed a defect first, empty if nothing did.
func catchDefect(c *Check, name string, seedsMax uint64) (by string, err error) {
	defect, err := vsr.ParseDefect(name)
	if err != nil {
		return "", err
	}
	for seed := uint64(1); seed <= seedsMax; seed++ {
		options := recordOptions(seed)
		options.Defects = defect
		t, result, err := Record(options)
		if err != nil {
			return "", err
		}
		c.Figures[FigureSeeds]++
		c.Figures[FigureTicks] += float64(result.Ticks)
		if !result.Passed {
			return fmt.Sprintf("seed %d: the run fails: %s", seed, result.Failure), nil
		}
		report, err := conform.Trace(t)
		if err != nil {
			return "", err
		}
		if report.Mismatch != nil {
			return fmt.Sprintf("seed %d: the model rejects event %d", seed, report.Mismatch.Step), nil
		}
	}
	return "", nil
}
