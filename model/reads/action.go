package reads

import (
	"fmt"
	"strconv"
	"strings"
)

// ActionKind names an action of Reads.tla.
type ActionKind uint8

// The actions, in the order of Reads!Next.
const (
	ClientRequest ActionKind = iota + 1
	ReceivePrepare
	PrimaryCommit
	ReceiveCommit
	WalkExecute
	SendDoViewChange
	BecomePrimary
	ReceiveStartView
	ReceiveRead
	AskIndex
	ConfirmView
	AnswerIndex
	AnswerRead
	ReadLocally
	Tick
)

// ActionKinds returns all actions, in the order of Reads!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{
		ClientRequest, ReceivePrepare, PrimaryCommit, ReceiveCommit, WalkExecute,
		SendDoViewChange, BecomePrimary, ReceiveStartView, ReceiveRead, AskIndex,
		ConfirmView, AnswerIndex, AnswerRead, ReadLocally, Tick,
	}
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	switch k {
	case ClientRequest:
		return "ClientRequest"
	case ReceivePrepare:
		return "ReceivePrepare"
	case PrimaryCommit:
		return "PrimaryCommit"
	case ReceiveCommit:
		return "ReceiveCommit"
	case WalkExecute:
		return "WalkExecute"
	case SendDoViewChange:
		return "SendDoViewChange"
	case BecomePrimary:
		return "BecomePrimary"
	case ReceiveStartView:
		return "ReceiveStartView"
	case ReceiveRead:
		return "ReceiveRead"
	case AskIndex:
		return "AskIndex"
	case ConfirmView:
		return "ConfirmView"
	case AnswerIndex:
		return "AnswerIndex"
	case AnswerRead:
		return "AnswerRead"
	case ReadLocally:
		return "ReadLocally"
	case Tick:
		return "Tick"
	}
	return fmt.Sprintf("ActionKind(%d)", uint8(k))
}

// Action is one labelled step: an action with its parameters. Fields that an action
// has no use for are zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Replica is r or p of the actions that have one.
	Replica uint8
	// Number is k of ReceiveCommit, v of SendDoViewChange and ReceiveStartView, p of AskIndex,
	// i (from 1) of ConfirmView, AnswerIndex and AnswerRead.
	Number uint8
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// arguments returns the parameters.
func (a Action) arguments() []string {
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	switch a.Kind {
	case ClientRequest, ReceivePrepare, PrimaryCommit, WalkExecute, BecomePrimary,
		ReceiveRead, ReadLocally, Tick:
		return []string{number(a.Replica)}
	case ReceiveCommit, SendDoViewChange, ReceiveStartView, AskIndex, ConfirmView:
		return []string{number(a.Replica), number(a.Number)}
	case AnswerIndex, AnswerRead:
		return []string{number(a.Number)}
	}
	return nil
}

// String returns the label: the action as the module calls it, without spaces, as in
// ConfirmView(2,1).
func (a Action) String() string {
	return a.Name() + "(" + strings.Join(a.arguments(), ",") + ")"
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for each
// action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "ConfirmView_2_1".
	Operator string
	// Call is an expression of the module, without free names: "ConfirmView(2,1)".
	Call string
	// Label is the action's text, see [Action.String].
	Label string
}

// call returns the TLA+ text of the action. A wrapper calls reads that have not arrived
// too, of which the module's sequence of reads knows nothing.
func (a Action) call() ActionCall {
	call := a.String()
	switch a.Kind { //nolint:exhaustive // The others name no read.
	case ConfirmView, AnswerIndex, AnswerRead:
		call = fmt.Sprintf("%d <= Len(reads) /\\ %s", a.Number, call)
	}
	return ActionCall{
		Operator: a.Name() + "_" + strings.Join(a.arguments(), "_"),
		Call:     call,
		Label:    a.String(),
	}
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of Reads!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	for _, kind := range ActionKinds() {
		first, last := 0, 0 // The range of Number.
		switch kind {
		case ReceiveCommit:
			first, last = 1, m.MaxOp
		case SendDoViewChange, ReceiveStartView:
			first, last = 0, m.MaxView
		case AskIndex:
			first, last = 0, m.N-1
		case ConfirmView, AnswerIndex, AnswerRead:
			first, last = 1, m.MaxRead
		case ClientRequest, ReceivePrepare, PrimaryCommit, WalkExecute, BecomePrimary,
			ReceiveRead, ReadLocally, Tick:
		}
		replicas := m.N
		if kind == AnswerIndex || kind == AnswerRead {
			replicas = 1
		}
		for r := range replicas {
			for n := first; n <= last; n++ {
				a := Action{Kind: kind, Replica: uint8(r), Number: uint8(n)}
				calls = append(calls, a.call())
			}
		}
	}
	return calls
}
