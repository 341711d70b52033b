// Package wal is the append-only log of one partition's prepares on disk.
//
// # What it owns
//
// The records, their chain, and recovery: [Open] adopts every record that verifies
// as an unbroken chain, stops at the first that does not, says of each byte range
// that it discards why, and flushes what it keeps before it returns (R14). Seed 003
// (iggy#4632) is what happens otherwise, kept here as [RecoverToFrontier].
//
// # What it never does
//
// It never keeps a record whose checksum does not match, never finds a record by op
// alone (R3), never reads past a record that does not verify, and never goes on after
// a failed write or sync. It knows nothing of views: what belongs into the log is
// decided above it. One goroutine uses a [Log] at a time.
//
// # Invariants
//
//   - Ops are consecutive, sequence numbers are 1, 2, 3, ..., and each record carries
//     the header checksum of the one before it. The first carries zero.
//   - What Append has returned for survives the death of the process, what Sync has
//     returned for survives power loss.
//   - After Open nothing lies in the file behind the records, and all of it is on the
//     disk: a second crash finds the same log.
//   - The byte ranges of [Report].Discarded follow one another from the end of what is
//     kept to the end of the file.
//
// # Record
//
// Numbers are little-endian, checksums are the first 128 bits of a BLAKE3 digest.
// Records follow one another without gaps.
//
//	offset  bytes
//	     0      4  magic            "VWL1"
//	     4      4  size             of header and body, in bytes
//	     8      8  op
//	    16      8  sequence         of the record, from 1
//	    24     16  chain            header checksum of the record before, or zero
//	    40     16  body checksum
//	    56     16  header checksum  of bytes 0 to 55
//	    72         body
//
// The header checksum covers the body's, so a chain of headers vouches for all bodies
// before it.
//
// Why BLAKE3 and not the faster XXH3: the body checksum is the identity of a prepare
// (R3), and bodies are chosen by clients. XXH3 can be made to collide at will, and a
// replica that takes one body for another diverges silently. The same function serves
// headers, so that there is one; at 317 bytes both together cost less than two
// microseconds, next to a flush of the disk.
//
// # Frontier
//
// PATH.frontier, which only [Log.PublishFrontier] writes (temporary file, sync,
// rename, directory sync) and only [RecoverToFrontier] believes:
//
//	 0      4  magic            "VWF1"
//	 4      4  zero
//	 8      8  sequence         of the last record below the frontier, 0 if none
//	16     16  checksum         of bytes 0 to 15
//
// # Limits
//
// A record in the middle that rots takes the valid ones behind it along; they are
// reported as [Orphaned]. Nothing in the format tells yet whether what is missing had
// been synced. And a sync that fails may leave pages in the page cache that count as
// clean without being on the disk; whoever opens the log after that, on the same boot
// of the machine, adopts them. A node must treat a failed sync as a failed disk.
package wal
