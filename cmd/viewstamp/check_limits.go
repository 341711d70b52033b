package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

// limits are the flags of "viewstamp check" that bound a search and keep what it has done.
type limits struct {
	memory       size
	time         time.Duration
	save, resume string
}

func (l *limits) flags(flags *pflag.FlagSet) {
	flags.Var(&l.memory, "memory", "end the search, undecided, at this much memory: 2GiB, 500MiB")
	flags.DurationVar(&l.time, "time", 0,
		"end the search, undecided, after this time: 30s, 8h; 0: no limit")
	flags.StringVar(&l.save, "save", "",
		"write a search that ends undecided, also by Ctrl-C, to this file")
	flags.StringVar(&l.resume, "resume", "", "go on with the search in this file")
}

// validateLimits refuses limits where they mean nothing.
func (f *checkFlags) validateLimits(command *cobra.Command) error {
	l := f.limits
	var flag string
	switch {
	case l.save != "":
		flag = "--save"
	case l.resume != "":
		flag = "--resume"
	case l.memory != 0:
		flag = "--memory"
	}
	if l.time < 0 {
		return usage(command, "--time %v: expected a positive duration", l.time)
	}
	if flag == "" {
		return nil
	}
	modes := f.modes()
	switch {
	case len(modes) > 0:
		return usage(command, "%s does not go with %s: expected --cfg or --bug", flag, modes[0])
	case f.engine != verify.EngineGo:
		return usage(command, "%s is for the Go model alone, expected --engine go", flag)
	}
	if info, err := os.Stat(l.save); l.save != "" && err == nil && info.IsDir() {
		return usage(command, "--save %s: a folder, expected a file", l.save)
	}
	if err := replaceable(l.save); l.save != "" && err != nil {
		return fmt.Errorf("--save %s: %w", l.save, err)
	}
	if l.resume == "" {
		return nil
	}
	switch info, err := os.Stat(l.resume); {
	case err != nil:
		return fmt.Errorf("--resume %s: %w", l.resume, errors.Unwrap(err))
	case info.IsDir():
		return usage(command, "--resume %s: a folder, expected a file", l.resume)
	}
	return nil
}

// within ends the context at the time limit.
func (l limits) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.time, fmt.Errorf("the time limit of %v", l.time))
}

// size is a number of bytes, written with or without a unit.
type size int64

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

// Set reads what a person writes: "2GiB", "1.5GB", "1000000".
func (s *size) Set(text string) error {
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	bytes := n * unit
	if err != nil || !(bytes >= 1) || bytes >= math.MaxInt64 {
		return errors.New("expected a size such as 2GiB or 500MiB")
	}
	*s = size(bytes)
	return nil
}

// String is the size in bytes, empty for none.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type is what the help calls the value.
func (s *size) Type() string { return "size" }
