package verify

import (
	"context"

	lin "github.com/viewstamp/viewstamp/linearizability"
)

// longOperations is the size of a long history.
const longOperations = 100_000

// LongHistories is the job that checks histories of 64 clients that no search decides:
// registers by their zones and partitions by the sweep, with nothing planted and with
// each violation that the generator can plant.
func LongHistories() Job {
	job := Job{Name: "lin/long", Engine: EngineLin, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		for seed, model := range []lin.Model{lin.Register, lin.Partition} {
			for _, plant := range append([]lin.Plant{lin.PlantNone}, lin.PlantsOf(model)...) {
				if ctx.Err() != nil {
					break
				}
				if plant != lin.PlantNone {
					c.Figures["planted"]++
				}
				checkGenerated(ctx, &c, lin.GenerateOptions{
					Seed: uint64(seed), Model: model, Operations: longOperations, Clients: 64,
					Keys: 1, UnknownShare: 0.01, PlainWrites: true, Plant: plant,
				})
			}
		}
		if c.Status == "" {
			c.failVacuous("histories")
		}
		return []Check{interrupted(ctx, c, ctx.Err())}
	}
	return job
}
