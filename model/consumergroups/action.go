package consumergroups

import (
	"fmt"
	"strings"
)

// ActionKind names an action of ConsumerGroups.tla.
type ActionKind uint8

// The actions, in the order of ConsumerGroups!Next.
const (
	CommitMessage ActionKind = iota + 1
	Execute
	CheckpointGroup
	RestartReplica
)

// ActionKinds returns all actions, in the order of ConsumerGroups!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{CommitMessage, Execute, CheckpointGroup, RestartReplica}
}

var actionNames = [...]string{
	CommitMessage: "CommitMessage", Execute: "Execute", CheckpointGroup: "CheckpointGroup",
	RestartReplica: "RestartReplica",
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	if k < CommitMessage || k > RestartReplica {
		return fmt.Sprintf("ActionKind(%d)", uint8(k))
	}
	return actionNames[k]
}

// Action is one labelled step: an action with its parameters. Fields that an action
// has no use for are zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Message is what commits.
	Message Message
	// Replica is r of Execute.
	Replica uint8
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// String returns the label, as in CommitMessage(join,1,1) and Execute(1).
func (a Action) String() string {
	switch a.Kind {
	case CommitMessage:
		return fmt.Sprintf("CommitMessage(%s,%d,%d)", a.Message.Kind, a.Message.Client,
			a.Message.Number)
	case Execute:
		return fmt.Sprintf("Execute(%d)", a.Replica)
	case CheckpointGroup, RestartReplica:
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
	case CommitMessage:
		c.Call = fmt.Sprintf(`CommitMessage(Message("%s",%d,%d))`, a.Message.Kind,
			a.Message.Client, a.Message.Number)
	case CheckpointGroup, RestartReplica:
		c.Operator += "_" // Not the name that the module itself defines.
	case Execute:
	}
	return c
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of ConsumerGroups!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	for _, x := range m.messages {
		calls = append(calls, Action{Kind: CommitMessage, Message: x}.call())
	}
	for r := range m.N {
		calls = append(calls, Action{Kind: Execute, Replica: uint8(r)}.call())
	}
	return append(calls, Action{Kind: CheckpointGroup}.call(),
		Action{Kind: RestartReplica}.call())
}
