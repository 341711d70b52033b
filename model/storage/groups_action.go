package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// GroupsActionKind names an action of JournalGroups.tla.
type GroupsActionKind uint8

// The actions, in the order of JournalGroups!Next.
const (
	GroupsAppendPrepare GroupsActionKind = iota + 1
	GroupsAdopt
	GroupsSayStates
	GroupsSync
	GroupsWriteSuperblock
	GroupsTakeSnapshot
	GroupsRelease
	GroupsMove
	GroupsCrash
	GroupsRot
	GroupsBoot
)

// groupsActionNames are the names in the module, by kind.
var groupsActionNames = [...]string{
	GroupsAppendPrepare: "AppendPrepare", GroupsAdopt: "Adopt", GroupsSayStates: "SayStates",
	GroupsSync: "Sync", GroupsWriteSuperblock: "WriteSuperblock",
	GroupsTakeSnapshot: "TakeSnapshot", GroupsRelease: "Release", GroupsMove: "Move",
	GroupsCrash: "Crash", GroupsRot: "Rot", GroupsBoot: "Boot",
}

// GroupsActionKinds returns all actions, in the order of JournalGroups!Next.
func GroupsActionKinds() []GroupsActionKind {
	var kinds []GroupsActionKind
	for k := GroupsAppendPrepare; k <= GroupsBoot; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String returns the action's name in the module.
func (k GroupsActionKind) String() string {
	if k == 0 || int(k) >= len(groupsActionNames) {
		return fmt.Sprintf("GroupsActionKind(%d)", uint8(k))
	}
	return groupsActionNames[k]
}

// GroupsAction is one labelled step: an action with its parameters. Fields that an
// action has no use for are zero, so that equal steps are equal values.
type GroupsAction struct {
	Kind GroupsActionKind
	// Group is the group, from 1.
	Group uint8
	// Number is the op of TakeSnapshot, the last batch kept of Crash, the batch of Rot.
	Number uint8
	// Torn: the batch behind it is there in part (Crash).
	Torn bool
}

// Name returns the action's name without parameters.
func (a GroupsAction) Name() string { return a.Kind.String() }

// arguments returns the arguments as canonical text and as TLA+.
func (a GroupsAction) arguments() (canonical, tla []string) {
	group, number := strconv.Itoa(int(a.Group)), strconv.Itoa(int(a.Number))
	switch a.Kind { //nolint:exhaustive // the others have no argument
	case GroupsAppendPrepare, GroupsAdopt:
		return []string{group}, []string{group}
	case GroupsTakeSnapshot:
		return []string{group, number}, []string{group, number}
	case GroupsCrash:
		return []string{number, canonicalBool(a.Torn)},
			[]string{number, strings.ToUpper(strconv.FormatBool(a.Torn))}
	case GroupsRot:
		return []string{number}, []string{number}
	default:
		return nil, nil
	}
}

// String returns the label: the name and its arguments as canonical text, as in
// Crash(2,T).
func (a GroupsAction) String() string {
	canonical, _ := a.arguments()
	if len(canonical) == 0 {
		return a.Name()
	}
	return a.Name() + "(" + strings.Join(canonical, ",") + ")"
}

// call returns the TLA+ text of the action.
func (a GroupsAction) call() ActionCall {
	canonical, tla := a.arguments()
	call := ActionCall{Operator: a.Name() + "_", Call: a.Name(), Label: a.String()}
	if len(tla) > 0 {
		call.Operator += strings.Join(canonical, "_")
		call.Call += "(" + strings.Join(tla, ", ") + ")"
	}
	return call
}

// GroupsActions returns every action that the module can take under c, each with all its
// parameters, in the order of JournalGroups!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func GroupsActions(c GroupsConfig) []ActionCall {
	newJournalGroups(c)
	var calls []ActionCall
	add := func(a GroupsAction) { calls = append(calls, a.call()) }
	for _, kind := range GroupsActionKinds() {
		switch kind { //nolint:exhaustive // the others have no argument
		case GroupsAppendPrepare, GroupsAdopt, GroupsTakeSnapshot:
			for g := range c.Groups {
				a := GroupsAction{Kind: kind, Group: uint8(g) + 1}
				if kind != GroupsTakeSnapshot {
					add(a)
					continue
				}
				for op := range c.MaxOp {
					a.Number = uint8(op) + 1
					add(a)
				}
			}
		case GroupsCrash:
			for keep := range c.MaxBatch + 1 {
				add(GroupsAction{Kind: kind, Number: uint8(keep)})
				add(GroupsAction{Kind: kind, Number: uint8(keep), Torn: true})
			}
		case GroupsRot:
			for s := range c.MaxBatch {
				add(GroupsAction{Kind: kind, Number: uint8(s) + 1})
			}
		default:
			add(GroupsAction{Kind: kind})
		}
	}
	return calls
}
