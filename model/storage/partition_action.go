package storage

import (
	"fmt"
	"strconv"
	"strings"
)

// PartitionActionKind names an action of PartitionLog.tla.
type PartitionActionKind uint8

// The actions, in the order of PartitionLog!Next.
const (
	AppendPrepare PartitionActionKind = iota + 1
	Replicate
	WriteLog
	PublishFrontier
	Kill
	PowerLoss
	Restart
	ElectPrimary
)

// partitionActionNames are the names in the module, by kind.
var partitionActionNames = [...]string{
	AppendPrepare: "AppendPrepare", Replicate: "Replicate", WriteLog: "WriteLog",
	PublishFrontier: "PublishFrontier", Kill: "Kill", PowerLoss: "PowerLoss",
	Restart: "Restart", ElectPrimary: "ElectPrimary",
}

// PartitionActionKinds returns all actions, in the order of PartitionLog!Next.
func PartitionActionKinds() []PartitionActionKind {
	return []PartitionActionKind{
		AppendPrepare, Replicate, WriteLog, PublishFrontier, Kill, PowerLoss, Restart,
		ElectPrimary,
	}
}

// String returns the action's name in the module.
func (k PartitionActionKind) String() string {
	if k == 0 || int(k) >= len(partitionActionNames) {
		return fmt.Sprintf("PartitionActionKind(%d)", uint8(k))
	}
	return partitionActionNames[k]
}

// PartitionAction is one labelled step: an action with its parameters. Fields that
// an action has no use for are zero, so that equal steps are equal values.
type PartitionAction struct {
	Kind PartitionActionKind
	// Group is g of AppendPrepare, Replicate and ElectPrimary, by its policy.
	Group Policy
	// Replica is r of Replicate, WriteLog and PublishFrontier, and w of ElectPrimary.
	Replica uint8
	// Members are the replicas that crash (Kill, PowerLoss), or the voters
	// (ElectPrimary).
	Members ReplicaSet
	// Keep is the number of records that are whole on each disk, Torn the replicas where
	// the next one is there in part (PowerLoss).
	Keep [ReplicasMax]uint8
	Torn ReplicaSet
}

// Name returns the action's name without parameters.
func (a PartitionAction) Name() string { return a.Kind.String() }

// arguments returns the arguments as canonical text, as TLA+ and as part of an
// identifier. All are empty where the action has none.
func (a PartitionAction) arguments() (canonical, tla, word []string) {
	group, replica := strconv.Quote(a.Group.String()), strconv.Itoa(int(a.Replica))
	add := func(c, t, w string) {
		canonical, tla, word = append(canonical, c), append(tla, t), append(word, w)
	}
	members := func(set ReplicaSet) {
		add(canonicalReplicas(set), canonicalReplicas(set), digits(set))
	}
	switch a.Kind {
	case AppendPrepare:
		add(group, group, a.Group.String())
	case Replicate:
		add(group, group, a.Group.String())
		add(replica, replica, replica)
	case WriteLog, PublishFrontier:
		add(replica, replica, replica)
	case Kill:
		members(a.Members)
	case PowerLoss:
		members(a.Members)
		add(a.keep())
		members(a.Torn)
	case ElectPrimary:
		add(group, group, a.Group.String())
		members(a.Members)
		add(replica, replica, replica)
	case Restart:
	}
	return canonical, tla, word
}

// keep is the argument keep of PowerLoss: a function on the replicas that crash. In
// TLA+ it is written without the operators of module TLC.
func (a PartitionAction) keep() (canonical, tla, word string) {
	var pairs, values, kept []string
	for r := range ReplicasMax {
		value := strconv.Itoa(int(a.Keep[r]))
		values = append(values, value)
		if a.Members.has(r) {
			pairs = append(pairs, fmt.Sprintf("%d:%s", r, value))
			kept = append(kept, value)
		}
	}
	return "[" + strings.Join(pairs, ",") + "]",
		fmt.Sprintf("[r \\in %s |-> <<%s>>[r + 1]]", canonicalReplicas(a.Members),
			strings.Join(values, ", ")),
		strings.Join(kept, "")
}

// String returns the label: the name and its arguments as canonical text, as in
// PowerLoss({0,2},[0:1,2:0],{2}).
func (a PartitionAction) String() string {
	canonical, _, _ := a.arguments()
	if len(canonical) == 0 {
		return a.Name()
	}
	return a.Name() + "(" + strings.Join(canonical, ",") + ")"
}

// ActionCall ties a label to TLA+ text. TLC writes no arguments on the edges of the
// graph that it dumps; a wrapper module that defines Operator == TRUE /\ Call for
// each action makes it write the operator instead, which is then read as Label.
type ActionCall struct {
	// Operator is an identifier, unique among the calls: "PowerLoss_101_2".
	Operator string
	// Call is an expression of the module, without free names: "Replicate(1)".
	Call string
	// Label is the action's text, see [PartitionAction.String].
	Label string
}

// call returns the TLA+ text of the action.
func (a PartitionAction) call() ActionCall {
	_, tla, word := a.arguments()
	// Not the name that the module itself defines.
	call := ActionCall{Operator: a.Name() + "_", Call: a.Name(), Label: a.String()}
	if len(tla) > 0 {
		call.Operator += strings.Join(word, "_")
		call.Call += "(" + strings.Join(tla, ", ") + ")"
	}
	return call
}

// digits returns the members of a set as one word, for identifiers; "none" if empty.
func digits(set ReplicaSet) string {
	text := strings.NewReplacer("{", "", "}", "", ",", "").Replace(canonicalReplicas(set))
	if text == "" {
		return "none"
	}
	return text
}

// PartitionLogActions returns every action that the module can take under c, each
// with all its parameters, in the order of PartitionLog!Next.
//
// A configuration that Validate refuses is the caller's bug and panics.
func PartitionLogActions(c Config) []ActionCall {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	var calls []ActionCall
	add := func(a PartitionAction) { calls = append(calls, a.call()) }
	for _, kind := range PartitionActionKinds() {
		switch kind {
		case AppendPrepare:
			for _, g := range c.Policies {
				add(PartitionAction{Kind: kind, Group: g})
			}
		case Replicate:
			for _, g := range c.Policies {
				for r := range c.N {
					add(PartitionAction{Kind: kind, Group: g, Replica: uint8(r)})
				}
			}
		case WriteLog, PublishFrontier:
			for r := range c.N {
				add(PartitionAction{Kind: kind, Replica: uint8(r)})
			}
		case Kill, PowerLoss:
			for set := ReplicaSet(1); set <= c.all(); set++ {
				c.addCrashes(add, 0, PartitionAction{Kind: kind, Members: set})
			}
		case Restart:
			add(PartitionAction{Kind: kind})
		case ElectPrimary:
			for _, g := range c.Policies {
				c.eachVote(func(voters ReplicaSet, w int) {
					add(PartitionAction{Kind: kind, Group: g, Members: voters, Replica: uint8(w)})
				})
			}
		}
	}
	return calls
}

// addCrashes adds the crashes of a set, with every fate of its replicas from r on.
func (c Config) addCrashes(add func(PartitionAction), r int, a PartitionAction) {
	switch {
	case a.Kind == Kill || r == c.N:
		add(a)
		return
	case !a.Members.has(r):
		c.addCrashes(add, r+1, a)
		return
	}
	for keep := range c.MaxOp + 1 {
		a.Keep[r] = uint8(keep)
		c.addCrashes(add, r+1, a)
		if keep < c.MaxOp {
			torn := a
			torn.Torn |= 1 << r
			c.addCrashes(add, r+1, torn)
		}
	}
}
