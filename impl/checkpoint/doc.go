// Package checkpoint makes a group's state durable in three phases (R17), and finds it again.
//
// # What it owns
//
// Snapshot files, OP.snapshot with 20 decimal digits, in a directory of the group's own. [Take]
// runs the phases: the segments are flushed and the snapshot is durable; the pairing of its op
// and checksum is durable in the superblock; only then is anything let go: the log below, after
// a state record above the new base, segments below the start, older snapshots. [Recover]
// cross-checks snapshots and superblock.
//
// # What it never does
//
// It does not know what the state is, nor when a checkpoint is due. The caller takes one only
// of ops that are flushed, in a log whose log view is durable. It never adopts a snapshot that
// does not verify, and never removes one that the superblock names.
//
// # Invariants
//
//   - At every moment the disk has the snapshot that the superblock names, whole.
//   - After a crash at any operation Recover finds the old checkpoint or the new one. Package
//     crashtest breaks it with the mutants release_before_pairing and trim_before_pairing.
//   - Equal states, equal snapshots, to the byte: no time, no boot, no sequence is in them.
//
// # Snapshot
//
// Numbers are little-endian, checksums the first 128 bits of a BLAKE3 digest. Every byte is
// covered by the checksum.
//
//	offset  bytes
//	     0     16  checksum of all that follows
//	    16      4  magic "VSCP"
//	    20      2  version   1
//	    22      2  zero
//	    24     16  cluster
//	    40      8  group
//	    48      8  op        the last that the state has executed
//	    56     16  checksum of that op's prepare
//	    72      8  bytes of the state
//	    80      8  bytes of the client table
//	    88      8  bytes of the mark: 0, or 64 for a partition
//	    96      8  timestamp of that op's prepare
//	   104         state, client table, mark of the segments
//
// Source: R17; spec/Journal.tla Checkpoint.
package checkpoint
