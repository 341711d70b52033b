package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

// notOfTheDisk are the mutants whose defect is a promise that the replica makes, or a record that
// it hands over: the disk does what it is told. Or it is about checkpoints, or about a disk without
// Twin or Mirror, or about a full ring.
var notOfTheDisk = map[model.Bug]bool{
	"ack_before_flush": true, "ack_by_old_body": true, "cut_forgets_doubt": true,
	"nack_after_torn": true, "superblock_any_valid": true, "full_overwrites": true,
	"snapshot_ahead_of_log": true, "pairing_before_snapshot": true,
	"release_before_pairing": true, "release_under_adoption": true,
	"release_drops_adoption": true, "release_keeps_index": true,
}

// A defect of the model's disk or boot is told apart from the production code.
func TestEveryMutantOfTheDiskIsToldApart(t *testing.T) {
	t.Parallel()
	const walks = 400
	for _, bug := range model.JournalBugs() {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range storage.Large() {
					c := b.Config
					c.Bugs = []model.Bug{bug}
					machine, err := storage.NewMachine(c, storage.Production())
					require.NoError(t, err)
					err = machine.Follow(storage.Walk(c, seed))
					if notOfTheDisk[bug] {
						require.NoError(t, err)
					} else if err != nil {
						t.Log(err)
						return
					}
				}
				if notOfTheDisk[bug] && seed == walks/40 {
					return
				}
			}
			assert.Fail(t, "the mutant was followed")
		})
	}
}
