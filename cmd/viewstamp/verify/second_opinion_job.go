package verify

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/conform/tlcbatch"
)

// OpinionSizes say how many traces TLC judges a second time. The question is whether the two
// verdicts are equal, so many short traces say more than a few long ones.
type OpinionSizes struct {
	// Recorded and Walks are the numbers of recorded runs and of walks of the model,
	// EventsMax where a recorded run is cut off.
	Recorded  uint64
	Walks     int
	EventsMax int
	// ControlsEach is how often each kind of control is made of a recorded run.
	ControlsEach int
}

// opinions are the traces of one run of TLC and what the Go model says of them.
type opinions struct {
	all     []*traces.Trace
	reports []conform.Report
	// names say which trace it is, kinds which control: "" for a trace as it was made.
	names, kinds []string
}

func (o *opinions) add(name, kind string, t *traces.Trace) error {
	report, err := conform.Trace(t)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	o.all, o.reports = append(o.all, t), append(o.reports, report)
	o.names, o.kinds = append(o.names, name), append(o.kinds, kind)
	return nil
}

// SecondOpinion is the job that has TLC judge what the Go model has judged: traces as they
// were made, which both must accept, and traces made wrong, which both must reject at the same
// line. One run of TLC does both.
func SecondOpinion(sizes OpinionSizes, box Toolbox) Job {
	job := Job{
		Name: "conform/tlc", Engine: EngineTLC, Reproduce: "viewstamp verify", Cost: 10,
	}
	job.Run = func(ctx context.Context) []Check {
		made, controls := job.empty(), job.empty()
		controls.Name = "controls/tlc"
		if box.tools == nil {
			for _, c := range []*Check{&made, &controls} {
				c.Status, c.Reason = box.status, box.reason
			}
			return []Check{made, controls}
		}
		o, err := gatherOpinions(sizes)
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		result, err := tlcbatch.Check(ctx, box.tools, o.all)
		switch {
		case ctx.Err() != nil:
			return []Check{
				Interrupted(ctx, made.Name, made.Engine, made.Reproduce),
				Interrupted(ctx, controls.Name, controls.Engine, controls.Reproduce),
			}
		case err != nil:
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		o.compare(result.Verdicts, &made, &controls)
		return []Check{made, controls}
	}
	return job
}

// gatherOpinions makes the traces.
func gatherOpinions(sizes OpinionSizes) (*opinions, error) {
	o := &opinions{}
	for seed := uint64(1); seed <= sizes.Recorded; seed++ {
		t, _, err := Record(recordOptions(seed))
		if err != nil {
			return nil, err
		}
		t.Events = t.Events[:min(len(t.Events), sizes.EventsMax)]
		name := fmt.Sprintf("run of seed %d", seed)
		if err := o.add(name, "", t); err != nil {
			return nil, err
		}
		for _, m := range mutators {
			random := rand.New(rand.NewPCG(seed, uint64(len(m.name))))
			if err := o.addControls(name, m.name, t, m.mutate, random, sizes.ControlsEach); err != nil {
				return nil, err
			}
		}
	}
	cfg, err := spec.Lookup("ci-111")
	if err != nil {
		return nil, err
	}
	err = EachWalk(cfg, 1, sizes.Walks, func(t *traces.Trace) error {
		return o.add(fmt.Sprintf("walk of seed %d", t.Header.Seed), "", t)
	})
	return o, err
}

// addControls makes a trace wrong in one way, at random places.
func (o *opinions) addControls(
	name, kind string, t *traces.Trace, mutate mutator, random *rand.Rand, each int,
) error {
	made := 0
	for tries := 0; made < each && tries < 10*each; tries++ {
		m, certain := mutate(t, random.IntN(len(t.Events)), random)
		if !certain {
			continue
		}
		made++
		what := fmt.Sprintf("%s, line %d, %s", name, m.first, m.what)
		if err := o.add(what, kind, m.trace); err != nil {
			return err
		}
	}
	return nil
}

// compare holds TLC's verdicts against those of the Go model: of the traces as they were made,
// and of the controls.
func (o *opinions) compare(verdicts []tlcbatch.Verdict, made, controls *Check) {
	made.Status, controls.Status = Passed, Passed
	rejected := map[string]int{}
	for i, v := range verdicts {
		c, control := made, o.kinds[i] != ""
		if control {
			c = controls
		}
		c.Figures[FigureTraces]++
		c.Figures[FigureEvents] += float64(v.Events)
		switch reason := differ(o.reports[i], v); {
		case reason != "":
			c.fail("%s: the verdicts differ: %s", o.names[i], reason)
		case !control && !v.Accepted():
			c.fail("%s: rejected at line %d, expected to be accepted", o.names[i], v.Line)
		case control && v.Accepted():
			c.fail("%s: accepted, expected a rejection", o.names[i])
		case control:
			rejected[o.kinds[i]]++
			c.Figures[FigureRejected]++
		}
	}
	if made.Figures[FigureTraces] == 0 {
		made.failVacuous("trace")
	}
	for _, m := range mutators {
		if rejected[m.name] == 0 && controls.Status == Passed {
			controls.failVacuous(m.name + " control")
		}
	}
}
