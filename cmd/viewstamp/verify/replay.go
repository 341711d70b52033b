package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/replay"
)

// ReplayTrace drives real cores through one trace of the model. A trace that no core
// can be asked to follow is skipped: one with upstream's two commit drivers, or with a
// log view that becomes durable later than the log (LazyLogView). A mutant's trace must
// be refused at the very step at which it breaks the rule.
//
// Errors: a trace that cannot be replayed at all.
func ReplayTrace(t *traces.Trace) (Check, error) {
	c := Check{
		Name: traceName("replay", t), Engine: EngineReplay, Status: Passed,
		Reproduce: "viewstamp trace replay " + t.Path, Figures: Figures{FigureTraces: 1},
	}
	report, err := replay.Trace(t)
	if err != nil {
		return Check{}, err
	}
	if reason := notForCores(t); reason != "" {
		c.Status, c.Reason = Skipped, reason
		return c, nil
	}
	c.Figures[FigureEvents] = float64(report.Events)
	refusedAt := t.Header.RefusedAt
	switch {
	case !report.Passed:
		c.fail("%s", report.Reason)
	case report.Refusal == nil:
		c.Figures[FigureFollowed] = 1
	case report.Refusal.Step != refusedAt:
		c.fail("refused before the step %d that breaks the rule: %s", refusedAt, report.Refusal.Text)
	default:
		c.Figures[FigureRefused] = 1
	}
	if c.Status == Failed && report.Refusal != nil {
		c.Detail = report.Refusal.Divergence
	}
	return c, nil
}

// notForCores says why no core can be asked to follow a trace, empty if one can.
func notForCores(t *traces.Trace) string {
	if t.Header.CommitDrivers == traces.CommitDriversWalkAndPipeline {
		return "made with upstream's two commit drivers; a core has one commit walk (R5)"
	}
	for _, e := range t.Events {
		if e.After.LogViewDurable < e.After.LogView {
			return fmt.Sprintf("made with a log view that becomes durable after its log "+
				"(step %d); a core makes both durable together (R2)", e.Step)
		}
	}
	return ""
}

// traceName names a trace by its file, or by what it is if it has none.
func traceName(prefix string, t *traces.Trace) string {
	if t.Path == "" {
		return prefix + "/trace"
	}
	return nameOf(prefix, t.Path)
}

// tally sums up the checks of many traces.
type tally struct {
	figures  Figures
	statuses map[Status]int
	bad      []string // The first reasons of those that failed.
}

const reasonsMax = 20

func newTally() *tally {
	return &tally{figures: Figures{}, statuses: make(map[Status]int)}
}

// add counts one more check. What was skipped counts for nothing else.
func (t *tally) add(c Check) {
	t.statuses[c.Status]++
	if c.Status == Skipped {
		return
	}
	for key, value := range c.Figures {
		t.figures[key] += value
	}
	if c.Status != Passed && len(t.bad) < reasonsMax {
		t.bad = append(t.bad, c.Name+": "+c.Reason)
	}
}

// into writes the sum into a check: what kind of thing was counted is for the reason.
func (t *tally) into(c *Check, kind string) {
	for key, value := range t.figures {
		c.Figures[key] += value
	}
	passed, failed := t.statuses[Passed], t.statuses[Failed]
	switch {
	case failed > 0:
		c.fail("%d of %d %s failed; %s", failed, failed+passed, kind, t.bad[0])
		for _, bad := range t.bad {
			c.Detail += bad + "\n"
		}
	case passed == 0:
		c.failVacuous(kind)
	default:
		c.Status = Passed
	}
}

// replayed adds the replay of one generated trace, named by what it is.
func (t *tally) replayed(trace *traces.Trace, name string) {
	c, err := ReplayTrace(trace)
	if err != nil {
		c = Errored(name, EngineReplay, "", err)
	}
	c.Name = name
	t.add(c)
}

func replayJob(name, reproduce string) Job {
	return Job{Name: "replay/" + name, Engine: EngineReplay, Reproduce: reproduce}
}

// ReplayEdges is the job that replays traces which together take every edge of the
// state graph of a cfg, or every stride-th of them.
func ReplayEdges(cfg spec.Cfg, stride int) Job {
	job := replayJob("edges-"+cfg.Name, genAndReplay(cfg.Name, "edges"))
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		sum, number := newTally(), 0
		err := EachEdgeTrace(ctx, cfg, func(t *traces.Trace) error {
			if number%stride == 0 {
				sum.replayed(t, fmt.Sprintf("trace %d", number+1))
			}
			number++
			return ctx.Err()
		})
		sum.into(&c, "traces")
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// ReplayWalks is the job that replays random walks in the shape of a cfg.
func ReplayWalks(cfg spec.Cfg, count int) Job {
	job := replayJob("walks", genAndReplay(cfg.Name, fmt.Sprintf("walks --count %d", count)))
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		sum := newTally()
		err := EachWalk(cfg, 1, count, func(t *traces.Trace) error {
			sum.replayed(t, fmt.Sprintf("walk of seed %d", t.Header.Seed))
			return ctx.Err()
		})
		sum.into(&c, "traces")
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// ReplayGoals is the job that replays walks in the shape of a cfg that end where they reach
// a goal: so many for each.
func ReplayGoals(cfg spec.Cfg, each int) Job {
	job := replayJob("goals", genAndReplay(cfg.Name, fmt.Sprintf("goals --count %d", each)))
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		sum := newTally()
		err := EachGoalWalk(cfg, nil, 1, each, nil, func(goal string, t *traces.Trace) error {
			sum.replayed(t, fmt.Sprintf("%s, walk of seed %d", goal, t.Header.Seed))
			return ctx.Err()
		})
		sum.into(&c, "traces")
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// ReplayMutants is the section that replays the counterexamples which the Go jobs of
// models have found: real cores must refuse each where the mutant breaks its rule. It
// must come after those jobs.
func ReplayMutants(models *Models, cfgs []spec.Cfg) Section {
	return Section{Finish: func(ctx context.Context, _ []Check) []Check {
		c := replayJob("mutants", genAndReplay("ci-111", "mutants")).empty()
		sum := newTally()
		for _, cfg := range cfgs {
			found := models.Counterexample(cfg.Name)
			if found == nil || found.VSR == nil {
				continue // Not caught: that check has failed already.
			}
			t, err := CounterexampleTrace(found)
			if err != nil {
				sum.add(Errored(cfg.Name, EngineReplay, "", err))
				continue
			}
			sum.replayed(t, cfg.Name)
			if sum.statuses[Failed] == 1 {
				c.Reproduce = genAndReplay(cfg.Name, "mutants")
			}
		}
		sum.into(&c, "counterexamples")
		return []Check{interrupted(ctx, c, ctx.Err())}
	}}
}

// genAndReplay is the command that generates traces of a cfg and replays them.
func genAndReplay(cfg, cover string) string {
	return fmt.Sprintf("viewstamp trace gen --cfg %s --cover %s --out out && "+
		"viewstamp trace replay out", cfg, cover)
}

// interrupted is the check as it stands, or undecided if the context ended it before
// anything had failed, or failed if an error did.
func interrupted(ctx context.Context, c Check, err error) Check {
	switch {
	case err == nil || c.Status == Failed && !c.vacuous:
	case ctx.Err() != nil:
		c.Status = Undecided
		c.Reason = OneLine(fmt.Sprintf("ended before the end: %v", context.Cause(ctx)))
	default:
		c.fail("%v", err)
	}
	return c
}
