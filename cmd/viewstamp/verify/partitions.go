package verify

import (
	"context"

	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/traces/partitions"
)

// Keys of Check.Figures of the partitions' job.
const (
	FigureReads = "reads"
	FigureTorn  = "torn"
)

// Partitions is the job that drives write-ahead logs along random walks of the model of
// PartitionLog.tla, so many at each bound: kills and power losses of one replica, a quorum, all.
// A recovery that cuts to the frontier, seed 003, must be found.
func Partitions(walks uint64) Job {
	job := Job{Name: "partitions/walks", Engine: EngineReplay, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		err := c.followPartitions(ctx, walks)
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

func (c *Check) followPartitions(ctx context.Context, walks uint64) error {
	var sum partitions.Counts
	rejected := 0
	for _, b := range partitions.Large() {
		for seed := range walks {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			counts, err := partitions.FollowWalk(b, wal.RecoverVerified, seed)
			if err != nil {
				return err
			}
			sum.Add(counts)
			c.Figures[FigureWalks]++
			if seed > 0 && rejected > 0 {
				continue // One that is found will do.
			}
			if _, err := partitions.FollowWalk(b, wal.RecoverToFrontier, seed); err != nil {
				rejected++
			}
		}
	}
	c.Figures[FigureSteps], c.Figures[FigureRecoveries] = float64(sum.Steps), float64(sum.Boots)
	c.Figures[FigureReads], c.Figures[FigureTorn] = float64(sum.Reads), float64(sum.Torn)
	c.Figures[FigureRejected] = float64(rejected)
	switch {
	case sum.Boots == 0 || sum.Torn == 0:
		c.failVacuous("boots and torn batches")
	case rejected == 0:
		c.fail("a recovery that cuts to the frontier was found by no walk")
	}
	return nil
}
