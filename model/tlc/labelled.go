package tlc

import (
	"context"
	"fmt"
	"os"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/model/explore"
)

const dumpName = "graph.dot"

// Graph has TLC explore the whole state space of job.Module under the constants
// of job.Config, and returns its labelled graph: states by the canonical text of
// package tlaval, edges by the labels of the actions. The configuration has
// CONSTANTS only; bounds belong into the actions as guards.
//
// The graph has exactly the states and edges that TLC counted. About 2.6 KB of
// temporary disk space is needed per state of a spec of this project's size, and
// memory for the graph alone.
//
// Errors: those of [Tools.Check]; a dump that does not fit TLC's figures or the
// actions.
//
// Source: tla.md, section 7.2.
func (t *Tools) Graph(
	ctx context.Context, job Job, actions []WrappedAction,
) (*explore.Graph, *Outcome, error) {
	wrapped, err := job.wrap(actions, "SPECIFICATION "+wrapperSpec)
	if err != nil {
		return nil, nil, fmt.Errorf("prepare graph: %w", err)
	}
	var graph *explore.Graph
	byOperator := labels(actions)
	then := func(f folder, o *Outcome) error {
		dump, err := readDumpFile(f.join(dumpName), byOperator, job.KeepText)
		if err != nil {
			return fmt.Errorf("read graph of module %s: %w", job.Module, err)
		}
		if err := dump.matches(o); err != nil {
			return fmt.Errorf("read graph of module %s: %w", job.Module, err)
		}
		graph = dump.graph
		return nil
	}
	outcome, err := t.check(ctx, wrapped, then, "-dump", "dot,actionlabels", dumpName)
	if err == nil {
		err = outcome.relabel(byOperator)
	}
	if err != nil {
		return nil, outcome, err
	}
	return graph, outcome, nil
}

// CheckLabelled is [Tools.Check] of the invariants through the wrapper, so that
// each step of a counterexample names its action with its arguments. The
// configuration has CONSTANTS only.
func (t *Tools) CheckLabelled(
	ctx context.Context, job Job, actions []WrappedAction, invariants []string,
) (*Outcome, error) {
	lines := "SPECIFICATION " + wrapperSpec
	for _, name := range invariants {
		if !identifier.MatchString(name) {
			return nil, fmt.Errorf("prepare TLC: invariant %q: expected a TLA+ identifier", name)
		}
		lines += "\nINVARIANT " + name
	}
	wrapped, err := job.wrap(actions, lines)
	if err != nil {
		return nil, fmt.Errorf("prepare TLC: %w", err)
	}
	outcome, err := t.check(ctx, wrapped, nil)
	if err != nil {
		return outcome, err
	}
	return outcome, outcome.relabel(labels(actions))
}

// CheckWrapper asks TLC whether the actions together are the module's Next: that
// every step of the module is a step of some action, and the reverse. A forgotten
// argument would make a graph smaller and leave no other trace. The
// configuration has CONSTANTS only.
//
// Errors: those of [Tools.Check]; a step that one side has and the other has not.
func (t *Tools) CheckWrapper(ctx context.Context, job Job, actions []WrappedAction) error {
	// One run takes the steps of both sides and holds each step against either.
	wrapped, err := job.wrap(actions, "SPECIFICATION "+eitherSpec+
		"\nPROPERTIES "+coversNext+" "+withinNext)
	if err != nil {
		return fmt.Errorf("prepare TLC: %w", err)
	}
	outcome, err := t.check(ctx, wrapped, nil)
	if err != nil {
		return err
	}
	if outcome.Status == Clean {
		return nil
	}
	reason := "Next has a step that no action of the wrapper has"
	if outcome.Property == withinNext {
		reason = "an action of the wrapper has a step that is none of Next"
	}
	return fmt.Errorf("check wrapper of module %s: %s: %s", job.Module, reason, outcome.lastStep())
}

// lastStep says what the last step of the trace did.
func (o *Outcome) lastStep() string {
	if len(o.Trace) < 2 {
		return "TLC shows no step"
	}
	before, after := o.Trace[len(o.Trace)-2], o.Trace[len(o.Trace)-1]
	return fmt.Sprintf("%s from %v to %v", after.Action, before.State, after.State)
}

// relabel replaces the operators of the wrapper by the actions' labels.
func (o *Outcome) relabel(byOperator map[string]string) error {
	for i := range o.Trace {
		step := &o.Trace[i]
		if i == 0 && step.Action == "" {
			continue
		}
		label, ok := byOperator[step.Action]
		if !ok {
			o.Status = Failed
			return fmt.Errorf(
				"read TLC's trace: step %d has action %q, expected one of the wrapper's",
				i+1, step.Action)
		}
		step.Action = label
	}
	for i := range o.Actions {
		if label, ok := byOperator[o.Actions[i].Action]; ok {
			o.Actions[i].Action = label
		}
	}
	return nil
}

func readDumpFile(path string, byOperator map[string]string, keepText bool) (d *dump, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	return readDump(file, byOperator, keepText)
}
