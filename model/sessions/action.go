package sessions

import (
	"fmt"
	"strconv"
	"strings"
)

// ActionKind names an action of Sessions.tla.
type ActionKind uint8

// The actions, in the order of Sessions!Next.
const (
	CommitMessage ActionKind = iota + 1
	Execute
	CheckpointTable
	RestartReplica
	InstallTable
	ProposeCapacity
	Register
	TakeSession
	LearnTaken
	IntruderRegister
	SendRequest
	ForeignRequest
	TakeAnswer
	LearnOver
	Logout
)

// ActionKinds returns all actions, in the order of Sessions!Next.
func ActionKinds() []ActionKind {
	return []ActionKind{
		CommitMessage, Execute, CheckpointTable, RestartReplica, InstallTable,
		ProposeCapacity, Register, TakeSession, LearnTaken, IntruderRegister, SendRequest,
		ForeignRequest, TakeAnswer, LearnOver, Logout,
	}
}

// String returns the action's name in the module.
func (k ActionKind) String() string {
	switch k {
	case CommitMessage:
		return "CommitMessage"
	case Execute:
		return "Execute"
	case CheckpointTable:
		return "CheckpointTable"
	case RestartReplica:
		return "RestartReplica"
	case InstallTable:
		return "InstallTable"
	case ProposeCapacity:
		return "ProposeCapacity"
	case Register:
		return "Register"
	case TakeSession:
		return "TakeSession"
	case LearnTaken:
		return "LearnTaken"
	case IntruderRegister:
		return "IntruderRegister"
	case SendRequest:
		return "SendRequest"
	case ForeignRequest:
		return "ForeignRequest"
	case TakeAnswer:
		return "TakeAnswer"
	case LearnOver:
		return "LearnOver"
	case Logout:
		return "Logout"
	}
	return fmt.Sprintf("ActionKind(%d)", uint8(k))
}

// Action is one labelled step: an action with its parameters. Fields that an action
// has no use for are zero, so that equal steps are equal values.
type Action struct {
	Kind ActionKind
	// Client is c, from 1, of the clients' actions.
	Client uint8
	// Replica is r of the actions that have one.
	Replica uint8
	// Number is the victim's slot of Execute, 0 for none, and n of ProposeCapacity,
	// IntruderRegister, ForeignRequest and TakeAnswer.
	Number uint8
	// Refuse is that of TakeSession.
	Refuse bool
	// Message is m of CommitMessage and TakeAnswer.
	Message Message
}

// Name returns the action's name without parameters.
func (a Action) Name() string { return a.Kind.String() }

// arguments returns the parameters, as expressions of the module without spaces.
func (a Action) arguments() []string {
	number := func(n uint8) string { return strconv.Itoa(int(n)) }
	switch a.Kind {
	case CommitMessage:
		return []string{a.Message.String()}
	case Execute:
		return []string{number(a.Replica), number(a.Number)}
	case InstallTable:
		return []string{number(a.Replica)}
	case ProposeCapacity:
		return []string{number(a.Number)}
	case Register, SendRequest, Logout:
		return []string{number(a.Client)}
	case TakeSession:
		refuse := "FALSE"
		if a.Refuse {
			refuse = "TRUE"
		}
		return []string{number(a.Client), number(a.Replica), refuse}
	case IntruderRegister, ForeignRequest:
		return []string{number(a.Client), number(a.Number)}
	case TakeAnswer:
		return []string{
			number(a.Client), number(a.Replica), number(a.Number), a.Message.String(),
		}
	case LearnTaken, LearnOver:
		return []string{number(a.Client), number(a.Replica)}
	case CheckpointTable, RestartReplica:
	}
	return nil
}

// String returns the label: the action as the module calls it, without spaces, as in
// TakeAnswer(1,0,1,RequestMessage(1,2,1,1)).
func (a Action) String() string {
	arguments := a.arguments()
	if arguments == nil {
		return a.Name()
	}
	return a.Name() + "(" + strings.Join(arguments, ",") + ")"
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for each
// action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "LearnOver_1_0".
	Operator string
	// Call is an expression of the module, without free names: "LearnOver(1,0)".
	Call string
	// Label is the action's text, see [Action.String].
	Label string
}

var operatorText = strings.NewReplacer("(", "_", ",", "_", ")", "", "Message", "")

// call returns the TLA+ text of the action.
func (a Action) call() ActionCall {
	operator := a.Name() + "_" // Not the name that the module itself defines.
	if arguments := a.arguments(); arguments != nil {
		operator += operatorText.Replace(strings.Join(arguments, "_"))
	}
	return ActionCall{Operator: operator, Call: a.String(), Label: a.String()}
}

// ActionCalls returns every action that the module can take under c, each with all its
// parameters, in the order of Sessions!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func ActionCalls(c Config) []ActionCall {
	m := newMachine(c)
	var calls []ActionCall
	add := func(a Action) { calls = append(calls, a.call()) }
	eachClient := func(visit func(c uint8)) {
		for client := range uint8(c.Clients) {
			visit(client + 1)
		}
	}
	eachReplica := func(visit func(r uint8)) {
		for r := range uint8(c.N) {
			visit(r)
		}
	}
	perClient := func(kind ActionKind) {
		eachClient(func(client uint8) { add(Action{Kind: kind, Client: client}) })
	}
	perClientAndReplica := func(kind ActionKind) {
		eachClient(func(client uint8) {
			eachReplica(func(r uint8) { add(Action{Kind: kind, Client: client, Replica: r}) })
		})
	}
	perClientAndNumber := func(kind ActionKind, highest int) {
		eachClient(func(client uint8) {
			for n := range uint8(highest) {
				add(Action{Kind: kind, Client: client, Number: n + 1})
			}
		})
	}
	for _, message := range m.all {
		add(Action{Kind: CommitMessage, Message: message})
	}
	eachReplica(func(r uint8) {
		for victim := range max(m.slots(int(r)), uint8(c.MaxCapacity)) + 1 {
			add(Action{Kind: Execute, Replica: r, Number: victim})
		}
	})
	add(Action{Kind: CheckpointTable})
	add(Action{Kind: RestartReplica})
	eachReplica(func(r uint8) { add(Action{Kind: InstallTable, Replica: r}) })
	for n := range uint8(c.MaxCapacity) {
		add(Action{Kind: ProposeCapacity, Number: n + 1})
	}
	perClient(Register)
	eachClient(func(client uint8) {
		eachReplica(func(r uint8) {
			add(Action{Kind: TakeSession, Client: client, Replica: r})
			add(Action{Kind: TakeSession, Client: client, Replica: r, Refuse: true})
		})
	})
	perClientAndReplica(LearnTaken)
	perClientAndNumber(IntruderRegister, c.MaxRegister)
	perClient(SendRequest)
	perClientAndNumber(ForeignRequest, c.MaxRequest)
	for _, message := range m.all {
		if message.Kind != RequestKind {
			continue
		}
		eachReplica(func(r uint8) {
			add(Action{
				Kind: TakeAnswer, Client: message.Client, Replica: r,
				Number: message.Number, Message: message,
			})
		})
	}
	perClientAndReplica(LearnOver)
	perClient(Logout)
	return calls
}
