package sim

import "fmt"

// The kinds of [Failure].
const (
	FailAgreement     = "agreement"           // two prepares committed or executed at one op
	FailDurability    = "durability"          // a committed op is not on the disks of a quorum
	FailExecution     = "execution"           // an op executed twice, out of order or uncommitted
	FailState         = "state"               // equal logs, different state machines
	FailPrimary       = "primary"             // a view has two primaries, logs or prepares
	FailMonotone      = "monotone"            // a view went back
	FailVote          = "vote"                // two votes of one replica in one view
	FailPromise       = "promise"             // a promised op is forgotten, a left view spoken for
	FailDurableFirst  = "durable_before_send" // a message left before what it speaks for was stored
	FailIncarnation   = "incarnation"         // a recovering replica took what was not its answer
	FailHollow        = "hollow"              // a view started without the bodies of its log
	FailReply         = "reply"               // a reply to a request that did not commit
	FailCorruption    = "corruption"          // a damaged frame was taken for a good one
	FailContradiction = "contradiction"       // a core found its own state impossible
	FailBoot          = "boot"                // a replica could not boot from its disk
	FailTransfer      = "transfer"            // a checkpoint is fetched or installed other than it may
	FailOwed          = "owed"                // what a replica owes at once is not done
	FailBound         = "bound"               // more is stored, read or under way than may be
	FailRead          = "read"                // a read shows what it must not, or too little
	FailHistory       = "history"             // what the clients saw is not linearizable
	FailStalled       = "stalled"             // the healed cluster made no progress
	FailVacuous       = "vacuous"             // nothing was committed, injected or compared
	FailInternal      = "internal"            // the simulator contradicts itself
)

// Failure says what was wrong, and when.
type Failure struct {
	// Kind is one of the constants above.
	Kind string
	// Tick is the virtual time at which it was seen.
	Tick int
	// Text is one line.
	Text string
}

// String returns one line.
func (f Failure) String() string { return fmt.Sprintf("%s at tick %d: %s", f.Kind, f.Tick, f.Text) }

// Result is what a run found and what it had to do with. Equal seeds and options give equal
// results.
type Result struct {
	Seed   uint64
	Passed bool
	// Failure is the first thing that was wrong; nil if Passed.
	Failure *Failure
	// Ticks is the whole length of the run, HealedAt the tick at which the faults ended.
	Ticks, HealedAt int
	// Operations counts answered requests of clients, Abandoned those given up; local reads
	// are in neither.
	Operations, Abandoned int
	// Batched counts executed requests that shared their prepare with others.
	Batched int
	// Committed is the highest op that some primary committed.
	Committed int
	// ViewChanges counts the views that a primary started.
	ViewChanges int
	Crashes     int
	Restarts    int
	// Packets count frames between replicas and from and to clients.
	PacketsSent, PacketsLost, PacketsDuplicated, PacketsCorrupted int
	// Comparisons counts executed ops whose identity and state were compared with another
	// execution of the op.
	Comparisons int
	// Undecided says why the history was not decided; empty if it was.
	Undecided string
	// Features says in words what the seed chose.
	Features []string
	// Injected counts faults by kind; Delivered packets by kind of message; the others what
	// the replicas' events said.
	Injected, Delivered, Admissions, Refusals, Stops, Actions map[string]int
	// Reads counts answered reads that did not go through the log, by level.
	Reads map[string]int

	command string
}

// Reproduce returns the command that runs the same again.
func (r *Result) Reproduce() string { return r.command }

// String returns a short summary in one line.
func (r *Result) String() string {
	verdict := "passed"
	if r.Failure != nil {
		verdict = "failed: " + r.Failure.String()
	}
	return fmt.Sprintf("seed %d: %d ticks, %d operations, %d committed, %d view changes, "+
		"%d crashes, %d packets, %d comparisons: %s", r.Seed, r.Ticks, r.Operations, r.Committed,
		r.ViewChanges, r.Crashes, r.PacketsSent, r.Comparisons, verdict)
}
