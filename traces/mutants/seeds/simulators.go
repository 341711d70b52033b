package main

import (
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/coverage"
	whole "github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

// cores is the simulator of real cores on disks that keep what they are told.
func cores() simulator {
	return coresWith(mutants.SimulatorCores, sim.Options{Faults: sim.FaultsSwarm})
}

// wipes is the simulator of cores, in which one replica loses its disk.
func wipes() simulator {
	return byTurns(mutants.SimulatorWipes, sim.Options{Faults: sim.FaultsSwarm, Wipe: true})
}

// rare is the simulator of cores with what is rare.
func rare() simulator {
	return byTurns(mutants.SimulatorRare, sim.Options{Faults: sim.FaultsSwarm, Rare: true})
}

// byTurns is a simulator of groups of three, for even seeds, and of five. What all together should
// have seen, cores has.
func byTurns(name string, o sim.Options) simulator {
	o.Replicas = 3
	three := coresWith(name, o)
	o.Replicas = 5
	five := coresWith(name, o)
	return simulator{
		name: name,
		run: func(seed uint64) string {
			if seed%2 == 0 {
				return three.run(seed)
			}
			return five.run(seed)
		},
		missing: func() []string { return nil },
	}
}

func coresWith(name string, o sim.Options) simulator {
	return counting(name, sim.NewCoverage(),
		func(seed uint64) (seeds.Outcome, error) {
			o.Seed = seed
			r, err := sim.Run(o)
			if err != nil {
				return seeds.Outcome{}, err
			}
			return r.Outcome(), nil
		})
}

// nodes is the simulator of whole processes on disks that fail.
func nodes() simulator {
	return counting(mutants.SimulatorNodes, whole.NewCoverage(true),
		func(seed uint64) (seeds.Outcome, error) {
			r, err := whole.Run(whole.Options{Seed: seed, Judge: judge})
			if err != nil {
				return seeds.Outcome{}, err
			}
			return r.Outcome(), nil
		})
}

// judge holds what processes do against the model.
func judge(h traces.Header) (whole.Judge, error) {
	c, err := conform.New(h, "")
	if err != nil {
		return nil, err
	}
	return c.Judge, nil
}

// counting is a simulator that counts what seeds that pass have seen.
func counting(
	name string, seen coverage.Table, run func(seed uint64) (seeds.Outcome, error),
) simulator {
	return simulator{
		name: name,
		run: func(seed uint64) string {
			outcome, err := run(seed)
			if err != nil {
				return err.Error()
			}
			if outcome.Failure == "" {
				seen.Add(outcome.Seen)
			}
			return outcome.Failure
		},
		missing: seen.Missing,
	}
}
