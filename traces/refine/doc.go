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
//   - Agreement of what was executed, for any number of replicas. The model has one to five, so of
//     a larger number only this, the core's own invariants and stalls are checked.
//   - NoStall: replicas that hear one another and nobody else, and have nothing left to do, have
//     executed their whole log if a quorum of them follows a primary. Timers that only send
//     again have then fired to a fixed point.
//   - Every action that the bounds allow has been taken.
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
//   - Writes and reads are done in the step that began them. Their completion commutes with all
//     that a replica takes meanwhile: while a change of view is being stored it takes nothing,
//     and what follows a prepare waits for it. A crash before a write landed finds the disk of
//     the step before; one after it finds the disk of the step after, with fewer messages.
//     Executions stay choices: votes tell what was executed.
//   - Timers that only send fire in each state, until nothing new comes of it: more messages. A
//     timer that would also change its replica is a choice (Expire with TimerNone).
//   - A question (RequestPrepares, RequestStartView) is answered in the same moment and not
//     kept: whoever still needs the answer asks again.
//   - A StartViewChange is counted as soon as its receiver is in that change: it only allows
//     more.
//   - Messages on which their receiver never acts again, or which are sent again while they are
//     wanted, are dropped (dead.go).
//   - Who wants a view counts until the vote, votes count until the merge (AppendKey).
//
// The argument leans on a correct core. With a defect a reduction can hide a counterexample or
// shorten one; the tests show that each defect is found all the same, and compare what replicas
// show with and without reductions, which is equal.
//
// # Limits
//
// Liveness is looked at where nothing is left to do; a cycle without progress is not found. A
// write that completes before one that was begun earlier is not explored: records land in
// order. Results of the state machine and replies are not compared.
package refine
