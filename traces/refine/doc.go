// Package refine drives real cores through all interleavings within bounds and compares each
// step with the model: it is where the production core ([vsr.Replica]) and model/vsr meet state
// by state.
//
// A state is the state of every replica with its disk and what its host has under way, the
// messages that can still be delivered, and what the model says ([conform.Belief], the mapping
// of events to actions that recorded traces are judged by). The explorer chooses which message
// arrives (again, late, in any order, or never), which timer runs out ([vsr.Expire],
// [vsr.LeaveView]; ticks are not counted), when a write, a read or an execution is done, who
// crashes with how many writes landed, and who gets a client's request.
//
// # What it owns
//
// The host of the explored cores, the network as a set, the reductions, and the search for
// stalls. The search itself is model/explore's. It never changes what a core does.
//
// # What is checked
//
//   - Each action that a core reports is a step of the model from a state that explains all
//     before, with the same projection after it; all else changes nothing that the model sees.
//   - Each such state of the model satisfies all invariants of VSR.tla.
//   - The core's own invariants hold: a panic is a counterexample.
//   - Agreement of what was executed, for any number of replicas. The model has one to five, so
//     of a larger number only this, the core's own invariants and stalls are checked.
//   - NoStall: replicas that hear one another and nobody else, and have nothing left to do, have
//     executed their whole log if a quorum of them follows a primary. Timers that only send
//     again have then fired to a fixed point.
//   - Every action that the bounds allow has been taken.
//   - Nothing leaves that the disk of its sender does not hold: views, log views, bodies
//     (truth.go).
//
// # Checkpoints, transfers, lost disks
//
// VSR.tla has none of them. With Bounds.Checkpoints replicas take checkpoints, release, fetch
// and install, and Transfer.tla takes the place of VSR.tla: each state of the cluster, projected
// to the module's variables (transfer.go), satisfies its invariants; each step of a replica is
// one or more of its actions or changes none of its variables (transfer_step.go). A checkpoint
// has three parts, snapshot, pairing and state record; before and after each a replica may
// crash. Whenever a part of the log is let go, what its replica has sent of it is lost in one of
// the next states. Steps of the module and of a core differ in these points; none is more than a
// moment or a memory:
//
//   - A core reads what its peers have sent, the module what they have. The peers of a step are
//     what its messages say of them. Where the module only asks whether some peer could have
//     sent a prepare, an acknowledgement or a commit point, one is assumed that could; that what
//     follows is right the invariants say.
//   - The core has no admission barrier: what of a log executes R18 decides (client tables). The
//     invariant Admission is left out, its NoStall is the one below.
//   - A merge is durable with the start of its view, or when the new primary needs a checkpoint;
//     the module's is at once. Bodies and headers that are fetched before that prove nothing in
//     a vote.
//   - Headers that a hole has repaired, and those below an adopted suffix that does not chain,
//     are not durable: a boot or an adoption may forget those of committed ops. Below a base all
//     is committed, which the module learns later.
//   - An op that was handed out is executed, whatever began meanwhile: a fetch, a view change.
//   - A checkpoint of its own counts from its snapshot on, in whatever status. An offer of a
//     newer checkpoint ends one fetch and begins another. What is fetched comes in as many
//     chunks as the bounds say; the module here has one. A sender that is slow is taken for one
//     that is gone.
//
// What is not compared: writes that landed unseen behind the record of a checkpoint (the states
// they lead to are), the pieces of own checkpoints, which Journal.tla has, and replicas beyond
// the five that the module knows.
//
// With Bounds.Wipes disks are lost (R16). The model of that, Merge.tla, has votes and no
// cluster, so that only what a cluster shows is checked (lost.go): no replica votes twice in a
// view or comes back below a vote of an earlier life; what was committed is known and executed
// as such, and as many as a quorum hold it, less one for each lost disk. A change of view that
// waits for a body which a vote showed and whose disk is lost ends in the next view only, and is
// no stall.
//
// # Remembered steps
//
// A core is deterministic, so a stimulus is carried out once for each state of a replica
// ([vsr.Replica.AppendKey], the disk, what is under way) and then remembered; so are the model's
// answers. Identities are 128-bit hashes.
//
// # Reductions
//
// With Bounds.Full there is none. Each rests on one of two facts. Messages: one that is there
// need not be delivered, so a state with more of them shows whatever one with fewer shows.
// Commuting: what one replica does changes nothing at another but the messages there are.
//
//   - Writes and reads are done in the step that began them, but for the parts of checkpoints.
//     Their completion commutes with all that a replica takes meanwhile: while a change of view
//     is being stored it takes nothing, and what follows a prepare waits for it. A crash before
//     a write landed finds the disk of the step before; one after it finds the disk of the step
//     after, with fewer messages. Executions stay choices: votes tell what was executed.
//   - Timers that only send fire in each state, until nothing new comes of it: more messages. A
//     timer that would also change its replica is a choice (Expire with TimerNone).
//   - A question (RequestPrepares, RequestStartView, RequestCheckpoint) is answered in the same
//     moment and not kept: whoever still needs the answer asks again.
//   - A StartViewChange is counted as soon as its receiver is in that change: it only allows
//     more.
//   - Messages on which their receiver never acts again, or which are sent again while they are
//     wanted, are dropped (dead.go).
//   - While a checkpoint may still be taken or released, prepares of repair and chunks that came
//     too late are not dropped: their sender may not have them any more. Offers are: who asks is
//     told again.
//   - Who wants a view counts until the vote, votes count until the merge (AppendKey).
//
// The argument leans on a correct core. With a defect a reduction can hide a counterexample or
// shorten one; the tests show that each defect is found all the same, and compare what replicas
// show with and without reductions, which is equal.
//
// # Limits
//
// Liveness is looked at where nothing is left to do; a cycle without progress is not found. A
// write that completes before one that was begun earlier is not explored: records land in order.
// Results of the state machine and replies are not compared.
package refine
