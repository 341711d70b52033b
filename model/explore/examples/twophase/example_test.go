package twophase_test

import (
	"context"
	"fmt"
	"os"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/examples/twophase"
)

// Every state of three participants: nothing breaks, and both ends are reached.
func ExampleModel() {
	result, err := explore.Check(context.Background(), twophase.Model(3, false), explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("complete:", result.Complete, "violation:", result.Violation != nil)
	fmt.Println(result.Distinct, "states, depth", result.Depth)
	fmt.Println("at most", result.Degrees.Max, "steps out of a state,", result.Degrees.Final,
		"states without any")
	fmt.Println("never reached:", result.Unreached())
	// Output:
	// complete: true violation: false
	// 288 states, depth 11
	// at most 9 steps out of a state, 28 states without any
	// never reached: []
}

// A coordinator that does not wait for the last participant, and the shortest way in which
// that goes wrong.
func ExampleModel_hasty() {
	hasty := twophase.Model(2, true)
	result, err := explore.Check(context.Background(), hasty, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Violation.Property, "fails:", result.Violation.Reason)
	_ = explore.PrintPath(os.Stdout, hasty, result.Violation.Path)
	// Output:
	// Consistent fails: participant 0 committed, participant 1 aborted
	//    1  initial state
	//         participant 0 = working
	//         participant 1 = working
	//         coordinator heard = {}
	//         decision = working
	//    2  Prepare(0)
	//         participant 0 = prepared  (was working)
	//    3  HearPrepared(0)
	//         coordinator heard = {0}  (was {})
	//    4  DecideCommit
	//         decision = committed  (was working)
	//    5  HearDecision(0)
	//         participant 0 = committed  (was prepared)
	//    6  GiveUp(1)
	//         participant 1 = aborted  (was working)
}

// The shortest way to a situation, as TLA+ text.
func ExampleModel_situation() {
	model := twophase.Model(1, false)
	decided := func(s twophase.State) bool { return model.Sometimes[0].Reached(s) }
	path, err := explore.ShortestTo(context.Background(), model, decided, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(explore.Labels(path))
	_ = explore.WriteTLA(os.Stdout, "Commit", model, path[:2])
	// Output:
	// [Prepare(0) HearPrepared(0) DecideCommit HearDecision(0)]
	// ---- MODULE Commit ----
	// \* A behaviour of two-phase commit of 1 in 2 states.
	// EXTENDS Integers, Sequences, TLC
	//
	// \* 1: initial state
	// State1 ==
	//   [ announced |-> {}
	//   , decision |-> "working"
	//   , heard |-> {}
	//   , participants |-> (0 :> "working") ]
	//
	// \* 2: Prepare(0), changes announced, participants
	// State2 ==
	//   [ announced |-> {0}
	//   , decision |-> "working"
	//   , heard |-> {}
	//   , participants |-> (0 :> "prepared") ]
	//
	// Behaviour == << State1, State2 >>
	// ====
}
