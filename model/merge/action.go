package merge

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ActionKind names an action of Merge.tla.
type ActionKind uint8

// The actions, in the order of Merge!Next.
const (
	ClientRequest ActionKind = iota + 1
	ReceivePrepare
	PrimaryCommit
	ReceiveCommit
	BecomePrimary
	Restart
	Wipe
	RepairPrepare
	RepairMerged
	Rot
	PowerLoss
	ReceiveStartView
	SendDoViewChange
	MergeVotes
)

// ActionKinds returns all actions, in the order of Merge!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{
		ClientRequest, ReceivePrepare, PrimaryCommit, ReceiveCommit, BecomePrimary, Restart,
		Wipe, RepairPrepare, RepairMerged, Rot, PowerLoss, ReceiveStartView,
		SendDoViewChange, MergeVotes,
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
	case BecomePrimary:
		return "BecomePrimary"
	case Restart:
		return "Restart"
	case Wipe:
		return "Wipe"
	case RepairPrepare:
		return "RepairPrepare"
	case RepairMerged:
		return "RepairMerged"
	case Rot:
		return "Rot"
	case PowerLoss:
		return "PowerLoss"
	case ReceiveStartView:
		return "ReceiveStartView"
	case SendDoViewChange:
		return "SendDoViewChange"
	case MergeVotes:
		return "MergeVotes"
	}
	return fmt.Sprintf("ActionKind(%d)", uint8(k))
}

// ReplicaSet is a set of replicas: bit r is replica r.
type ReplicaSet uint8

func (s ReplicaSet) has(r uint8) bool { return s>>r&1 != 0 }

func (s ReplicaSet) size() int { return bits.OnesCount8(uint8(s)) }

// digits are the members, ascending, with a separator.
func (s ReplicaSet) digits(separator string) string {
	var members []string
	for r := range uint8(8) {
		if s.has(r) {
			members = append(members, strconv.Itoa(int(r)))
		}
	}
	return strings.Join(members, separator)
}

// String is the set as "{0,1}".
func (s ReplicaSet) String() string { return "{" + s.digits(",") + "}" }

// Action is one labelled step: an action with its parameters. Fields that an action
// has no use for are zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Replica is r or p; SendDoViewChange has none.
	Replica uint8
	// Number is the op i, the op c of PowerLoss, or the view v.
	Number uint8
	// Set is S of SendDoViewChange and MergeVotes.
	Set ReplicaSet
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// arguments returns the parameters, as expressions of the module without spaces.
func (a Action) arguments() []string {
	replica, number := strconv.Itoa(int(a.Replica)), strconv.Itoa(int(a.Number))
	switch a.Kind {
	case ClientRequest, ReceivePrepare, PrimaryCommit, ReceiveCommit, BecomePrimary, Restart, Wipe:
		return []string{replica}
	case RepairPrepare, RepairMerged, Rot, PowerLoss, ReceiveStartView:
		return []string{replica, number}
	case SendDoViewChange:
		return []string{a.Set.String(), number}
	case MergeVotes:
		return []string{replica, a.Set.String()}
	}
	return nil
}

// String returns the label: the action as the module calls it, without spaces.
func (a Action) String() string {
	return a.Name() + "(" + strings.Join(a.arguments(), ",") + ")"
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for each
// action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "MergeVotes_1_01".
	Operator string
	// Call is an expression of the module, without free names: "MergeVotes(1,{0,1})".
	Call string
	// Label is the action's text, see [Action.String].
	Label string
}

var operatorText = strings.NewReplacer("{", "", "}", "", ",", "")

// call returns the TLA+ text of the action.
func (a Action) call() ActionCall {
	operator := a.Name()
	for _, argument := range a.arguments() {
		operator += "_" + operatorText.Replace(argument)
	}
	return ActionCall{Operator: operator, Call: a.String(), Label: a.String()}
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of Merge!Next. Sets that the guards always refuse are left out.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	add := func(a Action) { calls = append(calls, a.call()) }
	for _, kind := range ActionKinds() {
		if kind == SendDoViewChange {
			for v := uint8(1); int(v) <= c.MaxView; v++ {
				for _, set := range m.voting {
					add(Action{Kind: kind, Number: v, Set: set})
				}
			}
			continue
		}
		for r := range uint8(c.N) {
			m.eachOf(Action{Kind: kind, Replica: r}, add)
		}
	}
	return calls
}

// eachOf calls add for the action with each of its further parameters.
func (m *machine) eachOf(a Action, add func(Action)) {
	numbers := func(from, to int) {
		for n := from; n <= to; n++ {
			a.Number = uint8(n)
			add(a)
		}
	}
	switch a.Kind {
	case RepairPrepare, RepairMerged, Rot:
		numbers(1, m.MaxOp)
	case PowerLoss:
		numbers(0, m.MaxOp)
	case ReceiveStartView:
		numbers(0, m.MaxView)
	case MergeVotes:
		for set := ReplicaSet(1); set < 1<<m.N; set++ {
			if a.Set = set; set.has(a.Replica) {
				add(a)
			}
		}
	case ClientRequest, ReceivePrepare, PrimaryCommit, ReceiveCommit, BecomePrimary, Restart,
		Wipe, SendDoViewChange:
		add(a)
	}
}
