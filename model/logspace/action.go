package logspace

import (
	"fmt"
	"strings"
)

// ActionKind names an action of LogSpace.tla.
type ActionKind uint8

// The actions, in the order of LogSpace!Next.
const (
	Prepare ActionKind = iota + 1
	StoreHeld
	Refuse
	Execute
	Tick
	EndCheckpoint
	FailCheckpoint
	EndWait
	WriteState
)

// ActionKinds returns all actions, in the order of LogSpace!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{
		Prepare, StoreHeld, Refuse, Execute, Tick, EndCheckpoint,
		FailCheckpoint, EndWait, WriteState,
	}
}

var actionNames = [...]string{
	Prepare: "Prepare", StoreHeld: "StoreHeld", Refuse: "Refuse",
	Execute: "Execute", Tick: "Tick", EndCheckpoint: "EndCheckpoint",
	FailCheckpoint: "FailCheckpoint", EndWait: "EndWait", WriteState: "WriteState",
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	if k < Prepare || k > WriteState {
		return fmt.Sprintf("ActionKind(%d)", uint8(k))
	}
	return actionNames[k]
}

// Action is one labelled step: an action with its group, which is zero for Refuse,
// so that equal steps are equal values.
type Action struct {
	Kind  ActionKind
	Group uint8
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// String returns the label, as in Execute(1) and Refuse.
func (a Action) String() string {
	if a.Group == 0 {
		return a.Name()
	}
	return fmt.Sprintf("%s(%d)", a.Name(), a.Group)
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for each
// action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "Execute_1".
	Operator string
	// Call is an expression of the module, without free names: "Execute(1)".
	Call string
	// Label is the action's text, see [Action.String].
	Label string
}

var operatorText = strings.NewReplacer("(", "_", ")", "")

// call returns the TLA+ text of the action.
func (a Action) call() ActionCall {
	c := ActionCall{Operator: operatorText.Replace(a.String()), Call: a.String(), Label: a.String()}
	if a.Group == 0 {
		c.Operator += "_" // Not the name that the module itself defines.
	}
	return c
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of LogSpace!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	for _, kind := range ActionKinds() {
		if kind == Refuse {
			calls = append(calls, Action{Kind: kind}.call())
			continue
		}
		for g := 1; g <= m.Groups; g++ {
			calls = append(calls, Action{kind, uint8(g)}.call())
		}
	}
	return calls
}
