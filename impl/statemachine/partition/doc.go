// Package partition is the state machine of one partition: a log of messages that grows at its
// end, is dropped from its beginning, and is polled; and the offsets that consumers store.
//
// # What it owns
//
// [Machine]: it executes sends, the operations on stored offsets and those that drop messages,
// and answers polls, with the bodies of impl/protocol. A batch gets its offsets when it is
// executed, not when it is sent or prepared: so no view change can leave a gap, or give an
// offset twice. What retention drops is decided by an op, with the time of that op, and never
// by a clock.
//
// # Where messages are
//
// What was executed since the last checkpoint is the tail, in memory. [Machine.Materialise]
// moves it into segment files (impl/segment), which a checkpoint flushes and pairs (R17); a
// poll reads below from the files and above from the tail. Executing touches no disk and so
// cannot fail: a full disk shows when the tail is moved, with nothing lost, since the
// write-ahead log still has it. The host bounds the memory: it materialises when
// [Machine.TailBytes] is large, with or without a checkpoint; [Machine.Persist] begins a
// checkpoint, and OpenImage and Install bring the files to another replica (R21), as
// statemachine.Segmented has it. Without a disk the tail is all there is, and the snapshot has
// the messages in it.
//
// # What it never does
//
// It reads no clock. Files are read and written by polls and by the calls of
// statemachine.Segmented only. It does not know who may ask, nor whether a request was there
// before: statemachine.Sessions does. It looks at neither stream nor topic of a request: who
// routes it has chosen the group.
//
// # Invariants
//
//   - Offsets are dense: a batch of n messages takes the next n. Base timestamps never fall.
//   - The same ops give the same results, snapshots and segment files, to the byte, whenever
//     the tail was moved. TestReplicasAgree compares replicas that do it at different ops;
//     the mutants retains_by_files and start_inside_segment break it.
//   - What is polled is executed, hence committed; no message below the start is returned.
//     Clients see one log and one offset for each consumer (TestClientsSeeOneLog, whose six
//     lies TestTheCheckersNoticeALie tells).
//   - A stored offset is that of a message that was there. Only a request moves it back; the
//     automatic one does not: mutant advance_lowers.
//   - After a crash at any storage operation a checkpoint is the old one or the new one, and
//     replaying the ops above it gives the state as it was (TestFaultMatrix): mutants
//     trim_before_pairing, release_before_pairing and restore_before_pairing, and flushes left
//     out.
//
// # Snapshot
//
// Numbers are little-endian. Segments are those of the log as ops count them, whether they lie
// in files yet or in the tail. A snapshot that was taken right after Materialise has no tail.
//
//	 0  4  magic "VSPL"
//	 4  2  version 1
//	 6  2  zero
//	 8  8  partition
//	16  8  start: the first offset that is kept
//	24  8  next: the offset of the next message
//	32  8  timestamp of the last batch
//	40  8  generation of the last purge
//	48 16  chain: a checksum over all batches that there ever were
//	64  8  number of segments, each of 32 bytes: start, next, bytes, timestamp
//	    8  number of stored offsets, each: offset, 8 bytes; kind; identifier
//	   64  mark of the segment files; zero without a disk
//	    8  number of batches in the tail, each: op, 8 bytes; the batch
//
// Source: R17; reference of the layouts: impl/batch, impl/segment; spec/PartitionLog.tla and,
// for what ops make of the state, spec/Retention.tla, along whose walks traces/retention drives
// this machine.
package partition
