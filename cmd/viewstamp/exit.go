package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

// The exit statuses.
const (
	statusPassed    = 0
	statusFailed    = 1 // A check failed.
	statusUsage     = 2 // Wrong usage or bad input.
	statusUndecided = 3 // No verdict: a limit, an interruption, or nothing could run.
)

// verdictError ends a command whose checks are reported already.
type verdictError struct{ status verify.Status }

// Error is for nobody: the report has said everything.
func (e verdictError) Error() string { return "checks: " + string(e.status) }

// helpError ends a command that was asked for nothing: its help is the answer.
type helpError struct{ command *cobra.Command }

// Error says what was missing.
func (e helpError) Error() string { return e.command.CommandPath() + ": expected a command" }

// status turns what a command returned into the exit status, and prints an error that
// nobody has seen yet as one line.
func (t *tool) status(err error) int {
	var verdict verdictError
	var help helpError
	switch {
	case err == nil:
		return statusPassed
	case errors.As(err, &verdict) && verdict.status == verify.Passed:
		return statusPassed
	case errors.As(err, &verdict) && verdict.status == verify.Failed:
		return statusFailed
	case errors.As(err, &verdict):
		return statusUndecided
	case errors.As(err, &help):
		help.command.SetOut(t.stderr)
		_ = help.command.Help() // A terminal that takes no text cannot be told so.
		return statusUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(t.stderr, "viewstamp: ended by an interruption: %s\n", verify.OneLine(err.Error()))
		return statusUndecided
	}
	fmt.Fprintf(t.stderr, "viewstamp: %s\n", verify.OneLine(err.Error()))
	return statusUsage
}

// usage makes an error of a command line, which points to the command's help.
func usage(command *cobra.Command, format string, args ...any) error {
	return fmt.Errorf("%s; see '%s --help'", fmt.Sprintf(format, args...), command.CommandPath())
}

// longFlag matches a flag of several letters with one dash, as Go's own tools take it.
var longFlag = regexp.MustCompile(`^-[a-z][a-z-]+(=.*)?$`)

// twoDashes lets flags be written with one dash, too: there are no short ones but -h.
func twoDashes(arguments []string) []string {
	out := make([]string, len(arguments))
	over := false
	for i, argument := range arguments {
		over = over || argument == "--"
		if !over && longFlag.MatchString(argument) && !strings.HasPrefix(argument, "--") {
			argument = "-" + argument
		}
		out[i] = argument
	}
	return out
}
