// Seeds runs seeds of a simulator, one after the other, until one fails. A mutant of the
// production code is compiled into it; see [mutants.Runner.Hunt].
//
//	seeds SIMULATOR FROM TO
//
// It prints one JSON object, a [mutants.Seeds]. Exit status: 0 if all seeds pass and have seen
// together what they should; 1 if not; 2 wrong usage.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

// coverageSeeds is how many seeds must have seen together whatever can happen.
const coverageSeeds = 200

const (
	statusFailed = 1
	statusUsage  = 2
)

func main() {
	if len(os.Args) != 4 || os.Args[1] != mutants.SimulatorCores {
		fmt.Fprintf(os.Stderr, "usage: seeds %s FROM TO\n", mutants.SimulatorCores)
		os.Exit(statusUsage)
	}
	from, err := strconv.ParseUint(os.Args[2], 10, 32)
	if err == nil {
		var to uint64
		if to, err = strconv.ParseUint(os.Args[3], 10, 32); err == nil {
			end(hunt(from, to))
		}
	}
	fmt.Fprintf(os.Stderr, "seeds: %v; expected two numbers\n", err)
	os.Exit(statusUsage)
}

// end prints what was found and ends the process.
func end(found mutants.Seeds) {
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fmt.Fprintf(os.Stderr, "seeds: %v\n", err)
		os.Exit(statusUsage)
	}
	if found.Failure != "" {
		os.Exit(statusFailed)
	}
	os.Exit(0)
}

// hunt runs the seeds until one fails.
func hunt(from, to uint64) mutants.Seeds {
	for seed := from; seed <= to; seed++ {
		if failure := run(seed); failure != "" {
			return mutants.Seeds{Ran: seed - from + 1, Seed: seed, Failure: failure}
		}
	}
	return mutants.Seeds{Ran: to - from + 1, Failure: unseen(from, to)}
}

// run runs one seed and says why it failed; empty if it did not.
func run(seed uint64) (failure string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = fmt.Sprintf("panic: %v", panicked)
		}
	}()
	result, err := sim.Run(sim.Options{Seed: seed, Faults: sim.FaultsSwarm})
	switch {
	case err != nil:
		return err.Error()
	case result.Failure != nil:
		return result.Failure.String()
	}
	return ""
}

// unseen says what the first seeds should have seen together, and have not.
func unseen(from, to uint64) string {
	if to-from+1 < coverageSeeds {
		return ""
	}
	result, err := sim.Swarm(context.Background(), from, from+coverageSeeds-1,
		sim.Options{Faults: sim.FaultsSwarm}, nil)
	if err != nil {
		return err.Error()
	}
	if missing := result.Missing(); len(missing) > 0 {
		return fmt.Sprintf("coverage: %d seeds have not seen %s", coverageSeeds,
			strings.Join(missing, ", "))
	}
	return ""
}
