// Package superblock keeps what a process must not forget of each group that it hosts:
// view, log view, commit max and checkpoint, in one record for all groups.
//
// # What it owns
//
// Two files, superblock.a and superblock.b, that are copies of one record. An update
// replaces one and then the other, each by temporary file, sync, rename and sync of the
// directory, and is complete when both are replaced: only then may anybody speak for it
// (R1). [Open] makes the copies equal before it returns. So one damaged file at a time
// costs nothing, and no crash can destroy the last complete record (R16).
//
// # What it never does
//
// It never takes damage for a fresh disk: [Read] has three outcomes, and [Unreadable] is
// refused with what a person can do. It changes nothing in a directory that it refuses. It
// never goes backwards: not in view, log view or checkpoint of any group. It never retries
// a sync; after an error that leaves open what the disk holds the [Store] is poisoned.
//
// It does not know what a view is for: what is written when is the matter of its caller.
// It is not safe for concurrent use: the process has one superblock and one writer.
//
// # Invariants
//
//   - At every moment at least one of the two files, as the disk has them, holds the last
//     complete record or the one being written.
//   - After Open and after Write both files hold the same bytes, and their names are
//     durable.
//   - Sequences rise by one with each update; the first is 1.
//   - Groups rise strictly in the record, all are of one cluster, and in none is the log
//     view above the view.
//
// Source: R1, R2, R16; spec/Journal.tla WriteSuperblock, MirrorSuperblock, SyncSuperblock
// with Mirror, and Outcome. Upstream alternates its files; there a valid one beside a
// damaged one may be the older.
//
// # Record
//
// Numbers are little-endian, checksums the first 128 bits of a BLAKE3 digest. What is said
// to be zero must be.
//
//	offset  bytes
//	     0      4  magic       "VSSB"
//	     4      2  version     1; magic and version stay where they are in every version
//	     6      2  zero
//	     8      8  sequence    of the update, from 1
//	    16     16  cluster
//	    32      4  groups      how many follow, 0 to 65,536
//	    36     12  zero
//	    48     16  checksum    of bytes 0 to 47 and of all bytes from 64 on
//	    64         groups, 72 bytes each:
//	             0      8  group
//	             8     58  VsrState
//	            66      6  zero
//
// # VsrState
//
// The layout of seed 004 (iggy#3767):
//
//	offset  bytes
//	     0     16  cluster
//	    16      1  replica id
//	    17      1  replica count
//	    18      4  view
//	    22      4  log view              at most the view
//	    26      8  commit max            a lower bound, no promise
//	    34      8  checkpoint op         0: no checkpoint
//	    42     16  checkpoint checksum   zero if and only if the op is
package superblock
