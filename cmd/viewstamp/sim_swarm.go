package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/sim"
)

// coverageSeeds is how many seeds a swarm must have before something that it has never
// seen is a failure.
const coverageSeeds = 100

// seedsMax bounds a swarm.
const seedsMax = 1 << 32

func (t *tool) simSwarm() *cobra.Command {
	var f simFlags
	command := &cobra.Command{
		Use:   "swarm --seeds A..B",
		Short: "many runs, and what they have seen together",
		Long: long(fmt.Sprintf(`Run all seeds from A to B on all cores, and print what they have seen
together. With at least %d seeds, and the kinds of fault left to the seeds, something that
no seed has seen is a failure: a message, a fault, a refusal.`, coverageSeeds),
			"viewstamp sim swarm --seeds 1..500"),
		Args: none,
	}
	flags := command.Flags()
	seeds := flags.String("seeds", "", "first and last seed, such as 1..500")
	f.add(flags)
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		from, to, err := parseSeeds(*seeds)
		if err != nil {
			return usage(command, "--%v", err)
		}
		options, err := f.options(command)
		if err != nil {
			return err
		}
		report := t.report("sim swarm", *asJSON)
		coverage := options.Faults == sim.FaultsSwarm && to-from+1 >= coverageSeeds
		job := verify.Swarm(from, to, options, coverage, report.bar.swarm)
		report.details = true
		ctx := command.Context()
		verify.Run(ctx, []verify.Section{{Jobs: []verify.Job{job}}}, 1,
			verify.Observer{Reported: report.add})
		return report.end()
	}
	return command
}

// parseSeeds reads "A..B".
func parseSeeds(text string) (from, to uint64, err error) {
	first, last, found := strings.Cut(text, "..")
	if !found {
		return 0, 0, fmt.Errorf("seeds %q: expected A..B, such as 1..500", text)
	}
	from, err = parseSeed(first, text)
	if err != nil {
		return 0, 0, err
	}
	if to, err = parseSeed(last, text); err != nil {
		return 0, 0, err
	}
	if from > to {
		return 0, 0, fmt.Errorf("seeds %q: %d is above %d, expected A..B with A at most B", text, from,
			to)
	}
	if to-from >= seedsMax {
		return 0, 0, fmt.Errorf("seeds %q: expected at most %d of them", text, seedsMax)
	}
	return from, to, nil
}

func parseSeed(text, whole string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("seeds %q: %q is no seed, expected A..B, such as 1..500", whole, text)
	}
	return seed, nil
}
