package tlc

import (
	"fmt"
	"regexp"
	"strings"
)

// RunError says why TLC or SANY came to no verdict. It is one line.
type RunError struct {
	Module     string // The module that was to be checked.
	ExitStatus int    // Java's exit status; -1 if a signal ended the process.
	Message    string // TLC's first error, led by file and line where it has them.
}

// Error returns one line.
func (e *RunError) Error() string {
	return fmt.Sprintf("check module %s: %s", e.Module, e.Message)
}

// failure says in one line why a run has no verdict.
func (v *verdict) failure(ended exit) string {
	var positions string
	for _, m := range v.errors {
		if m.code == codePositions {
			positions = m.text
			break
		}
	}
	for _, m := range v.errors {
		if m.code == codeParseFailed {
			if line, ok := sanyFailure(v.sany); ok {
				return line
			}
			continue
		}
		if text := oneLine(withoutWrapping(m.text)); text != "" && m.code != codePositions {
			return innermost(positions) + text
		}
	}
	if v.vacuous() {
		return "no state satisfies the initial predicate"
	}
	if line := firstLine(ended.stderr); line != "no output" {
		return fmt.Sprintf("Java ended with %s: %s", ended.words, line)
	}
	return fmt.Sprintf("TLC ended with %s and gave no reason: %s",
		ended.words, lastLine(ended.stdout))
}

// wrapping are the lines that TLC puts around any exception.
var wrapping = regexp.MustCompile(`^(?:TLC threw an unexpected exception\.` +
	`|This was probably caused by an error in the spec or model\.` +
	`|See the User Output or TLC Console for clues to what happened\.` +
	`|The exception was an? \S+)$`)

func withoutWrapping(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !wrapping.MatchString(line) {
			line = strings.TrimPrefix(line, ": ")
			kept = append(kept, strings.TrimPrefix(line, "util.Assert$TLCRuntimeException: "))
		}
	}
	return strings.Join(kept, "\n")
}

// oneLine joins the lines of text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// position is where TLC evaluated something, from the outermost expression to
// the innermost:
//
//  0. Line 6, column 8 to line 6, column 44 in D
var position = regexp.MustCompile(
	`(?m)^\d+\. Line (\d+), column \d+ to line \d+, column \d+ in (\S+)`)

// innermost returns the file and line of the innermost position, as D.tla:6: and
// a space, or nothing.
func innermost(positions string) string {
	matches := position.FindAllStringSubmatch(positions, -1)
	if len(matches) == 0 {
		return ""
	}
	last := matches[len(matches)-1]
	return last[2] + ".tla:" + last[1] + ": "
}
