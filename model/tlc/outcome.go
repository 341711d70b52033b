package tlc

import "github.com/viewstamp/viewstamp/model/tlc/tlaval"

// Status is how a run of TLC ended. The zero Status is none.
type Status uint8

const (
	// Clean says that TLC visited every reachable state and found no violation.
	Clean Status = iota + 1
	// Violated says that TLC found a behavior that breaks a property.
	Violated
	// Failed says that TLC reached no verdict.
	Failed
)

// String returns the status in lower case.
func (s Status) String() string {
	switch s {
	case Clean:
		return "clean"
	case Violated:
		return "violated"
	case Failed:
		return "failed"
	}
	return "no status"
}

// Deadlock is the [Outcome.Property] of a run that found a state without a
// successor, which is a violation unless the configuration says
// CHECK_DEADLOCK FALSE.
const Deadlock = "Deadlock"

// Outcome is what one run of TLC found.
type Outcome struct {
	Status Status
	// Property is the violated invariant or property. TLC does not say which
	// temporal property is violated: where the configuration has several, their
	// names are joined by commas.
	Property string

	// Distinct and Generated count states as TLC does (Generated counts a state
	// once for each way to it); Depth is the number of states on the longest
	// shortest path. All are 0 where TLC ended before it counted.
	Distinct  int
	Generated int
	Depth     int

	// Trace is the counterexample, from an initial state on; nil if Clean. Of a
	// run that Failed it is what led to the failure, if TLC said that much.
	Trace []TraceStep
	// BackTo is 0, or, for a temporal property, which step of Trace (from 1) the
	// behavior goes on with after the last one, for ever.
	BackTo int
	// Stuttering says that the behavior stays in the last state of Trace for ever.
	Stuttering bool

	// Actions has one entry for each action, in TLC's order, if the job asked for
	// Coverage.
	Actions []ActionCount

	// CPUSeconds is the user and system time of the Java process.
	CPUSeconds float64
	// Output is the end of what TLC printed, for a person to read.
	Output string

	// initialGenerated counts the initial states, each as often as generated.
	initialGenerated int
}

// TraceStep is a state of a counterexample and the action that led to it.
type TraceStep struct {
	// Action is the label of the action in a labelled run, else TLC's name for it.
	// It is empty for the initial state.
	Action string
	// State is a function from the names of the variables to their values.
	State tlaval.Value
}

// ActionCount is how often an action was taken.
type ActionCount struct {
	Action    string // Named as in TraceStep.
	Distinct  int    // States that the action reached first.
	Generated int    // Times that the action was taken.
}
