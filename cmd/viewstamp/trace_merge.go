package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/traces"
)

func (t *tool) traceMerge() *cobra.Command {
	command := &cobra.Command{
		Use:   "merge --out FILE FILE...",
		Short: "make one trace of what the nodes of a cluster recorded",
		Long: long(`Make one trace of what 'viewstamp serve --trace' has written at each node of a
cluster, in the order of the events' times: what one node alone has recorded says too little to
be held against the model. The nodes need one clock, as they have on one machine; by clocks that
differ the order is wrong, and 'viewstamp trace conform' then rejects what was right.`,
			"viewstamp trace merge --out run.jsonl node0.jsonl node1.jsonl node2.jsonl",
			"viewstamp trace conform run.jsonl"),
		Args: some("FILE"),
	}
	out := command.Flags().String("out", "", "file to write")
	command.RunE = func(command *cobra.Command, args []string) error {
		if *out == "" {
			return usage(command, "no --out, expected a file")
		}
		var recorded []*traces.Trace
		for _, file := range args {
			if sameFile(*out, file) {
				return usage(command, "--out %s: one of the traces itself, expected another file", *out)
			}
			trace, err := traces.ReadFile(command.Context(), file)
			if err != nil {
				return err
			}
			recorded = append(recorded, trace)
		}
		merged, err := traces.Merge(recorded...)
		if err != nil {
			return t.failed(err)
		}
		if err := traces.WriteFile(*out, merged); err != nil {
			return t.failed(err)
		}
		fmt.Fprintf(t.stdout, "%d events of %d traces\n", len(merged.Events), len(recorded))
		return nil
	}
	return command
}
