package storage_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

func TestTheModelExplainsRecordingsOfSeveralGroups(t *testing.T) {
	t.Parallel()
	const seeds = 400
	for _, b := range storage.GroupsRecordingBounds() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			var explained storage.Explained
			for seed := range uint64(seeds) {
				r, counts, err := storage.NewGroupsRecording(
					b.Config, storage.ProductionGroups, seed, boots)
				require.NoError(t, err, "seed %d", seed)
				done, err := storage.ExplainGroups(b.Config, r)
				require.NoError(t, err, "seed %d", seed)
				sum.Add(counts)
				explained.Add(done)
			}
			t.Logf("%+v %+v", sum, explained)
			assert.Greater(t, sum.Snapshots, seeds)
			assert.Greater(t, sum.Releases, seeds)
			assert.Greater(t, sum.Moves, seeds/10)
			assert.Greater(t, sum.Doubts, seeds/10)
		})
	}
}

// groupsDoctors make a recording wrong, and say in which line; 0: it has nothing of the kind.
var groupsDoctors = map[string]func(lines []storage.GroupsLine) int{
	"a batch too many is released": alterLast(storage.DoRelease, func(l *storage.GroupsLine) {
		l.Released++
	}),
	"a snapshot above the head": alterLast(storage.DoSnapshot, func(l *storage.GroupsLine) {
		l.Snapshot = &storage.GroupsLineOp{Group: l.Snapshot.Group, Op: l.Snapshot.Op + 1}
	}),
	"a snapshot of no group": alterLast(storage.DoSnapshot, func(l *storage.GroupsLine) {
		l.Snapshot = &storage.GroupsLineOp{Group: 3, Op: l.Snapshot.Op}
	}),
	"a pairing without a snapshot": alterLast(storage.DoSuperblock, func(l *storage.GroupsLine) {
		l.Superblock = slices.Clone(l.Superblock)
		l.Superblock[0].Checkpoint++
	}),
	"a log view that nothing says": alterLast(storage.DoSuperblock, func(l *storage.GroupsLine) {
		l.Superblock = slices.Clone(l.Superblock)
		l.Superblock[1].LogView++
	}),
	"an op is skipped": alterLast(storage.DoAppend, func(l *storage.GroupsLine) {
		l.Batch = slices.Clone(l.Batch)
		l.Batch[0].Op++
	}),
	"a record of the other group": alterLast(storage.DoAppend, func(l *storage.GroupsLine) {
		l.Batch = slices.Clone(l.Batch[:1])
		l.Batch[0].Group = 3 - l.Batch[0].Group
	}),
	"another checkpoint is found": foundInGroup(func(f *storage.GroupsLineFound) {
		f.Said.Checkpoint++
	}),
	"another snapshot is found": foundInGroup(func(f *storage.GroupsLineFound) { f.Snapshot++ }),
	"another log view is found": foundInGroup(func(f *storage.GroupsLineFound) { f.LogView++ }),
	"another head is found":     foundInGroup(func(f *storage.GroupsLineFound) { f.Head++ }),
	"a body too many is found": foundInGroup(func(f *storage.GroupsLineFound) {
		f.Bodies = append(slices.Clone(f.Bodies), 3)
	}),
	"doubt of one group is not shared": foundInGroup(func(f *storage.GroupsLineFound) {
		f.InDoubt = !f.InDoubt
	}),
}

// alterLast changes the last line that tells of something.
func alterLast(do string, alter func(l *storage.GroupsLine)) func([]storage.GroupsLine) int {
	return func(lines []storage.GroupsLine) int {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].Do == do {
				alter(&lines[i])
				return i + 1
			}
		}
		return 0
	}
}

// foundInGroup changes what the last boot found of the second group.
func foundInGroup(alter func(f *storage.GroupsLineFound)) func([]storage.GroupsLine) int {
	return alterLast(storage.DoBoot, func(l *storage.GroupsLine) {
		l.Found = slices.Clone(l.Found)
		alter(&l.Found[1])
	})
}

// What was changed may be true of another run. But it is rejected for most seeds, in that very
// line, and never before it.
func TestADoctoredRecordingOfGroupsIsRejectedInItsLine(t *testing.T) {
	t.Parallel()
	const seeds = 60
	b := storage.GroupsRecordingBounds()[0]
	for name, doctor := range groupsDoctors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			altered, rejected := 0, 0
			for seed := range uint64(seeds) {
				r, _, err := storage.NewGroupsRecording(
					b.Config, storage.ProductionGroups, seed, boots)
				require.NoError(t, err)
				at := doctor(r.Lines)
				if at == 0 {
					continue
				}
				altered++
				_, err = storage.ExplainGroups(b.Config, r)
				if err == nil {
					continue
				}
				var unexplained *storage.Unexplained
				require.ErrorAs(t, err, &unexplained)
				require.GreaterOrEqual(t, unexplained.Line, at)
				if unexplained.Line == at {
					rejected++
				}
			}
			t.Logf("%d of %d", rejected, altered)
			assert.Greater(t, rejected, altered/2)
			assert.Greater(t, altered, seeds/4)
		})
	}
}

func TestADefectOfTheLogIsNoticedByRecordingsOfGroups(t *testing.T) {
	t.Parallel()
	b := storage.GroupsRecordingBounds()[0]
	for name, defect := range map[string]careless{
		"it flushes nothing":                         {lazy: true},
		"it releases by the checkpoint of one group": {greedy: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for seed := range uint64(200) {
				r, _, err := storage.NewGroupsRecording(b.Config, defect.open, seed, boots)
				if err == nil {
					_, err = storage.ExplainGroups(b.Config, r)
				}
				if err != nil {
					noticed++
				}
			}
			t.Logf("%d of 200", noticed)
			assert.Positive(t, noticed)
		})
	}
}

// A model with a defect does not explain what the production code does.
func TestAMutantOfGroupsDoesNotExplainRecordings(t *testing.T) {
	t.Parallel()
	for _, bug := range []model.Bug{"superblock_of_one_group", "doubt_for_one_group_only"} {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			b := storage.GroupsRecordingBounds()[0]
			mutant := b.Config
			mutant.Bugs = []model.Bug{bug}
			rejected := 0
			for seed := range uint64(100) {
				r, _, err := storage.NewGroupsRecording(
					b.Config, storage.ProductionGroups, seed, boots)
				require.NoError(t, err)
				if _, err := storage.ExplainGroups(mutant, r); err != nil {
					rejected++
				}
			}
			t.Logf("%d of 100", rejected)
			assert.Positive(t, rejected)
		})
	}
}
