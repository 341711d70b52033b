// Command gotest runs go test and counts: go run ./cmd/tidy/gotest -shuffle=on ./...
//
// Its arguments are those of go test. It prints the output of what failed, one line
// for each package, one for each skipped test with the reason that the test gave, and
// last
//
//	N passed, N failed, N skipped
//
// where subtests count as tests, and a package that fails without a failing test (it
// does not build, it panics, it ran out of time) counts as one failed.
//
// Exit status: 0 if something passed and nothing failed, else 1.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	os.Exit(run(os.Args[1:], ".", os.Stdout, os.Stderr))
}

// run is the program, started in dir.
func run(args []string, dir string, stdout, stderr io.Writer) int {
	command := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	command.Dir = dir
	command.Stderr = stderr
	events, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintf(stderr, "gotest: start go test: %v\n", err)
		return 1
	}
	t, err := count(events, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "gotest: read go test: %v\n", err)
	}
	waitErr := command.Wait()
	if exit := (*exec.ExitError)(nil); waitErr != nil && !errors.As(waitErr, &exit) {
		fmt.Fprintf(stderr, "gotest: run go test: %v\n", waitErr)
	}
	if waitErr != nil && t.failed == 0 {
		t.failed = 1 // It failed before any package did: wrong arguments, say.
	}
	for _, skip := range t.skips {
		fmt.Fprintf(stdout, "skipped %s\n", skip)
	}
	fmt.Fprintf(stdout, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, len(t.skips))
	if err != nil || t.failed > 0 || t.passed == 0 {
		return 1
	}
	return 0
}
