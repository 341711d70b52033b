package verify

import "context"

// comparison drives production code along random walks of its model, at bounds that no search
// reaches, and compares the two after every step. The negative control is the same code with a
// defect, which must be found.
type comparison struct {
	bounds int // how many there are, by number
	// follow follows one walk and counts it; defective follows it with the defect.
	follow, defective func(bound int, seed uint64) error
	defect            string // in words
	// counted puts what was counted into the figures, and names what there should have been but
	// was not; empty if nothing is missing.
	counted func(figures Figures) string
}

// walksJob is the job of a comparison, made anew for each run, with so many walks at each bound.
func walksJob(name string, walks uint64, begin func() comparison) Job {
	job := Job{Name: name, Engine: EngineReplay, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		of := begin()
		err := c.followWalks(ctx, walks, &of)
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

func (c *Check) followWalks(ctx context.Context, walks uint64, of *comparison) error {
	found := 0
	for bound := range of.bounds {
		for seed := range walks {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := of.follow(bound, seed); err != nil {
				return err
			}
			c.Figures[FigureWalks]++
			if seed > 0 && found > 0 {
				continue // One that is found will do.
			}
			if of.defective(bound, seed) != nil {
				found++
			}
		}
	}
	missing := of.counted(c.Figures)
	c.Figures[FigureRejected] = float64(found)
	switch {
	case missing != "":
		c.failVacuous(missing)
	case found == 0:
		c.fail("%s was found by no walk", of.defect)
	}
	return nil
}
