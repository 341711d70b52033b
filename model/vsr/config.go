package vsr

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// NMax is the largest number of replicas that the model has room for.
const NMax = 5

// Unbounded, as a bound of a [Config], leaves the quantity without a bound.
const Unbounded = math.MaxInt32

// Drivers says who executes committed ops: the spec's CommitDrivers.
type Drivers uint8

const (
	// Walk is the one commit walk of R5.
	Walk Drivers = iota + 1
	// WalkAndPipeline is upstream's shape: the walk and the pipeline's own driver.
	WalkAndPipeline
)

// String is the value as spec and traces write it: "walk" or "walk_and_pipeline".
func (d Drivers) String() string {
	switch d {
	case Walk:
		return traces.CommitDriversWalk
	case WalkAndPipeline:
		return traces.CommitDriversWalkAndPipeline
	}
	return fmt.Sprintf("Drivers(%d)", uint8(d))
}

// ParseDrivers reads what [Drivers.String] writes.
func ParseDrivers(text string) (Drivers, error) {
	switch text {
	case traces.CommitDriversWalk:
		return Walk, nil
	case traces.CommitDriversWalkAndPipeline:
		return WalkAndPipeline, nil
	}
	return 0, fmt.Errorf("commit drivers %q: expected %q or %q", text, Walk, WalkAndPipeline)
}

// Config holds the constants of the spec.
type Config struct {
	// N is the number of replicas, 1 to [NMax]; they are numbered from 0.
	N int
	// MaxRequest bounds the client requests of a behaviour, MaxView the view number,
	// MaxCrash the restarts. Each may be 0 or [Unbounded].
	MaxRequest, MaxView, MaxCrash int
	// Drivers is the shape of the commit walk.
	Drivers Drivers
	// LazyLogView: no headers are durable, and log_view becomes durable when every
	// adopted body is stored (R2, the variant that mutant ack_over_hole breaks).
	LazyLogView bool
	// MergeAgain: a primary that waits for bodies of its merged log may merge the votes once
	// more, when it has more of them. Nothing forces it to.
	MergeAgain bool
	// Bugs are the deliberate defects that are switched on.
	Bugs Mutants
}

// Validate returns an error that names the first field with a value that the spec
// does not allow.
func (c Config) Validate() error {
	if c.N < 1 || c.N > NMax {
		return fmt.Errorf("N is %d, expected 1 to %d", c.N, NMax)
	}
	for _, bound := range []struct {
		name  string
		value int
	}{
		{"MaxRequest", c.MaxRequest}, {"MaxView", c.MaxView}, {"MaxCrash", c.MaxCrash},
	} {
		if bound.value < 0 || bound.value > Unbounded {
			return fmt.Errorf("%s is %d, expected 0 to %d", bound.name, bound.value, Unbounded)
		}
	}
	if c.Drivers != Walk && c.Drivers != WalkAndPipeline {
		return fmt.Errorf("Drivers is %v, expected %v or %v", c.Drivers, Walk, WalkAndPipeline)
	}
	if unknown := c.Bugs &^ AllMutants(); unknown != 0 {
		return fmt.Errorf("Bugs has unknown members (%#x), expected some of %v",
			uint32(unknown), AllMutants())
	}
	return nil
}

// Bounded reports whether the state graph is finite: no bound is [Unbounded].
func (c Config) Bounded() bool {
	return c.MaxRequest < Unbounded && c.MaxView < Unbounded && c.MaxCrash < Unbounded
}

// Clean returns the same constants without any defect.
func (c Config) Clean() Config {
	c.Bugs = 0
	return c
}

// String is the configuration in one line: "vsr (1,2,0) walk", with the number of replicas
// where it is not three, the lazy variant and the defects behind it.
func (c Config) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "vsr (%s,%s,%s) %v",
		boundText(c.MaxRequest), boundText(c.MaxView), boundText(c.MaxCrash), c.Drivers)
	if c.N != 3 {
		fmt.Fprintf(&b, " of %d", c.N)
	}
	if c.LazyLogView {
		b.WriteString(" lazy")
	}
	if c.MergeAgain {
		b.WriteString(" merge again")
	}
	if c.Bugs != 0 {
		b.WriteString(" " + c.Bugs.String())
	}
	return b.String()
}

func boundText(bound int) string {
	if bound == Unbounded {
		return "unbounded"
	}
	return strconv.Itoa(bound)
}

func (c *Config) bug(m Mutant) bool {
	return c.Bugs.Has(m)
}

func (c *Config) walk() bool {
	return c.Drivers == Walk
}

// primaryOf is the spec's Primary: who leads view v.
func (s *State) primaryOf(v View) int {
	return int(v) % s.n
}
