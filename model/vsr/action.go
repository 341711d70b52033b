package vsr

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// ActionKind is an action of the spec without its parameters.
type ActionKind uint8

// The actions in the order of the modules Normal, CommitWalk, Repair, ViewChange,
// Recovery.
const (
	ActionClientRequest ActionKind = iota + 1
	ActionReceivePrepare
	ActionPrimaryCommit
	ActionReceiveCommit
	ActionWalkExecute
	ActionPipelineExecute
	ActionStallTruncate
	ActionRepairPrepare
	ActionStartViewChange
	ActionReceiveStartViewChange
	ActionSendDoViewChange
	ActionMergeVotes
	ActionBecomePrimary
	ActionReceiveStartView
	ActionRestart
	ActionAnswerProbe
	ActionRecover

	actionEnd // One past the last.
)

// parameter says what an action's second parameter is.
type parameter uint8

const (
	noParameter      parameter = iota + 1 // The replica is the only one.
	opParameter                           // An op of Ops.
	viewParameter                         // A view of Views.
	replicaParameter                      // Another replica.
	quorumParameter                       // A quorum of replicas.
)

var actionKinds = [actionEnd]struct {
	name      string
	parameter parameter
}{
	ActionClientRequest:          {traces.ActionClientRequest, noParameter},
	ActionReceivePrepare:         {traces.ActionReceivePrepare, noParameter},
	ActionPrimaryCommit:          {traces.ActionPrimaryCommit, noParameter},
	ActionReceiveCommit:          {traces.ActionReceiveCommit, opParameter},
	ActionWalkExecute:            {traces.ActionWalkExecute, noParameter},
	ActionPipelineExecute:        {traces.ActionPipelineExecute, noParameter},
	ActionStallTruncate:          {traces.ActionStallTruncate, noParameter},
	ActionRepairPrepare:          {traces.ActionRepairPrepare, opParameter},
	ActionStartViewChange:        {traces.ActionStartViewChange, noParameter},
	ActionReceiveStartViewChange: {traces.ActionReceiveStartViewChange, viewParameter},
	ActionSendDoViewChange:       {traces.ActionSendDoViewChange, noParameter},
	ActionMergeVotes:             {traces.ActionMergeVotes, quorumParameter},
	ActionBecomePrimary:          {traces.ActionBecomePrimary, noParameter},
	ActionReceiveStartView:       {traces.ActionReceiveStartView, viewParameter},
	ActionRestart:                {traces.ActionRestart, noParameter},
	ActionAnswerProbe:            {traces.ActionAnswerProbe, replicaParameter},
	ActionRecover:                {traces.ActionRecover, viewParameter},
}

// ActionKinds returns every kind in order. The caller owns the slice.
func ActionKinds() []ActionKind {
	kinds := make([]ActionKind, 0, actionEnd-1)
	for k := ActionKind(1); k < actionEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String is the action's name in spec and traces.
func (k ActionKind) String() string {
	if k >= 1 && k < actionEnd {
		return actionKinds[k].name
	}
	return fmt.Sprintf("ActionKind(%d)", uint8(k))
}

// ParseActionKind reads what [ActionKind.String] writes.
func ParseActionKind(name string) (ActionKind, error) {
	for k := ActionKind(1); k < actionEnd; k++ {
		if actionKinds[k].name == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("action %q: expected one of %s", name,
		strings.Join(traces.Actions(), ", "))
}

// Action is an action of the spec with its parameters: the label of an edge of the
// state graph.
type Action struct {
	Kind ActionKind
	// Replica is who takes the step, the action's first parameter.
	Replica int
	// Arg is the second parameter, 0 where there is none: an op (ReceiveCommit,
	// RepairPrepare), a view (ReceiveStartViewChange, ReceiveStartView, Recover), a
	// replica (AnswerProbe) or a [ReplicaSet] (MergeVotes).
	Arg int
}

// Name is the action's name without parameters.
func (a Action) Name() string {
	return a.Kind.String()
}

// String is the label: "ReceiveCommit(1,2)", "MergeVotes(1,{0,1})".
func (a Action) String() string {
	return a.text(",")
}

// text writes the call with the given separator of parameters.
func (a Action) text(separator string) string {
	text := a.Kind.String() + "(" + strconv.Itoa(a.Replica)
	if a.Kind < 1 || a.Kind >= actionEnd {
		return text + separator + strconv.Itoa(a.Arg) + ")"
	}
	switch actionKinds[a.Kind].parameter {
	case noParameter:
	case opParameter, viewParameter, replicaParameter:
		text += separator + strconv.Itoa(a.Arg)
	case quorumParameter:
		text += separator + ReplicaSet(a.Arg).text(separator)
	}
	return text + ")"
}

// operator is a name for the call that TLA+ accepts: "MergeVotes_1_01".
func (a Action) operator() string {
	name := a.Kind.String() + "_" + strconv.Itoa(a.Replica)
	switch actionKinds[a.Kind].parameter {
	case noParameter:
	case opParameter, viewParameter, replicaParameter:
		name += "_" + strconv.Itoa(a.Arg)
	case quorumParameter:
		name += "_"
		for _, r := range ReplicaSet(a.Arg).Members() {
			name += strconv.Itoa(r)
		}
	}
	return name
}

// ActionCall is one disjunct of the spec's Next with its parameters filled in.
type ActionCall struct {
	// Operator names the call in a module that wraps the spec: "MergeVotes_1_01".
	Operator string
	// Call is the call in TLA+: "MergeVotes(1, {0, 1})".
	Call string
	// Label is the label of the call's edges in this model: "MergeVotes(1,{0,1})".
	Label string
}

// ActionCalls returns the whole of Next: every action with every parameter that Next
// quantifies over, so that the disjunction of the calls is Next. Some of them are
// never enabled, such as the answer to an own probe. It returns nil if a bound is
// [Unbounded], where the list has no end.
func ActionCalls(c Config) []ActionCall {
	if !c.Bounded() {
		return nil
	}
	var calls []ActionCall
	for kind := ActionKind(1); kind < actionEnd; kind++ {
		for r := range c.N {
			for _, arg := range argumentsOf(&c, kind) {
				a := Action{Kind: kind, Replica: r, Arg: arg}
				calls = append(calls, ActionCall{
					Operator: a.operator(), Call: a.text(", "), Label: a.String(),
				})
			}
		}
	}
	return calls
}

// argumentsOf lists what Next quantifies an action's second parameter over.
func argumentsOf(c *Config, kind ActionKind) []int {
	var arguments []int
	switch actionKinds[kind].parameter {
	case noParameter:
		arguments = []int{0}
	case opParameter:
		for op := 1; op <= c.MaxRequest; op++ {
			arguments = append(arguments, op)
		}
	case viewParameter:
		for v := 0; v <= c.MaxView; v++ {
			arguments = append(arguments, v)
		}
	case replicaParameter:
		for r := range c.N {
			arguments = append(arguments, r)
		}
	case quorumParameter:
		for _, quorum := range c.voterSets() {
			arguments = append(arguments, int(quorum))
		}
		for size := c.Quorums().ViewChange + 1; c.MergeAgain && size <= c.N; size++ {
			for _, voters := range setsOf[c.N][size] {
				arguments = append(arguments, int(voters))
			}
		}
	}
	return arguments
}

// ReplicaSet is a set of replicas: bit r is replica r.
type ReplicaSet uint8

// Has reports whether r is in the set.
func (s ReplicaSet) Has(r int) bool {
	return s>>r&1 != 0
}

// Len is the number of members.
func (s ReplicaSet) Len() int {
	return bits.OnesCount8(uint8(s))
}

// Members returns the replicas of the set, ascending.
func (s ReplicaSet) Members() []int {
	members := make([]int, 0, s.Len())
	for r := range 8 {
		if s.Has(r) {
			members = append(members, r)
		}
	}
	return members
}

// String is the set as "{0,1}".
func (s ReplicaSet) String() string {
	return s.text(",")
}

func (s ReplicaSet) text(separator string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, r := range s.Members() {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(strconv.Itoa(r))
	}
	b.WriteByte('}')
	return b.String()
}
