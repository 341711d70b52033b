package scenario

import (
	"fmt"
	"os"
	"strings"
)

// separator stands between a block's commands and its expected output.
const separator = "----"

// FormatError is a scenario that cannot be read or carried out.
type FormatError struct {
	Path string
	Line int
	Text string // what was found and what was expected
}

// Error is "path:line: text".
func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text) }

// command is one line of a block.
type command struct {
	line int
	name string
	args []argument
}

// argument is KEY or KEY=VALUE.
type argument struct{ key, value string }

// block is commands with their expected output, or comments alone.
type block struct {
	text     []string // comments and commands as written
	commands []command
	expected []string
	line     int // of the separator
}

// parse reads a scenario.
func parse(path, text string) ([]block, error) {
	var blocks []block
	var b block
	inOutput := false
	flush := func() error {
		if len(b.commands) > 0 && !inOutput {
			last := b.commands[len(b.commands)-1]
			return &FormatError{path, last.line, "commands without " + separator +
				": expected it and the output after them"}
		}
		if len(b.text) > 0 || len(b.expected) > 0 {
			blocks = append(blocks, b)
		}
		b, inOutput = block{}, false
		return nil
	}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "":
			if err := flush(); err != nil {
				return nil, err
			}
		case inOutput:
			b.expected = append(b.expected, line)
		case line == separator:
			if len(b.commands) == 0 {
				return nil, &FormatError{path, i + 1, separator + ": expected commands before it"}
			}
			inOutput, b.line = true, i+1
		default:
			b.text = append(b.text, line)
			if !strings.HasPrefix(line, "#") {
				b.commands = append(b.commands, parseCommand(i+1, line))
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if len(b.commands) > 0 {
			return blocks, nil
		}
	}
	return nil, &FormatError{path, 1, "no command: expected a scenario"}
}

func parseCommand(line int, text string) command {
	fields := strings.Fields(text)
	c := command{line: line, name: fields[0]}
	for _, f := range fields[1:] {
		key, value, _ := strings.Cut(f, "=")
		c.args = append(c.args, argument{key, value})
	}
	return c
}

// Result is what a scenario did.
type Result struct {
	Path     string
	Commands int
	// Output is the whole file with the output that came instead of the expected.
	Output string
	// Differences says where output and expectation part, one line each; empty if it passed.
	Differences []string
}

// Passed reports whether all output was as expected.
func (r Result) Passed() bool { return len(r.Differences) == 0 }

// RunFile runs the scenario in a file. The error says why it cannot be run.
func RunFile(path string) (Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Result{}, fmt.Errorf("read scenario: %w", err)
	}
	return Run(path, string(text))
}

// Run runs a scenario; path names it in messages.
func Run(path, text string) (Result, error) {
	blocks, err := parse(path, text)
	if err != nil {
		return Result{}, err
	}
	result := Result{Path: path}
	s := &stage{}
	var out []string
	for _, b := range blocks {
		out = append(out, b.text...)
		if len(b.commands) > 0 {
			got, err := s.run(path, b.commands)
			if err != nil {
				return result, err
			}
			result.Commands += len(b.commands)
			out = append(append(out, separator), got...)
			if at, differs := firstDifference(b.expected, got); differs {
				result.Differences = append(result.Differences,
					fmt.Sprintf("%s:%d: expected %q, got %q", path, b.line+1+at,
						lineAt(b.expected, at), lineAt(got, at)))
			}
		}
		out = append(out, "")
	}
	result.Output = strings.Join(out, "\n")
	return result, nil
}

func firstDifference(want, got []string) (int, bool) {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return i, true
		}
	}
	return 0, false
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of the block)"
}
