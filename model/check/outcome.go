package check

import (
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/model/vsr"
)

// Status is the verdict of a check. The zero Status is none.
type Status uint8

const (
	// Passed: what was found is what the manifest says.
	Passed Status = iota + 1
	// Failed: it is not; Outcome.Reason says how.
	Failed
	// Skipped: the check could not run here. It never counts as passed.
	Skipped
	// Undecided: a limit or the context ended the check before it had a verdict.
	Undecided
)

// String is the status as the tool's JSON writes it.
func (s Status) String() string {
	switch s {
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	case Skipped:
		return "skipped"
	case Undecided:
		return "undecided"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Engines, as the tool's JSON names them.
const (
	EngineGo  = "go"
	EngineTLC = "tlc"
)

// Keys of Outcome.Figures.
const (
	FigureDistinct           = "distinct"
	FigureTransitions        = "transitions"
	FigureDepth              = "depth"
	FigureStatesPerCPUSecond = "states_per_cpu_second"
	FigureMutants            = "mutants"
	FigureMutantsCaught      = "mutants_caught"
	FigureActionsCovered     = "actions_covered"
	FigureActionsTotal       = "actions_total"
	FigureSometimesHit       = "sometimes_hit"
	FigureSometimesTotal     = "sometimes_total"
)

// Outcome is what one check found and how that compares with the manifest.
type Outcome struct {
	// Name says what was checked: "check/ci-111", "graph/ci-111", "golden/ci-111".
	Name string
	// Engine is EngineGo or EngineTLC. A comparison of the two has EngineTLC, since
	// it needs TLC.
	Engine string
	Status Status
	// Reason says in one line why the status is not Passed; empty if it is.
	Reason string
	// Figures holds what was counted, by the keys above, where they apply.
	Figures map[string]float64
	// Reproduce is the command that does this check alone.
	Reproduce string
	// Detail is text of several lines for people: the difference of two graphs, or the
	// table of an adequacy check. May be empty.
	Detail string
	// Counterexample is the violation that was found, expected or not; else nil.
	Counterexample *Counterexample

	// actions counts the successors per action name and goals says which goals were
	// reached; [Coverage] sums them up.
	actions map[string]int
	goals   map[string]bool
	// overhead is FigureOverhead, of the Go model.
	overhead float64
	// names are all action names of the module.
	names []string
}

// Counterexample is a behaviour that breaks a property.
type Counterexample struct {
	// Property is the broken property, Reason the model's account of how; TLC gives
	// none.
	Property string
	Reason   string
	// States is its length, the initial state included. No shorter one exists.
	States int
	// Text shows it to people: each step with the variables that it changed.
	Text string
	// Steps are its states as text, with the actions between them; TLC's have none.
	Steps []explore.Described
	// write saves it; nil for TLC's.
	write func(w io.Writer, f Format) error
	// VSR is the path of a cfg of module VSR, as the Go model took it, from which a
	// trace can be written, and VSRConfig the constants of the run; Partition is that
	// of a cfg of module PartitionLog. Nil for the other module and for TLC.
	VSR       []explore.Step[vsr.State, vsr.Action]
	VSRConfig vsr.Config
	Partition []explore.Step[storage.PartitionState, storage.PartitionAction]
}
