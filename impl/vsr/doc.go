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
// # Batches
//
// Requests that waited for a place in the pipeline share a prepare when there is one ([Limits],
// queue.go). To the protocol a batch is one op with one body: the model's ClientRequest is the
// storing of its prepare, and nothing of what the spec says of an op depends on how many requests
// it answers. What differs is refinement: the host executes the requests one by one ([Executed]
// has a result for each), and to the client table each is what an op of its own would be
// (Sessions!ExecuteOn; the pair of op and place stands for the spec's op, impl/clienttable). A
// Register and a Logout never share an op, as a session is named by one (R18).
//
// # Checkpoints
//
// The log is held above a base ([Recovered].Base, [StateRecord].Base). The host decides when a
// snapshot is due. When one at an executed op is durable and the superblock names it, it says so
// ([Checkpointed]); the core moves the base with a state record, and says in Output.Release up
// to where the WAL may let go (R17). Below a base everything is committed. What a host does:
//
//	snapshot at an executed op durable, pairing in the superblock -> Checkpointed{ID}
//	Output.StoreState (it has the new base)                       -> StateStored
//	Output.Release = op                                           -> the WAL may drop ops <= op
//
// ID names the prepare at that op (op and checksum), not the snapshot. Ops above the checkpoint
// stay in the WAL, and so does the newest state record of the group. At a restart the host
// gives Recovered.Base and Timestamp (of the newest durable snapshot), and the log of the WAL,
// made by Recovered.Place for each state record and Recovered.Extend for each prepare: it may
// begin below the snapshot (a crash before the record) or, above a hole, beyond it.
//
// StartView and DoViewChange carry a suffix of the log: all that may be uncommitted, and some
// more ([Config].Suffix). Adoption keeps of the old log what chains to it; what is left open
// below is a hole, repaired downward (hole.go). Nothing is executed above a hole (R11).
//
// A replica that needs what its peers have released fetches a checkpoint (transfer.go, R21). The
// core decides which and from whom; bytes, their verification and the install are the host's:
//
//	Output.ReadChunks         bytes of a snapshot here, none if it is gone -> ChunkRead
//	Output.StoreChunk         kept where no boot takes them for a snapshot -> ChunkStored
//	Output.InstallCheckpoint  verified: is it whole, of that op, legible?  -> CheckpointRefused
//	                          snapshot durable, then the pairing, then the
//	                          state machine is put there                   -> CheckpointInstalled
//	Output.StoreState, Output.Release follow, as for an own checkpoint
//
// A host that keeps the snapshot before the newest one, too, serves it to who has begun with it.
//
// # Invariants, checked at the end of each Step
//
//   - log view <= view; status normal implies log view = view
//   - commit min <= commit max; commit min <= head
//   - checkpoint <= base of the log; checkpoint <= commit min; base of the log <= commit max
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
// repair.go, view_change.go, recovery.go, identity.go, reads.go, checkpoint.go, suffix.go, hole.go,
// transfer.go. Each handler names its action in spec/ and its section of VRR.
package vsr
