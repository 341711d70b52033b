package verify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

const (
	// FigureEventsPerCPUSecond is how many events are explained a second of CPU time, from
	// the text of a trace to the verdict.
	FigureEventsPerCPUSecond = "events_per_cpu_second"
	// FigureCheckerKiB is what a checker holds at the end of a trace, in KiB.
	FigureCheckerKiB = "checker_kib"
	// eventsPerCPUSecondMin is the goal.
	eventsPerCPUSecondMin = 50_000
)

// BenchConform are the jobs that measure conformance of recorded runs: without faults, with
// heavy ones, and each at ten times the length. One below the goal of 50,000 events a second
// of CPU time fails. They need the machine to themselves.
func BenchConform() []Job {
	const ticks, long = 4_000, 40_000
	return []Job{
		benchConform("none", sim.Options{Seed: 7, Ticks: ticks, Faults: sim.FaultsNone}),
		benchConform("none-long", sim.Options{Seed: 7, Ticks: long, Faults: sim.FaultsNone}),
		benchConform("heavy", sim.Options{Seed: 7, Ticks: ticks, Faults: sim.FaultsHeavy}),
		benchConform("heavy-long", sim.Options{Seed: 7, Ticks: long, Faults: sim.FaultsHeavy}),
	}
}

func benchConform(what string, options sim.Options) Job {
	job := Job{
		Name: "bench/conform-" + what, Engine: EngineConform, Reproduce: "viewstamp bench conform",
	}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		text, err := recordText(options)
		if err == nil {
			err = c.measureConform(ctx, text)
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// recordText is a recorded run as a file holds it.
func recordText(options sim.Options) ([]byte, error) {
	var text bytes.Buffer
	writer, err := traces.NewWriter(&text, TraceHeader(options))
	if err != nil {
		return nil, err
	}
	options.Trace = record.New(writer, record.Options{})
	if _, err := sim.Run(options); err != nil {
		return nil, err
	}
	if err := writer.Flush(); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// measureConform checks a trace some times and takes the best.
func (c *Check) measureConform(ctx context.Context, text []byte) error {
	const rounds = 3
	best := 0.0
	for range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		held := heapBytes()
		begin := cpuSeconds()
		checker, err := explain(text)
		took := cpuSeconds() - begin
		if err != nil {
			return err
		}
		report := checker.Report()
		if !report.Passed() {
			c.fail("%s", report.Mismatch)
			return nil
		}
		best = max(best, perSecond(report.Events, took))
		c.Figures[FigureEvents] = float64(report.Events)
		c.Figures[FigureCheckerKiB] = float64(max(heapBytes()-held, 0) / 1024)
		runtime.KeepAlive(checker)
	}
	c.Figures[FigureEventsPerCPUSecond] = best
	if best < eventsPerCPUSecondMin {
		c.fail("%.0f events a second of CPU time, expected at least %d", best, eventsPerCPUSecondMin)
	}
	return nil
}

// heapBytes is what is alive.
func heapBytes() int64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

// explain reads a trace and hands each event to a checker.
func explain(text []byte) (*conform.Checker, error) {
	reader, err := traces.NewReader(bytes.NewReader(text), "run.jsonl")
	if err != nil {
		return nil, err
	}
	checker, err := conform.New(reader.Header(), "run.jsonl")
	if err != nil {
		return nil, err
	}
	for {
		e, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return checker, nil
		case err != nil:
			return nil, err
		case checker.Add(e) != nil:
			return checker, nil
		}
	}
}
