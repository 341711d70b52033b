// Command tidy checks the house rules of this repository: go run ./cmd/tidy
//
// It finds the root from the present folder upwards, prints one line for each finding
//
//	path:line: rule: what was expected
//
// and closes with "tidy: N files, M rules, K findings". Notes, which are advice, are
// marked as such and not counted. With -rules it prints the rules instead.
//
// Exit status: 0 if there was no finding, 1 if there was one, 2 if the tree could not
// be read or the usage was wrong.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/viewstamp/viewstamp/cmd/tidy/house"
)

// The exit statuses.
const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2
)

func main() {
	os.Exit(run(os.Args[1:], ".", os.Stdout, os.Stderr))
}

// run is the program, started in dir.
func run(args []string, dir string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tidy", flag.ContinueOnError)
	flags.SetOutput(stderr)
	list := flags.Bool("rules", false, "print the rules and check nothing")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "tidy: argument %q: expected none\n", flags.Arg(0))
		return exitUsage
	}
	rules := house.Rules()
	if *list {
		for _, rule := range rules {
			fmt.Fprintf(stdout, "%-15s %s\n", rule.Name, rule.Expects)
		}
		return exitClean
	}
	root, err := house.FindRoot(dir)
	if err != nil {
		fmt.Fprintf(stderr, "tidy: %v\n", err)
		return exitUsage
	}
	tree, err := house.Load(root)
	if err != nil {
		fmt.Fprintf(stderr, "tidy: %v\n", err)
		return exitUsage
	}
	findings := house.Run(tree, rules)
	for _, finding := range findings {
		fmt.Fprintln(stdout, finding)
	}
	failures := house.Failures(findings)
	fmt.Fprintf(stdout, "tidy: %d files, %d rules, %d findings\n",
		len(tree.Files), len(rules), failures)
	if failures > 0 {
		return exitFindings
	}
	return exitClean
}
