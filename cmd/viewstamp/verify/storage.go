package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

// Keys of Check.Figures of the storage jobs.
const (
	FigureEdges      = "edges"
	FigureWalks      = "walks"
	FigureSteps      = "steps"
	FigureRecoveries = "recoveries"
	FigureSnapshots  = "snapshots"
	FigureReleases   = "releases"
	FigureMoves      = "moves"
	// FigureTrusting counts the recoveries whose log the code trusts and the spec does not.
	FigureTrusting = "trusting"
)

// StorageSizes say how much of the storage is compared with spec/Journal.tla.
type StorageSizes struct {
	// EdgesStride is which of the paths over a graph are followed: every so manieth.
	EdgesStride int
	// DeepStride is the same for graphs that are too large for every edge; 0: none of them.
	DeepStride int
	// Walks is the number of random walks at each large bound, without checkpoints, with them, and
	// of several groups, Recordings that of the runs that the model must explain.
	Walks, Recordings uint64
}

// recordedBoots is how often the process of a recording boots.
const recordedBoots = 6

// Storage are the jobs that drive write-ahead log and superblock along the model's paths, and
// have the model explain what they do by themselves.
func Storage(sizes StorageSizes) []Job {
	return []Job{
		storageJob("storage/edges", EngineReplay, sizes, followEdges),
		storageJob("storage/walks", EngineReplay, sizes, followWalks),
		storageJob("storage/checkpoints", EngineReplay, sizes, followKept),
		storageJob("storage/groups", EngineReplay, sizes, followGroups),
		storageJob("storage/recorded", EngineConform, sizes, explainRecordings),
		storageJob("storage/recorded-groups", EngineConform, sizes, explainGroups),
		storageControl(),
	}
}

// lazyLog is a log with a defect: it flushes nothing.
type lazyLog struct{ storage.Log }

// Sync does nothing.
func (lazyLog) Sync() error { return nil }

// lazyGroupsLog is the same of several groups.
type lazyGroupsLog struct{ storage.GroupsLog }

// Sync does nothing.
func (lazyGroupsLog) Sync() error { return nil }

func lazyGroups(d disk.Disk, boot storage.Boot) (storage.GroupsLog, storage.GroupsFound, error) {
	l, found, err := storage.ProductionGroups(d, boot)
	return lazyGroupsLog{l}, found, err
}

// storageControl is the negative control: both directions must find a log that flushes nothing.
func storageControl() Job {
	const seeds = 20
	lazy := storage.Maker{
		Open: func(d disk.Disk, boot storage.Boot) (storage.Log, storage.Found, error) {
			l, found, err := storage.Production().Open(d, boot)
			return lazyLog{l}, found, err
		},
	}
	ways := map[string]func(seed uint64) error{
		"walk": func(seed uint64) error {
			_, err := storage.FollowWalk(storage.Large()[0], lazy, seed)
			return err
		},
		"recording": func(seed uint64) error {
			r, err := storage.NewRecording(lazy, true, seed, recordedBoots)
			if err == nil {
				_, err = storage.Explain(r)
			}
			return err
		},
		"recording of groups": func(seed uint64) error {
			b := storage.GroupsRecordingBounds()[0]
			r, _, err := storage.NewGroupsRecording(b.Config, lazyGroups, seed, recordedBoots)
			if err == nil {
				_, err = storage.ExplainGroups(b.Config, r)
			}
			return err
		},
	}
	job := Job{Name: "control/storage", Engine: EngineConform, Reproduce: "viewstamp verify"}
	job.Run = func(context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		for _, name := range slices.Sorted(maps.Keys(ways)) {
			rejected := 0.0
			for seed := range uint64(seeds) {
				if ways[name](seed) != nil {
					rejected++
				}
			}
			if rejected == 0 {
				c.fail("a log that flushes nothing was found by no %s of %d", name, seeds)
			}
			c.Figures[FigureRejected] += rejected
		}
		return []Check{c}
	}
	return job
}

func storageJob(
	name, engine string, sizes StorageSizes,
	run func(context.Context, *Check, StorageSizes) error,
) Job {
	job := Job{Name: name, Engine: engine, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		err := run(ctx, &c, sizes)
		switch {
		case ctx.Err() != nil:
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, ctx.Err())}
		case err != nil:
			c.fail("%v", err)
		case c.Figures[FigureRecoveries] == 0:
			c.failVacuous("recoveries")
		}
		return []Check{c}
	}
	return job
}

func (c *Check) addStorage(counts storage.Counts) {
	c.Figures[FigureEdges] += float64(counts.Edges)
	c.Figures[FigureSteps] += float64(counts.Steps)
	c.Figures[FigureRecoveries] += float64(counts.Recoveries)
	c.Figures[FigureTrusting] += float64(counts.Trusting)
}

func followEdges(ctx context.Context, c *Check, sizes StorageSizes) error {
	follow := func(bounds []storage.Bound, stride int) error {
		for _, b := range bounds {
			counts, err := storage.FollowEdges(ctx, b, storage.Production(), stride)
			c.addStorage(counts)
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := follow(storage.Graphs(), sizes.EdgesStride); err != nil || sizes.DeepStride == 0 {
		return err
	}
	return follow(storage.Deep(), sizes.DeepStride)
}

func followWalks(ctx context.Context, c *Check, sizes StorageSizes) error {
	for _, b := range storage.Large() {
		for seed := uint64(0); seed < sizes.Walks && ctx.Err() == nil; seed++ {
			counts, err := storage.FollowWalk(b, storage.Production(), seed)
			c.addStorage(counts)
			if err != nil {
				return err
			}
			c.Figures[FigureWalks]++
		}
	}
	delete(c.Figures, FigureEdges)
	return nil
}

// followKept follows walks with checkpoints and releases.
func followKept(ctx context.Context, c *Check, sizes StorageSizes) error {
	for _, b := range storage.Kept() {
		for seed := uint64(0); seed < sizes.Walks && ctx.Err() == nil; seed++ {
			counts, err := storage.FollowKept(b, storage.Production(), seed)
			c.addStorage(counts)
			c.Figures[FigureSnapshots] += float64(counts.Snapshots)
			c.Figures[FigureReleases] += float64(counts.Releases)
			if err != nil {
				return err
			}
			c.Figures[FigureWalks]++
		}
	}
	delete(c.Figures, FigureEdges)
	return nil
}

// followGroups follows walks of several groups in one log and one superblock.
func followGroups(ctx context.Context, c *Check, sizes StorageSizes) error {
	for _, b := range storage.GroupsBounds() {
		for seed := uint64(0); seed < sizes.Walks && ctx.Err() == nil; seed++ {
			counts, err := storage.FollowGroups(b, storage.ProductionGroups, seed)
			c.addStorage(counts)
			c.Figures[FigureReleases] += float64(counts.Releases)
			c.Figures[FigureMoves] += float64(counts.Moves)
			if err != nil {
				return err
			}
			c.Figures[FigureWalks]++
		}
	}
	delete(c.Figures, FigureEdges)
	delete(c.Figures, FigureTrusting)
	if c.Figures[FigureMoves] == 0 {
		c.failVacuous(FigureMoves)
	}
	return nil
}

func explainRecordings(ctx context.Context, c *Check, sizes StorageSizes) error {
	for seed := uint64(0); seed < sizes.Recordings && ctx.Err() == nil; seed++ {
		r, err := storage.NewRecording(storage.Production(), seed%2 == 0, seed, recordedBoots)
		if err != nil {
			return err
		}
		done, err := storage.Explain(r)
		if err != nil {
			return err
		}
		c.Figures[FigureTraces]++
		c.Figures[FigureEvents] += float64(done.Lines)
		c.Figures[FigureRecoveries] += float64(done.Boots)
		c.Figures[FigureTrusting] += float64(done.Trusting)
	}
	return nil
}

// explainGroups has the model explain runs with checkpoints and releases, of several groups.
func explainGroups(ctx context.Context, c *Check, sizes StorageSizes) error {
	for _, b := range storage.GroupsRecordingBounds() {
		for seed := uint64(0); seed < sizes.Recordings && ctx.Err() == nil; seed++ {
			r, counts, err := storage.NewGroupsRecording(
				b.Config, storage.ProductionGroups, seed, recordedBoots)
			if err != nil {
				return err
			}
			done, err := storage.ExplainGroups(b.Config, r)
			if err != nil {
				return fmt.Errorf("recording %d of %s: %w", seed, b.Name, err)
			}
			c.Figures[FigureTraces]++
			c.Figures[FigureEvents] += float64(done.Lines)
			c.Figures[FigureRecoveries] += float64(done.Boots)
			c.Figures[FigureSnapshots] += float64(counts.Snapshots)
			c.Figures[FigureReleases] += float64(counts.Releases)
			c.Figures[FigureMoves] += float64(counts.Moves)
		}
	}
	for _, needed := range []string{FigureSnapshots, FigureReleases, FigureMoves} {
		if c.Figures[needed] == 0 {
			c.failVacuous(needed)
		}
	}
	return nil
}
