package partitions_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wal"
	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/partitions"
)

func TestTheLogsFollowEdgesOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, b := range partitions.Graphs() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			sum, err := partitions.FollowEdges(context.Background(), b, wal.RecoverVerified, 11)
			require.NoError(t, err)
			t.Logf("%+v", sum)
			assert.Positive(t, sum.Reads)
			assert.Positive(t, sum.Torn)
			assert.Positive(t, sum.Doubts)
		})
	}
}

func TestTheLogsFollowRandomWalks(t *testing.T) {
	t.Parallel()
	const walks = 50
	for _, b := range partitions.Large() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum partitions.Counts
			for seed := range uint64(walks) {
				counts, err := partitions.FollowWalk(b, wal.RecoverVerified, seed)
				require.NoError(t, err)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Boots, walks)
			assert.Greater(t, sum.Torn, walks/10)
			assert.Greater(t, sum.Doubts, walks/10)
		})
	}
}

// A log with a defect is found: seed 003.
func TestARecoveryThatCutsToTheFrontierIsFound(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		for _, b := range partitions.Large() {
			if _, err := partitions.FollowWalk(b, wal.RecoverToFrontier, seed); err != nil {
				var mismatch *partitions.Mismatch
				require.ErrorAs(t, err, &mismatch)
				assert.Contains(t, mismatch.What, "the log of the")
				t.Log(err)
				return
			}
		}
	}
	assert.Fail(t, "the defect was not found")
}

// notOfTheDisk are the mutants whose defect is a vote or a promise: the logs do as they are told.
var notOfTheDisk = map[model.Bug]bool{
	model.FirstNotLongest: true, model.OneSurvivorIsEnough: true, model.NackAfterRestart: true,
	model.AcknowledgedInMemory: true, model.PolicyOfFirstRecord: true,
}

// A defect of the model's disk or recovery is told apart from the logs that run.
func TestEveryMutantOfTheDiskIsToldApart(t *testing.T) {
	t.Parallel()
	const walks = 200
	for _, bug := range model.Bugs() {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range partitions.Large() {
					b.Config.Bugs = []model.Bug{bug}
					_, err := partitions.FollowWalk(b, wal.RecoverVerified, seed)
					if notOfTheDisk[bug] {
						require.NoError(t, err)
					} else if err != nil {
						t.Log(err)
						return
					}
				}
				if notOfTheDisk[bug] && seed == walks/20 {
					return
				}
			}
			assert.Fail(t, "the mutant was followed")
		})
	}
}
