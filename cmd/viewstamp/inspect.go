package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func (t *tool) inspect() *cobra.Command {
	command := &cobra.Command{
		Use:   "inspect DIR",
		Short: "explain a data directory; nothing in it is changed",
		Long: long(`Read superblock, write-ahead log, snapshots and segments of a data directory, and say
what recovery would adopt and discard, and why. It writes nothing. It fails where recovery
would refuse to boot, and where DIR is no data directory.`,
			"viewstamp inspect /var/lib/viewstamp",
			"viewstamp inspect --json /var/lib/viewstamp"),
		Args: one("a data directory"),
	}
	cluster := command.Flags().String("cluster", "",
		"the cluster expected, in hexadecimal; another one's directory is refused")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, args []string) error {
		var expected wire.Uint128
		if *cluster != "" {
			var err error
			if expected, err = wire.ParseUint128(*cluster); err != nil {
				return usage(command, "--cluster: %v", err)
			}
		}
		report, err := inspect.Directory(args[0], wire.ClusterID(expected))
		if err != nil {
			fmt.Fprintf(t.stderr, "viewstamp: %s\n", verify.OneLine(err.Error()))
			return verdictError{verify.Failed}
		}
		if *asJSON {
			if err := json.NewEncoder(t.stdout).Encode(report); err != nil {
				return fmt.Errorf("write report: %w", err)
			}
		} else {
			t.show(report)
		}
		if report.Refused() {
			return verdictError{verify.Failed}
		}
		return nil
	}
	return command
}

// show prints a report for people.
func (t *tool) show(r inspect.Report) {
	line := func(format string, args ...any) { fmt.Fprintf(t.stdout, format+"\n", args...) }
	lines := func(what string, texts []string) {
		for _, text := range texts {
			line("  %s %s", what, text)
		}
	}
	line("directory   %s\ncluster     %s\nsuperblock  update %d, %d groups",
		r.Directory, r.Cluster, r.Sequence, len(r.Groups))
	if id := r.Identity; id != nil {
		line("identity    replica %d of %d%s", id.Replica, id.Replicas, id.Replaced())
	}
	line("wal         %d batches with %d records adopted, damaged %t",
		r.Log.Batches, r.Log.Records, r.Log.Damaged)
	lines("discard", r.Log.Discarded)
	for _, g := range r.Groups {
		line("group %d: replica %d, view %d, log view %d, known to be committed up to op %d", g.Group,
			g.Replica, g.View, g.LogView, g.CommitMax)
		line("  checkpoint at op %d, paired at %d; log up to op %d", g.Adopted, g.Paired, g.Highest)
		if g.Segments > 0 || g.Next > 0 {
			line("  segments   %d with %d bytes, offsets %d to %d", g.Segments, g.Bytes, g.Start, g.Next)
		}
		lines("discard", g.Discarded)
		if g.Refused != "" {
			line("  REFUSED    %s", g.Refused)
		}
	}
}
