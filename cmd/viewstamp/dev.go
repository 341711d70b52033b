package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/impl/node/dev"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

func (t *tool) dev() *cobra.Command {
	command := &cobra.Command{
		Use:   "dev [--dir DIR] [--nodes N]",
		Short: "run a whole cluster on this machine, to try it",
		Long: long(`Start the processes of a cluster on loopback addresses, and stop them on SIGTERM or
Ctrl-C. With --dir the data stays there, and the next 'viewstamp dev --dir' goes on with it;
without, it is removed at the end. Each process has its configuration beside its data, so that
one that was killed can be started again by hand. A shell that reads DIR/env reaches the cluster.`,
			"viewstamp dev",
			"viewstamp dev --dir /tmp/try --nodes 3"),
		Args: none,
	}
	flags := command.Flags()
	dir := flags.String("dir", "", "where the data is, or a temporary directory")
	nodes := flags.Int("nodes", 3, "number of processes, 1 to 7")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		if *nodes < 1 || *nodes > vsr.ReplicaCountMax {
			return usage(command, "--nodes %d, expected 1 to %d", *nodes, vsr.ReplicaCountMax)
		}
		program, err := os.Executable()
		if err != nil {
			return t.failed(fmt.Errorf("find the own program: %w", err))
		}
		cluster, err := dev.Start(command.Context(), dev.Options{
			Dir: *dir, Replicas: *nodes, Log: t.stderr,
			Program: func(config string) []string { return []string{program, "serve", "--config", config} },
		})
		if err != nil {
			return t.failed(err)
		}
		if *asJSON {
			if err := json.NewEncoder(t.stdout).Encode(cluster); err != nil {
				return t.failed(fmt.Errorf("write JSON: %w", err))
			}
		} else {
			t.explain(cluster)
		}
		return t.failed(cluster.Wait(command.Context()))
	}
	return command
}

// explain says how to use a cluster.
func (t *tool) explain(c *dev.Cluster) {
	line := func(format string, args ...any) { fmt.Fprintf(t.stdout, format+"\n", args...) }
	tool := os.Args[0] // as it can be called from here
	line("A cluster of %d processes is ready.\n", len(c.PIDs))
	for i := range c.PIDs {
		line("  replica %d   pid %-7d clients %-16s metrics http://%s/metrics", i, c.PIDs[i],
			c.ClientAddresses[i], c.MetricsAddresses[i])
	}
	line("\nTry, in another terminal:")
	line("  export VIEWSTAMP_ADDRESS=%s VIEWSTAMP_PASSWORD=%s", strings.Join(c.ClientAddresses, ","),
		dev.RootPassword)
	line("  %s client stream create orders", tool)
	line("  %s client topic create orders eu", tool)
	line("  echo hello | %s client send orders eu", tool)
	line("  %s client tail orders eu --follow", tool)
	line("  curl http://%s/status", c.MetricsAddresses[0])
	line("  kill -9 %d     # and see who takes over", c.PIDs[0])
	line("  %s serve --config %s     # and start it again", tool, c.Configs[0])
	line("  %s inspect %s", tool, c.Dirs[0])
	line("\nCtrl-C stops them all.")
}
