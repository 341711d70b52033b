package tlc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.uber.org/multierr"
)

// SANY has the parser of TLA+ read a module and those that it extends, and check
// names, arities and levels. It evaluates nothing, so it needs no configuration.
// The keys of files are names like VSR.tla.
//
// Errors: a *[RunError] that names the first mistake's file and line; the
// context's cause; else that of the operating system.
func (t *Tools) SANY(ctx context.Context, files map[string][]byte, module string) (err error) {
	if err := (Job{Files: files, Module: module}).validate(); err != nil {
		return fmt.Errorf("prepare SANY: %w", err)
	}
	f, err := t.newFolder(files, "")
	if err != nil {
		return err
	}
	defer func() { err = multierr.Append(err, f.remove()) }()

	var said []string
	read := func(stdout io.Reader) {
		reader := bufio.NewReader(stdout)
		for {
			line, err := reader.ReadString('\n')
			said = append(said, strings.TrimRight(line, "\r\n"))
			if err != nil {
				return
			}
		}
	}
	ended, err := t.java(ctx, f, shortRun, read, "tla2sany.SANY", module+".tla")
	if err != nil {
		return fmt.Errorf("parse module %s: %w", module, err)
	}
	message, failed := sanyFailure(said)
	if !failed {
		// The exit status is 0 in spite of errors, so success must be said in words.
		for _, line := range said {
			if ended.status == 0 && line == "Semantic processing of module "+module {
				return nil
			}
		}
		message = fmt.Sprintf("SANY ended with %s: %s", ended.words, firstLine(ended.stderr))
	}
	return &RunError{Module: module, ExitStatus: ended.status, Message: f.withoutPath(message)}
}

var (
	sanyLocation = regexp.MustCompile(`^line (\d+), col \d+ to line \d+, col \d+ of module (\S+)$`)
	sanyLine     = regexp.MustCompile(`at line (\d+), column \d+`)
	sanyModule   = regexp.MustCompile(`^In module (\S+)$`)
	sanyCount    = regexp.MustCompile(`^\*\*\* Errors: (\d+)$`)
)

// sanyFailure condenses what SANY said to its first error, and returns false if
// there is none. SANY speaks in four ways:
//
//	***Parse Error***                            Lexical error at line 4, column 17.  ...
//	Was expecting "==== or more Module body"
//	Encountered "1" at line 5, column 20 ...
//
//	*** Errors: 3                                *** Abort messages: 1
//	line 5, col 18 to ... of module U            Unknown location
//	Unknown operator: `foo'.                     Cannot find source file for module ...
//
// After one of the first two, the module's name follows in a line of its own.
func sanyFailure(said []string) (message string, failed bool) {
	for i, line := range said {
		switch {
		case line == "***Parse Error***":
			return inModule(said, "parse error: "+paragraph(said[i+1:])), true
		case strings.HasPrefix(line, "Lexical error"):
			return inModule(said, line), true
		case sanyCount.MatchString(line):
			message := located(said[i+1:])
			if count := sanyCount.FindStringSubmatch(line)[1]; count != "1" {
				message += " (the first of " + count + " errors)"
			}
			return message, true
		case strings.HasPrefix(line, "*** Abort messages:"):
			return located(said[i+1:]), true
		}
	}
	return "", false
}

// inModule puts file and line before an error that names its line itself.
func inModule(said []string, message string) string {
	for _, line := range said {
		module := sanyModule.FindStringSubmatch(line)
		number := sanyLine.FindStringSubmatch(message)
		if module != nil && number != nil {
			return module[1] + ".tla:" + number[1] + ": " + message
		}
	}
	return message
}

// located reads a location and, after a blank line, an error.
func located(said []string) string {
	first := paragraph(said)
	for i, line := range said {
		if line != "" {
			said = said[i+1:]
			break
		}
	}
	message := paragraph(said)
	if match := sanyLocation.FindStringSubmatch(first); match != nil {
		return match[2] + ".tla:" + match[1] + ": " + message
	}
	return message
}

// paragraph joins the first lines up to a blank one, skipping blank ones before.
func paragraph(said []string) string {
	var lines []string
	for _, line := range said {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			break
		}
	}
	return strings.Join(lines, " ")
}
