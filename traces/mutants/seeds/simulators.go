package main

import (
	"github.com/viewstamp/viewstamp/impl/sim"
	whole "github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

// cores is the simulator of real cores on disks that keep what they are told.
func cores() simulator {
	var seen sim.Coverage
	return simulator{
		name: mutants.SimulatorCores,
		run: func(seed uint64) string {
			r, err := sim.Run(sim.Options{Seed: seed, Faults: sim.FaultsSwarm})
			switch {
			case err != nil:
				return err.Error()
			case r.Failure != nil:
				return r.Failure.String()
			}
			rows := sim.Cover(r)
			if seen == nil {
				seen = rows
				return ""
			}
			for i := range rows {
				seen[i].Count += rows[i].Count
			}
			return ""
		},
		missing: func() []string { return seen.Missing() },
	}
}

// nodes is the simulator of whole processes on disks that fail.
func nodes() simulator {
	var seen whole.Coverage
	return simulator{
		name: mutants.SimulatorNodes,
		run: func(seed uint64) string {
			r, err := whole.Run(whole.Options{Seed: seed})
			switch {
			case err != nil:
				return err.Error()
			case r.Failure != nil:
				return r.Failure.String()
			}
			rows := whole.Cover(r)
			if seen == nil {
				seen = rows
				return ""
			}
			for i := range rows {
				seen[i].Count += rows[i].Count
			}
			return ""
		},
		missing: func() []string { return seen.Missing() },
	}
}
