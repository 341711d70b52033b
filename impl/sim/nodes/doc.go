// Package nodes simulates whole processes: production hosts with their storage, on disks in
// memory, virtual time and a virtual network. Package sim does the same with cores alone.
//
// # What it owns
//
// [Run] lets one seed choose everything. Each process hosts the replicas of several groups,
// which share its write-ahead log and superblock. In the first phase there are faults
// (features.go): frames are lost, doubled, reordered, delayed and damaged; the network splits;
// processes are killed or lose power, between two operations of the disk or in the middle of a
// batch, one by one or all at once; writes tear, operations of the disk fail, records rot,
// disks are full for a while or slow; a process loses its disk and joins anew. In the second
// phase all is healed, and each group must answer its clients, become one view and agree on one
// state. At the end the clients' history must be linearizable. [Swarm] runs many seeds.
//
// # Where faults may go
//
// The protocol promises nothing to clients if more replicas lose what they acknowledged than
// its quorums allow for. So rot and the loss of a whole disk happen to one process of a run,
// and so does power loss in a run that has groups of the policy replicated. Everything else
// happens to all. A lost write that leaves no trace on the disk is not injected: nobody could
// tell it from a write that never was.
//
// # What it never does
//
// It reads no clock, starts no goroutine within a run, and takes no chance but the seed's. It
// believes disks, frames, executions and replies; of what a host says about itself it takes
// claims, which must fit the rest.
//
// # Invariants
//
//   - One seed, one run, to the byte: a digest of all frames is pinned by a test.
//   - Every frame goes through the codec.
//   - A run that committed nothing, compared nothing or, with faults on, injected nothing fails.
//   - The checks fail where they should: mutants report_before_flush, execute_twice and
//     no_sessions of the host are found, see defects_test.go.
package nodes
