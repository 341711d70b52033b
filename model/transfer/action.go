package transfer

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// ActionKind names an action of Transfer.tla.
type ActionKind uint8

// The actions.
const (
	ClientRequest ActionKind = iota + 1
	ReceivePrepare
	PrimaryCommit
	ReceiveCommit
	WalkExecute
	RepairHeader
	RepairPrepare
	StartViewChange
	MergeVotes
	BecomePrimary
	ReceiveStartView
	LateStartView
	Recover
	RaiseHead
	TakeCheckpoint
	StartTransfer
	FetchChunk
	ResumeTransfer
	AbandonTransfer
	Install
	Restart
)

// parameter is what an action has besides its replica.
type parameter uint8

const (
	noParameter parameter = iota + 1
	opParameter
	viewParameter
	replicaParameter
	quorumParameter
)

// step computes the successors by one action.
type step func(m *machine, s *State, yield func(Action, State))

// actionKinds describes the actions. A fair one is taken by a live replica without
// anybody's leave: Transfer!FairStep.
var actionKinds = [...]struct {
	name      string
	parameter parameter
	fair      bool
	step      step
}{
	ClientRequest:    {"ClientRequest", noParameter, false, (*machine).clientRequest},
	ReceivePrepare:   {"ReceivePrepare", noParameter, true, (*machine).receivePrepare},
	PrimaryCommit:    {"PrimaryCommit", noParameter, true, (*machine).primaryCommit},
	ReceiveCommit:    {"ReceiveCommit", replicaParameter, true, (*machine).receiveCommit},
	WalkExecute:      {"WalkExecute", noParameter, true, (*machine).walkExecute},
	RepairHeader:     {"RepairHeader", opParameter, true, (*machine).repairHeader},
	RepairPrepare:    {"RepairPrepare", opParameter, true, (*machine).repairPrepare},
	StartViewChange:  {"StartViewChange", viewParameter, false, (*machine).startViewChange},
	MergeVotes:       {"MergeVotes", quorumParameter, false, (*machine).mergeVotes},
	BecomePrimary:    {"BecomePrimary", noParameter, true, (*machine).becomePrimary},
	ReceiveStartView: {"ReceiveStartView", replicaParameter, true, (*machine).receiveStartView},
	LateStartView:    {"LateStartView", viewParameter, false, (*machine).lateStartView},
	Recover:          {"Recover", replicaParameter, false, (*machine).recover},
	RaiseHead:        {"RaiseHead", noParameter, true, (*machine).raiseHead},
	TakeCheckpoint:   {"TakeCheckpoint", noParameter, false, (*machine).takeCheckpoint},
	StartTransfer:    {"StartTransfer", replicaParameter, true, (*machine).startTransfer},
	FetchChunk:       {"FetchChunk", noParameter, true, (*machine).fetchChunk},
	ResumeTransfer:   {"ResumeTransfer", replicaParameter, true, (*machine).resumeTransfer},
	AbandonTransfer:  {"AbandonTransfer", noParameter, true, (*machine).abandonTransfer},
	Install:          {"Install", noParameter, true, (*machine).install},
	Restart:          {"Restart", noParameter, false, (*machine).restart},
}

// ActionKinds returns all actions.
func ActionKinds() []ActionKind {
	var all []ActionKind
	for k := ClientRequest; k <= Restart; k++ {
		all = append(all, k)
	}
	return all
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	if k < ClientRequest || k > Restart {
		return fmt.Sprintf("ActionKind(%d)", uint8(k))
	}
	return actionKinds[k].name
}

// Fair reports whether a live replica takes the step without anybody's leave:
// Transfer!FairStep.
func (k ActionKind) Fair() bool { return actionKinds[k].fair }

// ReplicaSet is a set of replicas: bit r is replica r.
type ReplicaSet uint8

// String is the set as the module writes it, such as "{0,2}".
func (s ReplicaSet) String() string {
	text := "{"
	for r := range ReplicasMax {
		if s.has(r) {
			if len(text) > 1 {
				text += ","
			}
			text += strconv.Itoa(r)
		}
	}
	return text + "}"
}

func (s ReplicaSet) has(r int) bool { return s>>r&1 != 0 }

// quorumsOf returns the sets of so many of n replicas: Transfer!Quorums.
func quorumsOf(n, size int) []ReplicaSet {
	var all []ReplicaSet
	for set := range ReplicaSet(1 << n) {
		if bits.OnesCount8(uint8(set)) == size {
			all = append(all, set)
		}
	}
	return all
}

// Action is one labelled step: an action with its parameters. A parameter that an
// action does not have is zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Replica is r or p, who takes the step.
	Replica uint8
	// Argument is the second parameter: an op, a view, a replica or a [ReplicaSet].
	Argument uint8
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// String returns the label: the action as the module calls it, without spaces, as in
// MergeVotes(1,{1,2}).
func (a Action) String() string {
	text := a.Name() + "(" + strconv.Itoa(int(a.Replica))
	switch actionKinds[a.Kind].parameter {
	case noParameter:
	case opParameter, viewParameter, replicaParameter:
		text += "," + strconv.Itoa(int(a.Argument))
	case quorumParameter:
		text += "," + ReplicaSet(a.Argument).String()
	}
	return text + ")"
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for each
// action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "MergeVotes_1_1_2".
	Operator string
	// Call is an expression of the module, without free names: "MergeVotes(1,{1,2})".
	Call string
	// Label is the action's text, see [Action.String].
	Label string
}

var operatorText = strings.NewReplacer("(", "_", ",", "_", "{", "", "}", "", ")", "")

// ActionCalls returns every action that the module can take under c, each with all its
// parameters.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	for _, kind := range ActionKinds() {
		for r := range c.N {
			for _, argument := range m.arguments(kind) {
				a := Action{Kind: kind, Replica: uint8(r), Argument: argument}
				calls = append(calls, ActionCall{
					Operator: operatorText.Replace(a.String()), Call: a.String(), Label: a.String(),
				})
			}
		}
	}
	return calls
}

// arguments lists what Transfer!Next quantifies an action's second parameter over.
func (m *machine) arguments(kind ActionKind) []uint8 {
	var all []uint8
	add := func(from, to int) {
		for i := from; i <= to; i++ {
			all = append(all, uint8(i))
		}
	}
	switch actionKinds[kind].parameter {
	case noParameter:
		add(0, 0)
	case opParameter:
		add(1, m.MaxRequest)
	case viewParameter:
		add(0, m.MaxView)
	case replicaParameter:
		add(0, m.N-1)
	case quorumParameter:
		for _, quorum := range m.quorums {
			all = append(all, uint8(quorum))
		}
	}
	return all
}
