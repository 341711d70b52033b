package storage

import (
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Keepable returns the model of Journal.tla with checkpoints, without the steps that a [Keeper]
// does not take: faults of the disk, losses of batches that the code has flushed when it began
// the file of the next, and all releases but the largest.
//
// c must have Twin, Misdirects, Mirror and Checkpoints, and neither rot nor damage.
func Keepable(c model.JournalConfig) explore.Model[state, action] {
	if !c.Twin || !c.Misdirects || !c.Mirror || !c.Checkpoints || c.MaxRot+c.MaxDamage > 0 {
		panic("Keepable: expected Twin, Misdirects, Mirror and Checkpoints, without rot and damage")
	}
	m := model.Journal(c)
	next := m.Next
	m.Next = func(s state, yield func(action, state)) {
		var release action
		var released state
		next(s, func(a action, t state) {
			switch {
			case a.Kind == model.JournalRelease:
				if a.Number > release.Number {
					release, released = a, t
				}
			case a.Kind != model.JournalPowerLoss, lastOnly(c, &s, a):
				yield(a, t)
			}
		})
		if release.Number > 0 && releases(c, &s, release.Number) {
			yield(release, released)
		}
	}
	return m
}

// lastOnly says that a power loss takes nothing but the newest batch, and leaves superblocks that
// the code can leave: it makes the first file durable before it touches the second.
func lastOnly(c model.JournalConfig, s *state, a action) bool {
	for p := range c.Slots {
		if a.Fate[p] != model.JournalKept && (s.Written == 0 || p != (int(s.Written)-1)%c.Slots) {
			return false
		}
	}
	return a.Files != 2
}

// releases says whether the code lets go of the batches below a sequence, as soon as it may. It
// keeps a batch as long as something is not flushed, since the newest state record of the other
// group is in the newest batch; and one that names an op above the checkpoint of which it has no
// body, or that is of no log any more.
func releases(c model.JournalConfig, s *state, to uint8) bool {
	if s.Written != s.Synced {
		return false
	}
	for n := s.Base; n < to; n++ {
		batch := &s.WALCache[(int(n)-1)%c.Slots]
		records := &batch.Records
		for _, r := range records.All[:records.Count] {
			op := len(r.Entry.Views())
			if r.Kind == model.JournalPrepare && op > int(s.Superblock.Checkpoint) &&
				(batch.Unreadable || !isPrefix(r.Entry.Views(), s.Headers.Views())) {
				return false
			}
		}
	}
	return true
}

func isPrefix(a, b []uint8) bool { return len(a) <= len(b) && string(a) == string(b[:len(a)]) }

// Kept are bounds for walks with checkpoints, in which slots and files are used again.
func Kept() []Bound {
	return []Bound{
		bound("persisted", model.JournalConfig{
			MaxOp: 2, MaxView: 2, MaxBatch: 12, Slots: 4, MaxAhead: 4, MaxRecords: 2, MaxCrash: 4,
			Checkpoints: true, OtherGroups: true,
		}),
		bound("replicated", model.JournalConfig{
			Policy: model.Replicated, MaxOp: 2, MaxView: 2, MaxBatch: 12, Slots: 4, MaxAhead: 4,
			MaxRecords: 2, MaxCrash: 4, Checkpoints: true,
		}),
	}
}

// KeptWalk is the random walk of a seed.
func KeptWalk(c model.JournalConfig, seed uint64) Path {
	const steps = 120
	random := rand.New(rand.NewPCG(seed, 17)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(Keepable(c), random, steps, func(a action) int {
		switch a.Kind { //nolint:exhaustive // The others are as in walks without checkpoints.
		case model.JournalTakeSnapshot, model.JournalSyncSnapshot, model.JournalRepeatState:
			return 100
		case model.JournalRelease:
			return 400
		}
		return weight(a)
	})
}

// FollowKept follows the random walk of a seed with checkpoints and releases.
//
// Errors: a [*Mismatch].
func FollowKept(b Bound, maker Maker, seed uint64) (Counts, error) {
	keeper, err := NewKeeper(b.Config, maker)
	if err != nil {
		return Counts{}, err
	}
	path := KeptWalk(b.Config, seed)
	if err := keeper.Follow(path); err != nil {
		return keeper.Counts, fmt.Errorf("walk %d of %s, with checkpoints: %w", seed, b.Name, err)
	}
	return keeper.Counts, nil
}
