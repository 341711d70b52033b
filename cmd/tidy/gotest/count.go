package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // Of build output.
	Test       string
	Output     string
	Elapsed    float64 // Seconds.
}

// tally is what a run of tests came to.
type tally struct {
	passed, failed int
	// skips has a line for each skipped test: package, test and reason.
	skips []string
}

// key is a test, or with an empty test its package.
type key struct{ pkg, test string }

// counter follows the events of a run.
type counter struct {
	tally
	out io.Writer
	// output is what each test that still runs has printed.
	output map[key][]string
	// failedIn counts the failed tests of each package.
	failedIn map[string]int
}

// lineMaxBytes bounds a line of go test -json; one is as long as a line that a test
// prints.
const lineMaxBytes = 64 << 20

// count reads the events of go test -json to the end and prints what failed and a
// line for each package. A line that is no event is printed as it is.
func count(events io.Reader, out io.Writer) (tally, error) {
	c := counter{out: out, output: map[key][]string{}, failedIn: map[string]int{}}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, lineMaxBytes)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Action == "" {
			fmt.Fprintln(out, lines.Text())
			continue
		}
		c.add(e)
	}
	return c.tally, lines.Err()
}

func (c *counter) add(e event) {
	at := key{e.Package, e.Test}
	switch e.Action {
	case "run":
		c.output[at] = nil // Known as running, even if it prints nothing.
	case "output":
		c.output[at] = append(c.output[at], e.Output)
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			c.endPackage(e)
		} else {
			c.endTest(e)
		}
	}
}

func (c *counter) endTest(e event) {
	at := key{e.Package, e.Test}
	switch e.Action {
	case "pass":
		c.passed++
	case "fail":
		c.failed++
		c.failedIn[e.Package]++
		c.printOutput(at)
	case "skip":
		c.skips = append(c.skips, fmt.Sprintf("%s %s: %s", e.Package, e.Test, reason(c.output[at])))
	}
	delete(c.output, at)
}

// endPackage prints the package's line. If it failed, the output of the package itself
// and of tests that never ended comes first: that is where a panic is.
func (c *counter) endPackage(e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(c.out, "ok  \t%s\t%.1fs\n", e.Package, e.Elapsed)
	case "fail":
		for _, at := range c.unfinished(e.Package) {
			c.printOutput(at)
		}
		if c.failedIn[e.Package] == 0 {
			c.failed++
		}
		fmt.Fprintf(c.out, "FAIL\t%s\t%.1fs\n", e.Package, e.Elapsed)
	}
	for _, at := range c.unfinished(e.Package) {
		delete(c.output, at)
	}
}

// unfinished returns the package itself and those of its tests that have not ended.
func (c *counter) unfinished(pkg string) []key {
	var keys []key
	for at := range c.output {
		if at.pkg == pkg {
			keys = append(keys, at)
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.test, b.test) })
	return keys
}

func (c *counter) printOutput(at key) {
	for _, text := range c.output[at] {
		if !strings.HasPrefix(text, "=== ") {
			fmt.Fprint(c.out, text)
		}
	}
}

// reason is what a skipped test said last, without the place in the source.
func reason(output []string) string {
	for _, text := range slices.Backward(output) {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "===") {
			continue
		}
		if _, after, found := strings.Cut(text, ".go:"); found {
			if _, said, found := strings.Cut(after, ": "); found {
				return said
			}
		}
		return text
	}
	return "no reason given"
}
