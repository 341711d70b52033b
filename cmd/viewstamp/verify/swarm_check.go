package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

// swarmJob completes the job of a swarm. With coverage it has a second check, under a name of its
// own: that the range as a whole has seen everything that it should see.
func swarmJob(
	job Job, covered string, coverage bool, run func(ctx context.Context) (*seeds.Swarm, error),
) Job {
	job.Run = func(ctx context.Context) []Check {
		swarm, err := run(ctx)
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		checks := []Check{swarmCheck(ctx, job, swarm)}
		if coverage {
			checks = append(checks, coverageCheck(job, covered, swarm))
		}
		return checks
	}
	return job
}

// swarmCheck says whether all seeds passed. The detail is what they have seen, or which failed.
func swarmCheck(ctx context.Context, job Job, s *seeds.Swarm) Check {
	c := job.empty()
	c.Status, c.Detail = Passed, s.Coverage.String()
	c.Figures = Figures{FigureSeeds: float64(s.Seeds)}
	for name, n := range s.Figures {
		c.Figures[name] = float64(n)
	}
	switch {
	case !s.Passed():
		first := s.Failures[0]
		c.fail("%d of %d seeds failed; seed %d: %s", len(s.Failures), s.Seeds, first.Seed,
			first.Failure)
		c.Reproduce, c.Detail = first.Reproduce, ""
		for _, failed := range s.Failures {
			c.Detail += fmt.Sprintf("seed %d: %s\n  %s\n  chosen: %s\n", failed.Seed,
				failed.Failure, failed.Reproduce, strings.Join(failed.Chosen, " "))
		}
	case len(s.Undecided) > 0:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("the histories of %d seeds could not be decided, such as that of %d",
			len(s.Undecided), s.Undecided[0])
	case !s.Complete():
		c.Status = Undecided
		c.Reason = OneLine(fmt.Sprintf("%d of %d seeds ran: %v", s.Seeds, s.To-s.From+1,
			context.Cause(ctx)))
	}
	return c
}

// coverageCheck says whether the seeds have seen all that they should.
func coverageCheck(job Job, name string, s *seeds.Swarm) Check {
	c := job.empty()
	c.Name, c.Status = name, Passed
	missing, expected := s.Coverage.Missing(), s.Coverage.Expected()
	c.Figures["covered"], c.Figures["expected"] = float64(expected-len(missing)), float64(expected)
	switch {
	case !s.Complete() && len(missing) > 0:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("%d of %d seeds ran, which have not seen: %s", s.Seeds,
			s.To-s.From+1, strings.Join(missing, ", "))
	case len(missing) > 0:
		c.fail("never seen in %d seeds: %s", s.Seeds, strings.Join(missing, ", "))
	}
	return c
}
