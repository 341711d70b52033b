// Package vsr is the core of one replica of one group: Viewstamped Replication as a
// deterministic object. [Replica.Step] applies one [Input] and returns the effects that the
// host must carry out; the core does no I/O, reads no clock, draws no randomness but from
// its seed, starts no goroutine and takes no lock.
//
// # What it owns
//
// Status and view, the headers of the log, which bodies are stored, the commit numbers, the
// pipeline, the votes of a view change, timers in ticks. It does not own bodies (they pass
// through it), files, connections or the state machine.
//
// # Durable before visible
//
// A change of view or log takes effect in memory only when it is durable ([transition]):
//
//	wanted -> draining -> state record stored -> superblock stored -> in effect
//
// Until it is in effect the replica acts as before and takes nothing new. Hence view and log
// view are at every moment their own durable copies, a message that speaks for a view cannot
// leave too early (R1), and a log view becomes durable only after the log it speaks for (R2).
// Likewise an op enters the log when its prepare is stored, not when it arrives (R3), and a
// primary sends a Prepare after its own copy is stored.
//
// # Invariants, checked at the end of each Step
//
//   - log view <= view; status normal implies log view = view
//   - commit min <= commit max; commit min <= head
//   - a primary's pipeline is exactly the log above commit max, with every body stored (R13), or
//     known to be lost since
//   - only a normal primary has a pipeline; only a new primary has a merged log
//
// A violation panics with the replica's state: it is a contradiction inside, not an operating
// failure.
//
// # Allocations
//
// From request to reply an op costs the primary 5 allocations, and from prepare to prepare_ok
// it costs a backup 2; boxing by the caller counts. allocation_test.go holds these bounds, and
// go test ./impl/vsr -run '^$' -bench 'PrimaryOp|BackupOp' -benchmem prints the figures.
//
// # Reading order
//
// replica.go, transition.go, normal.go with classify.go, stash.go and queue.go, commit_walk.go,
// repair.go, view_change.go, recovery.go, identity.go, reads.go. Each handler names its action in
// spec/ and its section of VRR.
package vsr
