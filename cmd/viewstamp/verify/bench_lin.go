package verify

import (
	"context"
	"runtime"
	"runtime/debug"

	lin "github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/model/check"
)

// Figures of benchmarks of histories.
const (
	// FigureOperationsPerCPUSecond is how many operations are decided a second of CPU time.
	FigureOperationsPerCPUSecond = "operations_per_cpu_second"
	// FigurePorcupinePerCPUSecond is the same of a search by Porcupine.
	FigurePorcupinePerCPUSecond = "porcupine_operations_per_cpu_second"
	// FigureMemoryMiB is all memory of the process behind a check, in MiB: with the history
	// itself, and with what the check no longer needs.
	FigureMemoryMiB = "memory_mib"
)

const (
	// longLin is the size of a long history, and what its check may cost.
	longLin, longLinClients                = 1_000_000, 64
	longLinCPUMax, longLinMemoryMiB        = 2.0, 1024
	sharedLin, sharedLinClients            = 10_000, 8
	sharedPolls, sharedPollsClients        = 300, 3
	bytesMiB                               = 1 << 20
	reproduceBenchLin                      = "viewstamp bench lin"
	unknownShare                           = 0.01
	benchSeed                       uint64 = 1
)

// BenchLin are the jobs that measure checks of histories: a million operations of 64
// clients, one in a hundred unanswered, decided without a search; and smaller ones that
// Porcupine can decide, both ways. A long one fails beyond two seconds of CPU time or 1 GiB,
// any one with a wrong verdict. They need the machine to themselves.
func BenchLin() []Job {
	var jobs []Job
	for _, model := range []lin.Model{lin.Register, lin.Partition} {
		jobs = append(jobs, benchLong(model))
	}
	for _, model := range []lin.Model{lin.Register, lin.Partition} {
		jobs = append(jobs, benchShared(model))
	}
	return jobs
}

func benchLinJob(name string, measure func(context.Context, *Check) error) Job {
	job := Job{Name: "bench/" + name, Engine: EngineLin, Reproduce: reproduceBenchLin}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		err := measure(ctx, &c)
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

func benchLong(model lin.Model) Job {
	return benchLinJob("lin-"+string(model), func(ctx context.Context, c *Check) error {
		h, err := benchHistory(model, longLin, longLinClients)
		if err != nil {
			return err
		}
		debug.FreeOSMemory() // What it took to make the history is not the check's.
		cpu, err := c.decides(ctx, h, lin.CheckOptions{SkipWitness: true})
		if err != nil || c.Status != Passed {
			return err
		}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		taken := (memory.Sys - memory.HeapReleased) / bytesMiB
		c.Figures[FigureOperations] = longLin
		c.Figures[FigureOperationsPerCPUSecond] = perSecond(longLin, cpu)
		c.Figures[FigureMemoryMiB] = float64(taken)
		switch {
		case cpu > longLinCPUMax:
			c.fail("took %.2f s of CPU time, expected at most %v", cpu, longLinCPUMax)
		case taken > longLinMemoryMiB:
			c.fail("took %d MiB, expected at most %d", taken, longLinMemoryMiB)
		}
		return nil
	})
}

func benchShared(model lin.Model) Job {
	return benchLinJob("lin-"+string(model)+"-ratio", func(ctx context.Context, c *Check) error {
		size, clients := sharedLin, sharedLinClients
		if model == lin.Partition {
			size, clients = sharedPolls, sharedPollsClients
		}
		h, err := benchHistory(model, size, clients)
		if err != nil {
			return err
		}
		ours, err := c.decides(ctx, h, lin.CheckOptions{SkipWitness: true})
		if err != nil || c.Status != Passed {
			return err
		}
		searched, err := c.decides(ctx, h, lin.CheckOptions{SkipWitness: true, SearchAlways: true})
		if err != nil || c.Status != Passed {
			return err
		}
		c.Figures[FigureOperations] = float64(size)
		c.Figures[FigureOperationsPerCPUSecond] = perSecond(size, ours)
		c.Figures[FigurePorcupinePerCPUSecond] = perSecond(size, searched)
		if ours > 0 {
			c.Figures[check.FigureRatio] = searched / ours
		}
		return nil
	})
}

func benchHistory(model lin.Model, operations, clients int) (*lin.History, error) {
	return lin.Generate(lin.GenerateOptions{
		Seed: benchSeed, Model: model, Operations: operations, Clients: clients, Keys: 1,
		UnknownShare: unknownShare, PlainWrites: true, Plant: lin.PlantNone,
	})
}

// decides returns the CPU time of a check, the best of some, and makes c one that has not
// passed unless the history is found linearizable, as it is.
func (c *Check) decides(
	ctx context.Context, h *lin.History, options lin.CheckOptions,
) (seconds float64, err error) {
	const rounds = 3
	for round := range rounds {
		runtime.GC() // What others have left is not for this one to clean.
		begin := cpuSeconds()
		report, err := lin.Check(ctx, h, options)
		took := cpuSeconds() - begin
		switch {
		case err != nil:
			return 0, err
		case report.Verdict == lin.Undecided:
			c.Status, c.Reason = Undecided, OneLine(report.Summary())
			return 0, nil
		case report.Verdict != lin.Linearizable:
			c.fail("verdict %v, expected %v", report.Verdict, lin.Linearizable)
			return 0, nil
		}
		if round == 0 || took < seconds {
			seconds = took
		}
	}
	return seconds, nil
}

func perSecond(count int, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(int(float64(count) / seconds))
}
