// Package wal is a process's write-ahead log (WAL) on disk: the prepares and state
// records of all the groups that it hosts, in one sequence of batches.
//
// # What it owns
//
// Batches, their chain, their files, and recovery. [Log.Append] writes a batch, [Log.Sync]
// flushes; who has many callers makes one batch of all that wait. [Log.AppendToFlush] is for a
// batch whose flush is next: it goes around the page cache where the disk can. [Log.Read] finds a
// body by group, op and checksum (R3). [Log.Release] lets files go that checkpoints cover (R17).
// [Open] adopts what verifies as an unbroken chain, says of each range of bytes that it does not
// adopt why, which groups are in doubt (R15), and makes durable what it keeps before it returns
// (R14).
//
// # What it never does
//
// It never adopts a batch of which neither index verifies, never finds a body by op alone,
// never overwrites a batch that is not released, and never goes on after a write or flush
// that failed: the [Log] is poisoned, and the next Open finds out what the disk has. It does
// not know what the records mean: which prepares belong to a group's log is decided by who
// replays them, and a state record's content is bytes to it.
//
// # Invariants
//
//   - Sequences of batches are consecutive; each batch names the checksum of the one before
//     it and the boot that wrote it, so no leftover of another boot continues a chain.
//   - What Append returned for survives the death of the process; what Sync returned for
//     survives power loss.
//   - Behind the last batch lies a sector of zeros, or the end of the file: a clean end can
//     be told from damage, though files are used again as they are.
//   - The two indexes of a batch never share a sector.
//   - A file is released only if of each group in it a newer state record is flushed, and
//     all its ops lie at or below the group's checkpoint or have a flushed copy behind it.
//   - State records alone do not fill it: [Log.Move] copies what keeps the oldest file, in room
//     that prepares and state records leave to it.
//   - Two spare files stand by when prepares find no room, if the disk ever had it for them:
//     one for the state record without which nothing is released, one for [Log.MakeRoom] to
//     give away to the snapshot of the checkpoint. So a full disk can always be released from.
//
// # Doubt
//
// After Open a group is in doubt (it may lack what it acknowledged) if the newest state
// record says so, if anything unreadable or out of place was found, now or at an earlier
// boot since that record, or, under the policy replicated, unless the kernel is the one that
// ran when the newest batch was written, and at every boot since that record: then what the
// system was given is still there. A cut destroys its evidence, so the batch that overwrites
// it carries a mark.
//
// Damage at the end cannot always be told from a torn write. It can if one of the indexes
// is legible: then the batch is adopted, with the bodies that verify. (A state record that
// does not verify makes its batch illegible: there is only one copy of it.)
//
// # Files
//
// SEQUENCE.wal holds the batches from that sequence on (16 hexadecimal digits), NUMBER.spare
// nothing that counts, new.tmp is a spare in the making. All have the same size and are
// written full of zeros when they are made. The lowest name says where the log begins.
//
// # Batch
//
// Numbers are little-endian, checksums the first 128 bits of a BLAKE3 digest. Batches begin
// at multiples of 512 bytes and have a multiple of 512 bytes.
//
//	header, index, records, zeros, index again, header again
//
//	header, 128 bytes            index, 64 bytes for each record
//	 0   4  magic "VSJ2"         0   8  group
//	 4   4  records              8   8  op                of a state record: its head
//	 8   8  sequence            16  16  checksum          the identity; zero in state records
//	16   8  synced through      32  16  checksum of the body
//	24   4  size in bytes       48   4  log view
//	28   4  flags: 1 doubt      52   4  size of the body in bytes
//	32  16  chain               56   1  kind: 1 prepare, 2 state
//	48  16  incarnation         57   1  flags: 1 fill, 2 in doubt
//	64  16  kernel boot         58   6  zero
//	80   8  file
//	88   8  offset
//	96   8  half of the checksum of the index
//	104  8  half of the checksum of index and bodies in a row; zero if there is one record
//	112 16  checksum of bytes 0 to 111
//
// The last character of the magic is the version of the format. Every version has a checksum at
// 112, by which a log of another one is told from damage, and refused ([VersionError]).
//
// Chain is the checksum at 112 of the batch before. File and offset say where the batch
// belongs: one that lies elsewhere was misdirected, or is left over in a file used again.
//
// Source: R2, R3, R14, R15, R17; spec/Journal.tla with Twin and Misdirects.
//
// # Limits
//
// Who knows a boot's incarnation can make a body that looks like a batch, which counts if
// rot takes both indexes of the batch around it. Incarnations are not told to clients.
package wal
