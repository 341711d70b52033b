package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// tool is one run of the program.
type tool struct {
	stdout, stderr io.Writer
}

const exitStatusHelp = `Exit status: 0 passed; 1 a check failed (the command that reproduces it is
printed); 2 wrong usage or bad input; 3 undecided within its limit, or nothing could run.`

// root is the whole command line.
func (t *tool) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "viewstamp",
		Short:         "Check a Viewstamped Replication protocol, its model, its code and its traces.",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          t.group,
		Args:          cobra.ArbitraryArgs,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usage(command, "%v", err)
	})
	root.AddCommand(t.verify(), t.check(), t.trace(), t.sim(), t.lin(), t.bench(),
		t.inspect(), t.format(), t.serve(), t.dev(), t.client(), t.version())
	helpOfOthers := root.HelpFunc()
	root.SetHelpFunc(func(command *cobra.Command, args []string) {
		if command != root {
			helpOfOthers(command, args)
			return
		}
		fmt.Fprint(command.OutOrStdout(), rootHelp(root))
	})
	return root
}

// group is what a command does that only has commands below it.
func (t *tool) group(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return helpError{command}
	}
	var names []string
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			names = append(names, below.Name())
		}
	}
	return usage(command, "unknown command %q, expected one of %s", args[0],
		strings.Join(names, ", "))
}

// rootHelp is the first page that a newcomer reads.
func rootHelp(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(`Usage: viewstamp <command> [flags]

Check a Viewstamped Replication protocol and what was built by it: the TLA+ modules, the
reference model, the production core, recorded traces and the histories of clients.

`)
	for _, command := range root.Commands() {
		if !command.IsAvailableCommand() || command.Name() == "help" {
			continue
		}
		if !command.HasAvailableSubCommands() {
			fmt.Fprintf(&b, "  %-15s %s\n", command.Name(), command.Short)
			continue
		}
		for _, below := range command.Commands() {
			fmt.Fprintf(&b, "  %-15s %s\n", command.Name()+" "+below.Name(), below.Short)
		}
	}
	b.WriteString(`
Start here:
  viewstamp verify --quick                       a slice of everything, in a minute
  viewstamp check --cfg ci-111                   all states of one small configuration
  viewstamp check --bug no_nonce                 a deliberate defect, and how it shows
  viewstamp sim run --seed 7 --trace run.jsonl   one run; the same seed gives the same run
  viewstamp trace show --op 21 run.jsonl         what happened to op 21
  viewstamp trace conform run.jsonl              is each step one that the model allows?

` + exitStatusHelp + `

'viewstamp help <command>' lists flags with units and defaults.
`)
	return b.String()
}

// long is the text of a command's help: what it does, and examples.
func long(what string, examples ...string) string {
	var b strings.Builder
	b.WriteString(what)
	if len(examples) > 0 {
		b.WriteString("\n\nExamples:\n")
		for _, example := range examples {
			b.WriteString("  " + example + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n\n" + exitStatusHelp
}

// jsonFlag adds --json.
func jsonFlag(flags *pflag.FlagSet) *bool {
	return flags.Bool("json", false, "print one JSON object on stdout and nothing else")
}

// none refuses arguments that are no flags.
func none(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(command, "%s: argument %q, expected none", command.CommandPath(), args[0])
	}
	return nil
}

// some demands at least one argument of the given kind.
func some(kind string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(command, "%s: no argument, expected %s", command.CommandPath(), kind)
		}
		return nil
	}
}

// one demands exactly one argument of the given kind.
func one(kind string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(command, "%s: %d arguments, expected one: %s", command.CommandPath(),
				len(args), kind)
		}
		return nil
	}
}
