package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// recordTicks is the length of a recorded run's phase with faults: enough for some
// view changes, short enough that a thousand runs take seconds.
const recordTicks = 1200

// levels are the fault levels that recorded runs go through in turn.
var levels = []sim.Faults{sim.FaultsNone, sim.FaultsLight, sim.FaultsHeavy, sim.FaultsSwarm}

// recordOptions are the options of recorded run number seed.
func recordOptions(seed uint64) sim.Options {
	options := sim.Options{
		Seed: seed, Ticks: recordTicks, Replicas: vsrReplicas, Faults: levels[seed%uint64(len(levels))],
		NoCheckpoints: true, // TLC's module has none.
	}
	if options.Faults == sim.FaultsNone {
		options.Ticks = recordTicks / 4 // Without faults a tick has several times the events.
	}
	return options
}

// vsrReplicas is the only number of replicas that the model has.
const vsrReplicas = 3

// Record runs the simulator and returns what happened as a trace. The trace goes
// through the text of its format on the way, as one from a file does.
//
// Errors: options out of range, a trace that cannot be written or read.
func Record(options sim.Options) (*traces.Trace, *sim.Result, error) {
	var text bytes.Buffer
	writer, err := traces.NewWriter(&text, TraceHeader(options))
	if err != nil {
		return nil, nil, err
	}
	options.Trace = record.New(writer, record.Options{})
	result, err := sim.Run(options)
	if err != nil {
		return nil, nil, err
	}
	if err := writer.Flush(); err != nil {
		return nil, nil, err
	}
	t, err := parseTrace(&text)
	return t, result, err
}

// TraceHeader is the header of a recorded run's trace.
func TraceHeader(options sim.Options) traces.Header {
	header := record.Header(options.Seed, max(options.Replicas, vsrReplicas), spec.SHA256("VSR"))
	header.Commit = Revision()
	header.Checkpoints = options.Faults == sim.FaultsSwarm && !options.NoCheckpoints
	return header
}

func parseTrace(text io.Reader) (*traces.Trace, error) {
	reader, err := traces.NewReader(text, "")
	if err != nil {
		return nil, err
	}
	t := &traces.Trace{Header: reader.Header()}
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Events = append(t.Events, e)
	}
}

// Conform is the job that records runs of the simulator, of the seeds from from to to
// and at all levels of faults in turn, and asks whether the model explains each.
func Conform(from, to uint64) Job {
	job := Job{
		Name: "conform/recorded", Engine: EngineConform,
		Reproduce: reproduceConform(from),
	}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		sum := newTally()
		var err error
		for seed := from; seed <= to && err == nil; seed++ {
			one := conformSeed(seed)
			if one.Status == Failed && sum.statuses[Failed] == 0 {
				c.Reproduce = one.Reproduce
			}
			sum.add(one)
			err = ctx.Err()
		}
		sum.into(&c, "recorded traces")
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// conformSeed records one run and checks it.
func conformSeed(seed uint64) Check {
	name := fmt.Sprintf("run of seed %d", seed)
	t, result, err := Record(conformOptions(seed))
	if err != nil {
		return Errored(name, EngineConform, reproduceConform(seed), err)
	}
	c, err := ConformTrace(t)
	if err != nil {
		return Errored(name, EngineConform, reproduceConform(seed), err)
	}
	c.Name, c.Reproduce = name, reproduceConform(seed)
	c.Figures[FigureOperations] = float64(result.Operations)
	c.Figures[FigureTicks] = float64(result.Ticks)
	if c.Status == Passed && !result.Passed {
		c.fail("the run itself failed: %s", result.Failure)
	}
	return c
}

// conformOptions are those of a run that the Go model explains: every eighth has checkpoints.
func conformOptions(seed uint64) sim.Options {
	options := recordOptions(seed)
	options.NoCheckpoints = seed%8 != 7
	return options
}

func reproduceConform(seed uint64) string {
	o := conformOptions(seed)
	more := ""
	if o.NoCheckpoints && o.Faults == sim.FaultsSwarm {
		more = " --checkpoints=false"
	}
	return fmt.Sprintf("viewstamp sim run --seed %d --ticks %d --faults %s%s --trace run.jsonl && "+
		"viewstamp trace conform run.jsonl", o.Seed, o.Ticks, o.Faults, more)
}
