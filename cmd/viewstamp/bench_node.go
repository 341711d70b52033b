package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/benchnode"
	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

// benchClients are the closed loops of 'bench node'.
var benchClients = []int{1, 16, 64}

func (t *tool) benchNode() *cobra.Command {
	command := &cobra.Command{
		Use:   "node [--peers DIR]",
		Short: "compare three nodes with other replicated logs, and with a bare flush",
		Long: long(`Start three nodes on this machine and let clients send messages to one partition, each
the next when the last is acknowledged by a quorum that has flushed it. In turns with that: one
writer that overwrites a pre-zeroed file and flushes, and the peers in DIR that Go can build
without the network. Shares are our speed by theirs, the median over the rounds. It judges
nothing, and needs the machine to itself.`,
			"viewstamp bench node",
			"viewstamp bench node --peers ../shared/peers --clients 16",
			"viewstamp bench node --alone --clients 64,256"),
		Args: none,
	}
	flags := command.Flags()
	clients := flags.IntSlice("clients", benchClients, "how many clients at once; may be repeated")
	var o benchnode.Options
	flags.StringVar(&o.Dir, "dir", "", "directory on the disk to measure; the system's for "+
		"temporary files if empty")
	flags.StringVar(&o.Peers, "peers", "", "directory of the peers' sources; none if empty")
	flags.BoolVar(&o.Alone, "alone", false, "compare with nodes that give each request an op of its "+
		"own, too")
	flags.IntVar(&o.Bytes, "bytes", 256, "size of a message")
	flags.IntVar(&o.Rounds, "rounds", 5, "turns that each has")
	flags.DurationVar(&o.Counted, "turn", 2*time.Second, "how long a turn is")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		switch {
		case o.Rounds < 1 || o.Counted < 10*time.Millisecond || o.Bytes < 16 || o.Bytes > 1<<20:
			return usage(command, "--rounds %d --turn %s --bytes %d, expected at least 1, 10ms and "+
				"16 to 1048576", o.Rounds, o.Counted, o.Bytes)
		case len(*clients) == 0 || slices.Min(*clients) < 1 || slices.Max(*clients) > 1024:
			return usage(command, "--clients %v, expected 1 to 1024 each", *clients)
		}
		program, err := os.Executable()
		if err != nil {
			return t.failed(fmt.Errorf("find this program: %w", err))
		}
		o.Program = func(config string, settings ...string) []string {
			serve := []string{program, "serve", "--config", config}
			for _, setting := range settings {
				serve = append(serve, "--set", setting)
			}
			return serve
		}
		o.Warm, o.Log = o.Counted/4, t.stderr
		report := t.report("bench node", *asJSON)
		bench, err := benchnode.Start(command.Context(), o)
		if err != nil {
			return t.failed(err)
		}
		for _, count := range *clients {
			for _, c := range compareNodes(command.Context(), bench, count, o.Bytes) {
				report.add(c)
			}
		}
		return multierr.Append(report.end(), bench.Close())
	}
	return command
}

// compareNodes is a check for each thing that was compared.
func compareNodes(ctx context.Context, bench *benchnode.Bench, count, bytes int) []verify.Check {
	name := fmt.Sprintf("bench/node-%d-%d", bytes, count)
	reproduce := fmt.Sprintf("viewstamp bench node --clients %d --bytes %d", count, bytes)
	found, err := bench.Run(ctx, count)
	if err != nil {
		return []verify.Check{verify.Errored(name, verify.EngineGo, reproduce, err)}
	}
	var checks []verify.Check
	for i, c := range found.Compared {
		figures := verify.Figures{
			"per_second": c.PerSecond, "p50_us": float64(c.P50.Microseconds()),
			"p99_us": float64(c.P99.Microseconds()), "failed": float64(c.Failed),
		}
		if i == 0 {
			figures["per_flush"] = found.PerFlush
		} else {
			figures["share"] = c.Share
		}
		checks = append(checks, verify.Done(name+"/"+c.Name, verify.EngineGo, figures, reproduce))
	}
	for _, peer := range slices.Sorted(maps.Keys(found.Absent)) {
		checks = append(checks, verify.Check{
			Name: name + "/" + peer, Engine: verify.EngineGo, Status: verify.Skipped,
			Reason:  found.Absent[peer],
			Figures: verify.Figures{}, Reproduce: reproduce,
		})
	}
	return checks
}
