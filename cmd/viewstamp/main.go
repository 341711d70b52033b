package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the checks with what they have; a second one ends the process.
	context.AfterFunc(ctx, stop)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run does one command and returns the exit status.
func run(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	return guarded(stderr, func() int {
		t := &tool{stdout: stdout, stderr: stderr}
		root := t.root()
		root.SetArgs(twoDashes(arguments))
		root.SetOut(stdout)
		root.SetErr(stderr)
		return t.status(root.ExecuteContext(ctx))
	})
}

// guarded turns a panic into one line and the status of a failed check.
func guarded(stderr io.Writer, do func() int) (status int) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(stderr, "viewstamp: panic, a defect of this program: %s\n%s",
				verify.OneLine(fmt.Sprint(reason)), verify.Stack())
			status = statusFailed
		}
	}()
	return do()
}
