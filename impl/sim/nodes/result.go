package nodes

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/replica"
)

// The kinds of [Failure].
const (
	FailAgreement     = "agreement"           // two prepares executed at one op
	FailAnswer        = "answer"              // one op, two answers
	FailExecution     = "execution"           // an op executed twice or out of order
	FailState         = "state"               // equal logs, different states
	FailDurability    = "durability"          // an acknowledged op is not where it must be
	FailPromise       = "promise"             // a promised op is not on the disk
	FailPrimary       = "primary"             // a view has two prepares at one op
	FailMonotone      = "monotone"            // a view went back
	FailDurableFirst  = "durable_before_send" // a message left before its view was stored
	FailRead          = "read"                // a read shows what it must not, or too little
	FailReply         = "reply"               // an answer that no request can have
	FailCorruption    = "corruption"          // a damaged frame was taken for a good one
	FailContradiction = "contradiction"       // a process found its own state impossible
	FailBoot          = "boot"                // a process could not boot from its disk
	FailStorage       = "storage"             // the storage failed, though no fault struck it
	FailHistory       = "history"             // what the clients saw is not linearizable
	FailStalled       = "stalled"             // after the faults there was no progress
	FailVacuous       = "vacuous"             // nothing was committed, injected or compared
	FailConform       = "conform"             // an event that the model does not explain
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
	// Operations counts answered requests, Unknown those whose session ended before, Resent
	// how often a request was sent again, Sessions how often one was given.
	// Polls counts reads of a partition at one replica.
	Operations, Unknown, Resent, Sessions, Polls int
	// Committed counts ops of all groups that some replica executed, Requests those requests in
	// them that reached a machine.
	Committed, Requests int
	Crashes             int
	Restarts            int
	Frames              int
	// Comparisons counts executed ops that were compared with another execution.
	Comparisons int
	// Digest folds every frame that was sent, in order; Weather every change of the links.
	Digest, Weather uint64
	// Undecided says why the history was not decided; empty if it was.
	Undecided string
	// Features says in words what the seed chose, Chosen some of it for whoever wants less.
	Features []string
	Chosen   Chosen
	// Injected counts faults by kind, Delivered frames by kind of message, Replies refused
	// requests by status, Answers what executing ops came to; Stops counts ticks by where the
	// commit walk stood, Merges what votes came to, Refusals inputs that a core refused.
	// Hosts counts checkpoints and what came of them, Batches what became of ops that several
	// requests share, Reads those at level linearizable that were answered, by kind, Actions the
	// events that were held against the model.
	Injected, Delivered, Replies, Answers, Stops, Merges, Refusals, Hosts, Batches,
	Reads, Actions map[string]int

	command string
}

// Chosen is what a seed chose, or was told.
type Chosen struct {
	Replicas, Groups, Clients int
	// Faults are the kinds that are switched on.
	Faults []string
	// Modelled says that the model of traces has all that happens in the run.
	Modelled bool
}

// Reproduce returns the command that runs the same again.
func (r *Result) Reproduce() string { return r.command }

// String returns a short summary in one line.
func (r *Result) String() string {
	verdict := "passed"
	if r.Failure != nil {
		verdict = "failed: " + r.Failure.String()
	}
	return fmt.Sprintf("seed %d: %d ticks, %d operations, %d committed, %d crashes, %d frames, "+
		"%d comparisons, digest %016x: %s", r.Seed, r.Ticks, r.Operations, r.Committed, r.Crashes,
		r.Frames, r.Comparisons, r.Digest, verdict)
}

// statusName names a status of a reply.
func statusName(status uint32) string {
	switch status {
	case replica.StatusNotAccepted:
		return "not_accepted"
	case replica.StatusDiskFull:
		return "disk_full"
	case replica.StatusApplied:
		return "applied"
	case replica.StatusRefused:
		return "refused"
	case replica.StatusUnauthorized:
		return "unauthorized"
	case replica.StatusInvalidSession:
		return "invalid_session"
	}
	return fmt.Sprintf("status_%d", status)
}
