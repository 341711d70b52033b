package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

func (t *tool) sim() *cobra.Command {
	command := &cobra.Command{
		Use:   "sim",
		Short: "run, swarm, scenario, nodes, shrink",
		Long: long(`The simulator runs the production core on virtual time, network and disks: one
seed, one run, to the byte. A run has a phase with faults, in which safety is checked at
every step, and a healed phase, in which the cluster must make progress.`),
		RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	command.AddCommand(t.simRun(), t.simSwarm(), t.simScenario(), t.simNodes(), t.simShrink())
	return command
}

// ticksMax bounds a run, whose history and log are in memory to its end.
const ticksMax = 1_000_000

// simFlags are the flags that single runs and swarms share.
type simFlags struct {
	ticks, replicas, clients, requests int
	checkpoints                        bool
	faults                             string
	defects                            []string
	wipe, rare                         bool
}

func (f *simFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.ticks, "ticks", sim.DefaultTicks, "length of the phase with faults, in ticks")
	flags.IntVar(&f.replicas, "replicas", 3, "replicas of the group, 1 to 7")
	flags.IntVar(&f.clients, "clients", 0,
		"clients, each with one request at a time; 0: the seed or the level decides")
	flags.IntVar(&f.requests, "requests", 0, "requests of the phase with faults; 0: no bound")
	flags.StringVar(&f.faults, "faults", string(sim.FaultsSwarm),
		"none, light, heavy, or swarm: the seed chooses the kinds of fault")
	flags.BoolVar(&f.checkpoints, "checkpoints", true,
		"with faults swarm: let the seed have checkpoints taken and transferred")
	flags.StringSliceVar(&f.defects, "defect", nil,
		"break a rule of the core on purpose, by the name of its mutant, such as no_nonce")
	flags.BoolVar(&f.wipe, "wipe", false,
		"one of three or more replicas loses its disk in the phase with faults")
	flags.BoolVar(&f.rare, "rare", false,
		"one of three or more replicas may lose a part of its disk, and more that is seldom")
	// --bug is the word that check has for the same thing.
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "bug" {
			name = "defect"
		}
		return pflag.NormalizedName(name)
	})
}

// options returns the options of a run, or which flag is out of range.
func (f *simFlags) options(command *cobra.Command) (sim.Options, error) {
	level, err := sim.ParseFaults(f.faults)
	switch {
	case err != nil:
		return sim.Options{}, usage(command, "--%v", err)
	case f.ticks < 1 || f.ticks > ticksMax:
		return sim.Options{}, usage(command, "--ticks %d: expected 1 to %d", f.ticks, ticksMax)
	case f.replicas < 1 || f.replicas > vsr.ReplicaCountMax:
		return sim.Options{}, usage(command, "--replicas %d: expected 1 to %d", f.replicas,
			vsr.ReplicaCountMax)
	case f.clients < 0:
		return sim.Options{}, usage(command, "--clients %d: expected at least 0", f.clients)
	case f.requests < 0:
		return sim.Options{}, usage(command, "--requests %d: expected at least 0", f.requests)
	}
	options := sim.Options{
		Ticks: f.ticks, Replicas: f.replicas, Clients: f.clients, Requests: f.requests,
		Faults: level, NoCheckpoints: !f.checkpoints, Wipe: f.wipe, Rare: f.rare,
	}
	for _, name := range f.defects {
		defect, err := vsr.ParseDefect(name)
		if err != nil {
			return sim.Options{}, usage(command, "--defect: %v", err)
		}
		options.Defects |= defect
	}
	return options, nil
}
