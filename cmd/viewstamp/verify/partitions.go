package verify

import (
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
	return walksJob("partitions/walks", walks, comparePartitions)
}

func comparePartitions() comparison {
	var sum partitions.Counts
	bounds := partitions.Large()
	return comparison{
		bounds: len(bounds),
		follow: func(bound int, seed uint64) error {
			counts, err := partitions.FollowWalk(bounds[bound], wal.RecoverVerified, seed)
			sum.Add(counts)
			return err
		},
		defect: "a recovery that cuts to the frontier",
		defective: func(bound int, seed uint64) error {
			_, err := partitions.FollowWalk(bounds[bound], wal.RecoverToFrontier, seed)
			return err
		},
		counted: func(f Figures) string {
			f[FigureSteps], f[FigureRecoveries] = float64(sum.Steps), float64(sum.Boots)
			f[FigureReads], f[FigureTorn] = float64(sum.Reads), float64(sum.Torn)
			if sum.Boots == 0 || sum.Torn == 0 {
				return "boots and torn batches"
			}
			return ""
		},
	}
}
