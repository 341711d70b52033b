package verify

import (
	"context"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
)

// Bench is the job that compares the speeds of the Go model and of TLC at a cfg. It
// needs the machine to itself: run such jobs one at a time.
func (m *Models) Bench(cfg spec.Cfg) Job {
	job := m.job(cfg, EngineTLC)
	job.Name = "bench/" + cfg.Name
	job.Reproduce = "viewstamp bench check --cfg " + cfg.Name
	job.Run = func(ctx context.Context) []Check {
		if m.TLC.tools == nil {
			c := m.TLC.without(job.Name, cfg)
			c.Reproduce = job.Reproduce
			return []Check{c}
		}
		o, err := check.Bench(ctx, m.TLC.tools, cfg, m.options())
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{job.check(o)}
	}
	return job
}
