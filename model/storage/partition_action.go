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
	KillAll
	PowerLoss
	ElectPrimary
)

// PartitionActionKinds returns all actions, in the order of PartitionLog!Next.
func PartitionActionKinds() []PartitionActionKind {
	return []PartitionActionKind{
		AppendPrepare, Replicate, WriteLog, PublishFrontier, KillAll, PowerLoss, ElectPrimary,
	}
}

// String returns the action's name in the module.
func (k PartitionActionKind) String() string {
	switch k {
	case AppendPrepare:
		return "AppendPrepare"
	case Replicate:
		return "Replicate"
	case WriteLog:
		return "WriteLog"
	case PublishFrontier:
		return "PublishFrontier"
	case KillAll:
		return "KillAll"
	case PowerLoss:
		return "PowerLoss"
	case ElectPrimary:
		return "ElectPrimary"
	}
	return fmt.Sprintf("PartitionActionKind(%d)", uint8(k))
}

// PartitionAction is one labelled step: an action with its parameters. Fields that
// an action has no use for are zero, so that equal steps are equal values.
type PartitionAction struct {
	Kind PartitionActionKind
	// N is the number of replicas, which the text of Keep needs.
	N uint8
	// Replica is r of Replicate, WriteLog and PublishFrontier, and w of ElectPrimary.
	Replica uint8
	// Keep is the number of records that are whole on each disk (PowerLoss).
	Keep [ReplicasMax]uint8
	// Members are the replicas with a torn record (PowerLoss), or the voters
	// (ElectPrimary).
	Members ReplicaSet
}

// Name returns the action's name without parameters.
func (a PartitionAction) Name() string { return a.Kind.String() }

// String returns the label: the name and its arguments as canonical text, as in
// PowerLoss([0:1,1:0,2:1],{1}).
func (a PartitionAction) String() string {
	switch a.Kind {
	case Replicate, WriteLog, PublishFrontier:
		return fmt.Sprintf("%s(%d)", a.Name(), a.Replica)
	case PowerLoss:
		keep := canonicalFunction(0, int(a.N), func(r int) string {
			return strconv.Itoa(int(a.Keep[r]))
		})
		return fmt.Sprintf("%s(%s,%s)", a.Name(), keep, canonicalReplicas(a.Members))
	case ElectPrimary:
		return fmt.Sprintf("%s(%s,%d)", a.Name(), canonicalReplicas(a.Members), a.Replica)
	case AppendPrepare, KillAll:
	}
	return a.Name()
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
	operator, call := a.Name(), a.Name()
	switch a.Kind {
	case Replicate, WriteLog, PublishFrontier:
		operator = fmt.Sprintf("%s_%d", a.Name(), a.Replica)
		call = fmt.Sprintf("%s(%d)", a.Name(), a.Replica)
	case PowerLoss:
		keep := make([]string, a.N)
		for r := range keep {
			keep[r] = strconv.Itoa(int(a.Keep[r]))
		}
		operator = fmt.Sprintf("%s_%s_%s", a.Name(), strings.Join(keep, ""), digits(a.Members))
		// A function on 0..N-1, without the operators of module TLC.
		call = fmt.Sprintf("%s([r \\in Replicas |-> <<%s>>[r + 1]], %s)",
			a.Name(), strings.Join(keep, ", "), canonicalReplicas(a.Members))
	case ElectPrimary:
		operator = fmt.Sprintf("%s_%s_%d", a.Name(), digits(a.Members), a.Replica)
		call = fmt.Sprintf("%s(%s, %d)", a.Name(), canonicalReplicas(a.Members), a.Replica)
	case AppendPrepare, KillAll:
		operator += "_" // Not the name that the module itself defines.
	}
	return ActionCall{Operator: operator, Call: call, Label: a.String()}
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
	add := func(a PartitionAction) {
		a.N = uint8(c.N)
		calls = append(calls, a.call())
	}
	add(PartitionAction{Kind: AppendPrepare})
	for _, kind := range []PartitionActionKind{Replicate, WriteLog, PublishFrontier} {
		for r := range c.N {
			add(PartitionAction{Kind: kind, Replica: uint8(r)})
		}
	}
	add(PartitionAction{Kind: KillAll})
	var none, all [ReplicasMax]uint8
	for r := range c.N {
		all[r] = uint8(c.MaxOp)
	}
	eachKeep(c.N, none, all, func(keep [ReplicasMax]uint8) {
		for tear := range ReplicaSet(1) << c.N {
			add(PartitionAction{Kind: PowerLoss, Keep: keep, Members: tear})
		}
	})
	c.eachVote(func(voters ReplicaSet, winner int) {
		add(PartitionAction{Kind: ElectPrimary, Members: voters, Replica: uint8(winner)})
	})
	return calls
}

// eachKeep calls visit with every choice of numbers from low[r] to high[r] for the
// replicas below n, in lexicographic order.
func eachKeep(n int, low, high [ReplicasMax]uint8, visit func(keep [ReplicasMax]uint8)) {
	var choose func(r int, keep [ReplicasMax]uint8)
	choose = func(r int, keep [ReplicasMax]uint8) {
		if r == n {
			visit(keep)
			return
		}
		for k := low[r]; k <= high[r]; k++ {
			keep[r] = k
			choose(r+1, keep)
		}
	}
	choose(0, [ReplicasMax]uint8{})
}

// eachVote calls visit with every quorum and each of its members.
func (c Config) eachVote(visit func(voters ReplicaSet, winner int)) {
	for voters := range ReplicaSet(1) << c.N {
		if voters.size() < c.quorumMajority() {
			continue
		}
		for w := range c.N {
			if voters.has(w) {
				visit(voters, w)
			}
		}
	}
}
