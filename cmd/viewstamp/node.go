package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/node"
	"github.com/viewstamp/viewstamp/spec"
)

// failed prints one line and ends with the status of something that did not work, as against
// a command line that means nothing.
func (t *tool) failed(err error) error {
	if err == nil {
		return nil
	}
	fmt.Fprintf(t.stderr, "viewstamp: %s\n", verify.OneLine(err.Error()))
	return verdictError{verify.Failed}
}

func (t *tool) format() *cobra.Command {
	command := &cobra.Command{
		Use:   "format --cluster NAME --replica I --replicas N DIR",
		Short: "give a data directory its identity, once, before it is served",
		Long: long(`Make DIR the data directory of one replica of a cluster. It is created if it does not
exist, and refused if it is not empty: a directory that lost its identity cannot be told from
one that lost what it promised.

A replica that has served before, and whose directory is lost, gets an empty one with --replace.
It then acknowledges nothing and votes for nobody until it has the data from the others. Without
--replace it would count as one that has never promised anything, and what it had acknowledged
could be lost.`,
			"viewstamp format --cluster example --replica 0 --replicas 3 /var/lib/viewstamp",
			"viewstamp format --cluster example --replica 0 --replicas 3 --replace /mnt/new-disk"),
		Args: one("a data directory"),
	}
	var id node.Identity
	flags := command.Flags()
	flags.StringVar(&id.Cluster, "cluster", "", "the name that all processes of the cluster share")
	flags.IntVar(&id.Replica, "replica", -1, "which of the replicas this is, from 0")
	flags.IntVar(&id.Replicas, "replicas", 0, "how many replicas the cluster has, 1 to 7")
	flags.BoolVar(&id.Replaces, "replace", false,
		"the replica has lost an earlier directory: it rejoins before it counts")
	command.RunE = func(command *cobra.Command, args []string) error {
		for _, name := range []string{"cluster", "replica", "replicas"} {
			if !command.Flags().Changed(name) {
				return usage(command, "no --%s, expected one", name)
			}
		}
		if err := id.Check(); err != nil {
			return usage(command, "%v", err)
		}
		if err := node.Format(args[0], id); err != nil {
			return t.failed(err)
		}
		fmt.Fprintf(t.stdout, "formatted %s: replica %d of %d of cluster %q%s\n", args[0], id.Replica,
			id.Replicas, id.Cluster, map[bool]string{true: ", in place of a lost one"}[id.Replaces])
		return nil
	}
	return command
}

func (t *tool) serve() *cobra.Command {
	command := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "run one process of a cluster, until SIGTERM",
		Long: long(`Serve a data directory that 'viewstamp format' has made. SIGTERM ends it gracefully:
requests under way are answered first. Any other end is safe, too: what was acknowledged is on
the disks of a quorum.`,
			"viewstamp serve --example > node.toml",
			"viewstamp serve --config node.toml",
			"viewstamp serve --config node.toml --trace steps.jsonl",
			"viewstamp serve --config node.toml --set cluster.replica=1 --set log.level=debug"),
		Args: none,
	}
	flags := command.Flags()
	file := flags.String("config", "", "the configuration, TOML")
	settings := flags.StringArray("set", nil, "key=value that overrides the configuration")
	trace := flags.String("trace", "",
		"record each step of the protocol there, from the first start on: trace.file")
	example := flags.Bool("example", false, "print a configuration that explains each key")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if *example {
			fmt.Fprint(t.stdout, node.Example)
			return nil
		}
		if *file == "" {
			return usage(command, "no --config, expected a file; --example prints one")
		}
		config, err := node.LoadConfig(*file, os.Environ(), *settings)
		if err != nil {
			return err
		}
		if *trace != "" {
			config.Trace.File = *trace
		}
		config.Trace.Spec = spec.SHA256("VSR")
		n, err := node.Start(config, node.NewLog(config.Log, t.stderr))
		if err != nil {
			return t.failed(err)
		}
		return t.failed(n.Run(command.Context()))
	}
	return command
}
