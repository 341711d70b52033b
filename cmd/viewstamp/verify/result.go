package verify

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/check"
)

// Status is the verdict of a check, as the tool's JSON writes it.
type Status string

const (
	// Passed: the check ran to its end and found what it must find.
	Passed Status = "passed"
	// Failed: it found something else; Check.Reason says what.
	Failed Status = "failed"
	// Skipped: it could not run here. It never counts as passed.
	Skipped Status = "skipped"
	// Undecided: a limit or an interruption ended it before it had a verdict.
	Undecided Status = "undecided"
)

// What did a check, as the tool's JSON names it (Check.Engine).
const (
	EngineGo      = "go"
	EngineTLC     = "tlc"
	EngineSim     = "sim"
	EngineReplay  = "replay"
	EngineConform = "conform"
	EngineLin     = "lin"
)

// Keys of Check.Figures beside those of model/check.
const (
	FigureTraces = "traces"
	// FigureCounterexample is the number of states of a counterexample.
	FigureCounterexample = "counterexample"
	FigureEvents         = "events"
	FigureStutters       = "stutters"
	FigureFollowed       = "followed"
	FigureRefused        = "refused"
	FigureSeeds          = "seeds"
	FigureTicks          = "ticks"
	FigureOperations     = "operations"
	FigureHistories      = "histories"
	FigureScenarios      = "scenarios"
	FigureTwins          = "twins"
	FigureRejected       = "rejected"
	FigureEquivalent     = "equivalent"
)

// Figures are what a check counted, by key. Each is a whole number or a rate.
type Figures map[string]float64

// Check is what one check found.
type Check struct {
	// Name says what was checked, from the general to the particular: "check/ci-111".
	Name string `json:"name"`
	// Engine is one of the Engine constants.
	Engine string `json:"engine"`
	Status Status `json:"status"`
	// Reason says in one line why the check is not passed; empty if it is.
	Reason  string  `json:"reason"`
	Figures Figures `json:"figures"`
	// Reproduce is the command that does this check alone.
	Reproduce string `json:"reproduce"`
	// Coverage says what of the code the check has seen; nil if it does not look at that.
	Coverage *Coverage `json:"coverage,omitempty"`

	// Seconds is how long it took. No verdict depends on it.
	Seconds float64 `json:"-"`
	// Detail is text of several lines for people, such as a counterexample.
	Detail string `json:"-"`
	// Minor marks one of many checks that another one sums up: a table shows it only
	// if it is not passed.
	Minor bool `json:"-"`
	// NotBegun marks an undecided check that was interrupted before it began.
	NotBegun bool `json:"-"`
	// vacuous marks a check that failed only because it had nothing to look at.
	vacuous bool
}

// Coverage is what of the code a check has seen, by the events that tell of it.
type Coverage struct {
	// Taken are actions and branches, NotTaken branches that nobody took.
	Taken    []string   `json:"taken"`
	NotTaken []NotTaken `json:"not_taken"`
}

// NotTaken is a branch that nobody took, and why; Reason is empty if that is not known.
type NotTaken struct {
	Branch string `json:"branch"`
	Reason string `json:"reason"`
}

// Done is the check of work that judges nothing: it has passed if it came to its end.
func Done(name, engine string, figures Figures, reproduce string) Check {
	return Check{
		Name: name, Engine: engine, Status: Passed, Figures: figures, Reproduce: reproduce,
	}
}

// fail makes the check a failed one, with a reason of one line.
func (c *Check) fail(format string, args ...any) {
	c.Status, c.Reason = Failed, OneLine(fmt.Sprintf(format, args...))
}

// failVacuous makes the check a failed one because it had none of what it should look
// at.
func (c *Check) failVacuous(kind string) {
	c.fail("no %s, expected some", kind)
	c.vacuous = true
}

// OneLine folds a text of several lines into one.
func OneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// Judge returns the verdict of all checks together: failed if one failed, else
// undecided if one is undecided, else passed if one passed, else skipped.
func Judge(checks []Check) Status {
	count := Count(checks)
	for _, status := range []Status{Failed, Undecided, Passed} {
		if count[status] > 0 {
			return status
		}
	}
	return Skipped
}

// Count returns how many checks have each status.
func Count(checks []Check) map[Status]int {
	count := make(map[Status]int)
	for _, c := range checks {
		count[c.Status]++
	}
	return count
}

// FromOutcome returns a check of package model/check as a [Check].
func FromOutcome(o check.Outcome) Check {
	figures := Figures{}
	for key, value := range o.Figures {
		figures[key] = value
	}
	return Check{
		Name: o.Name, Engine: o.Engine, Status: Status(o.Status.String()), Reason: OneLine(o.Reason),
		Figures: figures, Reproduce: o.Reproduce, Detail: o.Detail,
	}
}

// nameOf is the name of a check of a file: the path as it was given follows the first slash, so
// that it can be read back.
func nameOf(prefix, file string) string { return prefix + "/" + file }

// Errored is a check that could not be done because of an error.
func Errored(name, engine, reproduce string, err error) Check {
	c := Check{Name: name, Engine: engine, Figures: Figures{}, Reproduce: reproduce}
	c.fail("%v", err)
	return c
}
