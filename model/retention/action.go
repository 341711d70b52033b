package retention

import (
	"fmt"
	"strings"
)

// ActionKind names an action of Retention.tla.
type ActionKind uint8

// The actions, in the order of Retention!Next.
const (
	CommitOp ActionKind = iota + 1
	Execute
	AnswerPoll
	Materialise
	TakeSnapshot
	PairCheckpoint
	RestartReplica
)

// ActionKinds returns all actions, in the order of Retention!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{
		CommitOp, Execute, AnswerPoll, Materialise, TakeSnapshot, PairCheckpoint,
		RestartReplica,
	}
}

var actionNames = [...]string{
	CommitOp: "CommitOp", Execute: "Execute", AnswerPoll: "AnswerPoll",
	Materialise: "Materialise", TakeSnapshot: "TakeSnapshot", PairCheckpoint: "PairCheckpoint",
	RestartReplica: "RestartReplica",
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	if k < CommitOp || k > RestartReplica {
		return fmt.Sprintf("ActionKind(%d)", uint8(k))
	}
	return actionNames[k]
}

// Action is one labelled step: an action with its parameters. Fields that an action
// has no use for are zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Op is what commits.
	Op Op
	// Replica is r of Execute and AnswerPoll, From the offset of the latter.
	Replica, From uint8
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// String returns the label, as in CommitOp(purge,0,1) and Execute(1).
func (a Action) String() string {
	switch a.Kind {
	case CommitOp:
		return fmt.Sprintf("CommitOp(%s,%d,%d)", a.Op.Kind, a.Op.Consumer, a.Op.Number)
	case Execute:
		return fmt.Sprintf("Execute(%d)", a.Replica)
	case AnswerPoll:
		return fmt.Sprintf("AnswerPoll(%d,%d)", a.Replica, a.From)
	case Materialise, TakeSnapshot, PairCheckpoint, RestartReplica:
	}
	return a.Name()
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

var operatorText = strings.NewReplacer("(", "_", ",", "_", ")", "")

// call returns the TLA+ text of the action.
func (a Action) call() ActionCall {
	c := ActionCall{Operator: operatorText.Replace(a.String()), Call: a.String(), Label: a.String()}
	switch a.Kind {
	case CommitOp:
		c.Call = fmt.Sprintf(`CommitOp(Op("%s",%d,%d))`, a.Op.Kind, a.Op.Consumer, a.Op.Number)
	case Materialise, TakeSnapshot, PairCheckpoint, RestartReplica:
		c.Operator += "_" // Not the name that the module itself defines.
	case Execute, AnswerPoll:
	}
	return c
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of Retention!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	for _, x := range m.ops {
		calls = append(calls, Action{Kind: CommitOp, Op: x}.call())
	}
	for r := range m.N {
		calls = append(calls, Action{Kind: Execute, Replica: uint8(r)}.call())
	}
	for r := range m.N {
		for from := range m.MaxOp + 1 {
			a := Action{Kind: AnswerPoll, Replica: uint8(r), From: uint8(from)}
			calls = append(calls, a.call())
		}
	}
	for kind := Materialise; kind <= RestartReplica; kind++ {
		calls = append(calls, Action{Kind: kind}.call())
	}
	return calls
}
