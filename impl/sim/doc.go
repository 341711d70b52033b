// Package sim runs real replicas on virtual time, network and disks.
//
// # The stage
//
// [Cluster] is replicas with their disks and state machines, and everything that is under way
// between them: packets sent and not delivered, writes begun and not finished, reads,
// executions. Nothing happens by itself. Whoever holds the cluster chooses what happens next:
// the random scheduler of a simulation run, the driver that replays a model's trace, a
// scenario.
//
// # The simulation
//
// [Run] lets one seed choose everything. In the first phase there are faults (features.go):
// frames are lost, doubled, reordered, delayed, damaged, misdirected and forged by strangers;
// links clog; the network splits in one or both directions; replicas crash, at any moment and
// all at once, with each unfinished write landed or lost; they stand still, their clocks go
// wrong, an operator makes them leave their view. Safety is checked at each step (checker*.go).
// In the second phase the cluster is healed and must make progress: answer its clients, become
// one view, execute the whole log to one state (heal.go). At the end the history of the clients
// must be linearizable. [Swarm] runs many seeds.
//
// The checks believe disks, frames, executions and replies; of what a core says about itself
// they take claims, which must fit the rest. None of them reads a core's log.
//
// In most seeds of FaultsSwarm the replicas take checkpoints, each at its own time, and release
// what they cover (checkpoint.go, R17): a replica that was away for long needs a peer's, in
// chunks, which rot at times, from peers that replace theirs meanwhile (R21). Its install is
// three writes, and a crash may come at each.
//
// With Options.Wipe one replica loses its disk (wipe.go), with Options.Rare one disk loses the end
// of its log or a body, and more happens that is seldom (rare.go).
//
// # What it does not do yet
//
// Records of more than one disk that are lost, torn or rotten; sessions, hence a request is sent
// once and a client that gives up goes on under a new id.
//
// # Invariants
//
//   - One choice of steps, one outcome, to the byte: no clock, no goroutine within a run, no
//     map order, no randomness but the seed's.
//   - What a finished write wrote survives a crash; of an unfinished one, the chooser decides.
//   - Every packet goes through the codec: what a replica receives is what a frame says.
//   - A run that committed nothing, compared nothing or, with faults on, injected nothing
//     fails.
package sim
