// Package nodes simulates whole processes: production hosts with their storage, on disks in
// memory, virtual time and a virtual network. Package sim does the same with cores alone.
//
// # What it owns
//
// [Run] lets one seed choose everything: 1 to 6 processes, each with replicas of several groups
// that share its write-ahead log and superblock: a catalogue of streams, logs of partitions and
// registers, which clients with sessions use. In the first phase
// there are faults, of which the seed switches some on (features.go):
//
//	frames     lost, doubled, delayed, reordered, damaged; links full, clogged, or without one
//	           command; partitions of three modes, in both directions or in one
//	processes  killed or without power, between two operations of the disk, in the middle of a
//	           batch or of a boot, one by one or all at once; standing still; clocks that are
//	           fast or slow; a primary that leaves its view; a second death soon after a boot, or
//	           while it repairs its log
//	disks      torn, lost and misdirected writes, operations that fail, rot of any file but a
//	           partition's, full or slow for a while, gone for good; the newest batches rot, and
//	           both copies of the superblock go: a boot refuses, and the disk is replaced; the last
//	           batch or state record rots as its process ends, a body before it is executed
//
// Clients send requests, and read at level linearizable, at any process; what one replica has
// executed is read beside them. In the second phase all is healed, and each group must answer its
// clients, become one view and agree on one state. At the end what the clients saw must be
// linearizable: values, messages and their offsets, stored offsets, names. [Swarm] runs many
// seeds and says what they have seen together (seeds.Swarm).
//
// Each boot is compared with the bytes of its log, which a reader of this package finds
// (rawlog.go), and with what was flushed before: nothing of that goes without a doubt, no doubt
// without a state record, and the superblock has both its copies (tape.go).
//
// One seed in eight keeps to what the model of traces has: no checkpoints, nothing that makes a
// log doubtful. The events of such a run are held against the model by whoever knows it
// (Options.Judge).
//
// # Where faults may go
//
// The protocol promises nothing to clients if all of a replication quorum lose what they
// acknowledged. The atlas of a run (atlas.go) names the victims, one process fewer than that:
// they may lose anything. Everything else, what was never flushed included, happens to all; but
// where a group has the policy replicated only the victims lose power. And while the replicas on
// a new disk have not rejoined, as many others as a view change needs keep logs that they trust.
//
// # What it never does
//
// It reads no clock, starts no goroutine within a run, and takes no chance but the seed's, from
// one source for each purpose (random.go). It believes disks, frames, executions and replies; of
// what a host says about itself it takes claims, which must fit the rest.
//
// # Invariants
//
//   - One seed, one run, to the byte: a digest of all frames is pinned by a test. What clients do
//     moves no other source of chance.
//   - Every frame goes through the codec.
//   - A run that committed nothing, compared nothing or, with faults on, injected nothing fails.
//   - The checks fail where they should: TestEachDefectIsCaught, with mutants of the host
//     (report_before_flush, execute_twice, no_sessions, local_reads) and of the core.
package nodes
