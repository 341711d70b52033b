package atomic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// ActionKind names an action of AtomicViewChange.tla.
type ActionKind uint8

// The actions, in the order of the text.
const (
	Prepare ActionKind = iota + 1
	Accept
	Fill
	AcknowledgeLate
	Commit
	Execute
	Leave
	StartView
	StartAgain
	Adopt
	Crash

	actionEnd // One past the last.
)

// String returns the action's name in the module.
func (k ActionKind) String() string {
	switch k {
	case Prepare:
		return "Prepare"
	case Accept:
		return "Accept"
	case Fill:
		return "Fill"
	case AcknowledgeLate:
		return "AcknowledgeLate"
	case Commit:
		return "Commit"
	case Execute:
		return "Execute"
	case Leave:
		return "Leave"
	case StartView:
		return "StartView"
	case StartAgain:
		return "StartAgain"
	case Adopt:
		return "Adopt"
	case Crash:
		return "Crash"
	}
	return fmt.Sprintf("ActionKind(%d)", uint8(k))
}

// Action is an action with its parameters. Arg is the view of Leave and Adopt, the quorum
// of StartView as a vsr.ReplicaSet, else 0.
type Action struct {
	Kind    ActionKind
	Replica int
	Arg     int
}

// Name is the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// String is the label: "Leave(1,2)", "StartView(1,{0,1})".
func (a Action) String() string { return a.text(",") }

// text writes the call with the given separator of parameters.
func (a Action) text(separator string) string {
	text := a.Kind.String() + "(" + strconv.Itoa(a.Replica)
	switch a.Kind { //nolint:exhaustive // The others have no second parameter.
	case Leave, Adopt:
		text += separator + strconv.Itoa(a.Arg)
	case StartView:
		text += separator + strings.ReplaceAll(vsr.ReplicaSet(a.Arg).String(), ",", separator)
	}
	return text + ")"
}

// operator is a name for the call that TLA+ accepts: "StartView_1_01".
func (a Action) operator() string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '(', ',':
			return '_'
		case ')', '{', '}', ' ':
			return -1
		}
		return r
	}, a.text(","))
}

// ActionCall is one disjunct of the module's Next with its parameters filled in.
type ActionCall struct {
	// Operator names the call in a module that wraps this one, Call is the call in TLA+,
	// Label is the label of its edges in this model.
	Operator, Call, Label string
}

// quorums are the sets of two replicas.
var quorums = []vsr.ReplicaSet{0b011, 0b101, 0b110}

// ActionCalls returns the whole of Next: every action with every parameter that Next
// quantifies over.
func ActionCalls(c Config) []ActionCall {
	var calls []ActionCall
	for kind := ActionKind(1); kind < actionEnd; kind++ {
		var arguments []int
		switch kind { //nolint:exhaustive // The others have no second parameter.
		case Leave, Adopt:
			for v := range c.MaxView + 1 {
				arguments = append(arguments, v)
			}
		case StartView:
			for _, q := range quorums {
				arguments = append(arguments, int(q))
			}
		default:
			arguments = []int{0}
		}
		for r := range N {
			for _, argument := range arguments {
				a := Action{Kind: kind, Replica: r, Arg: argument}
				calls = append(calls, ActionCall{a.operator(), a.text(", "), a.String()})
			}
		}
	}
	return calls
}
