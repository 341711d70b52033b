// Seeds runs seeds of simulators, one after the other, until one fails. A mutant of the
// production code is compiled into it; see [mutants.Runner.Hunt].
//
//	seeds SIMULATOR[,SIMULATOR] FROM TO [all]
//
// SIMULATOR is cores, wipes, rare or nodes.
//
// With "all" it runs all of them and says how many fail; coverage is not looked at then.
//
// It prints one JSON object, a [mutants.Seeds]. Exit status: 0 if all seeds pass and have seen
// together what they should; 1 if not; 2 wrong usage.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/traces/mutants"
)

// coverageSeeds is how many seeds have seen together whatever can happen.
const coverageSeeds = 200

const (
	statusFailed = 1
	statusUsage  = 2
)

// simulator runs seeds.
type simulator struct {
	name string
	// run runs one seed and says why it failed; empty if it did not.
	run func(seed uint64) string
	// missing names what the runs so far should have seen, and have not.
	missing func() []string
}

func main() {
	all := len(os.Args) == 5 && os.Args[4] == mutants.RateAll
	if len(os.Args) != 4 && !all {
		usage("three arguments")
	}
	var simulators []simulator
	for name := range strings.SplitSeq(os.Args[1], ",") {
		switch name {
		case mutants.SimulatorCores:
			simulators = append(simulators, cores())
		case mutants.SimulatorWipes:
			simulators = append(simulators, wipes())
		case mutants.SimulatorRare:
			simulators = append(simulators, rare())
		case mutants.SimulatorNodes:
			simulators = append(simulators, nodes())
		default:
			usage(fmt.Sprintf("cores, wipes, rare or nodes, not %q", name))
		}
	}
	from, err := strconv.ParseUint(os.Args[2], 10, 32)
	if err != nil {
		usage(err.Error())
	}
	to, err := strconv.ParseUint(os.Args[3], 10, 32)
	if err != nil {
		usage(err.Error())
	}
	found := mutants.Seeds{}
	if all {
		found = count(simulators, from, to)
	} else {
		found = hunt(simulators, from, to)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		usage(err.Error())
	}
	if found.Failure != "" {
		os.Exit(statusFailed)
	}
}

func usage(expected string) {
	fmt.Fprintf(os.Stderr, "seeds: expected SIMULATOR[,SIMULATOR] FROM TO [all]: %s\n", expected)
	os.Exit(statusUsage)
}

// hunt runs the seeds until one fails, each in all simulators.
func hunt(simulators []simulator, from, to uint64) mutants.Seeds {
	for seed := from; seed <= to; seed++ {
		ran := seed - from + 1
		for _, s := range simulators {
			if failure := attempt(s, seed); failure != "" {
				return mutants.Seeds{Ran: ran, Seed: seed, Simulator: s.name, Failure: failure}
			}
			if ran != coverageSeeds {
				continue
			}
			if missing := s.missing(); len(missing) > 0 {
				return mutants.Seeds{
					Ran: ran, Seed: seed, Simulator: s.name,
					Failure: "coverage: no seed has seen " + strings.Join(missing, ", "),
				}
			}
		}
	}
	return mutants.Seeds{Ran: to - from + 1}
}

// count runs all seeds and says how many fail, in one of the simulators at least, and which is the
// first.
func count(simulators []simulator, from, to uint64) mutants.Seeds {
	found := mutants.Seeds{Ran: to - from + 1}
	for seed := from; seed <= to; seed++ {
		for _, s := range simulators {
			failure := attempt(s, seed)
			if failure == "" {
				continue
			}
			if found.Failed++; found.Failed == 1 {
				found.Seed, found.Simulator, found.Failure = seed, s.name, failure
			}
			break
		}
	}
	return found
}

// attempt runs one seed; what panics fails.
func attempt(s simulator, seed uint64) (failure string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = fmt.Sprintf("panic: %v", panicked)
		}
	}()
	return s.run(seed)
}
