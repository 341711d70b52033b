// Package segment keeps the batches of one partition in files: what a checkpoint has taken
// out of the write-ahead log, for clients to read.
//
// # What it owns
//
// Segment files that roll by size, a sparse index of each by offset and by time, retention,
// purge, reads by offset and by timestamp across segments, and recovery. [Log.Append] takes
// committed batches in the order of their ops; [Log.Sync] makes them durable; a [Mark] says
// how far a checkpoint reaches, and [Open] brings the files back to exactly there. [OpenImage]
// and [Receive] bring them to another replica.
//
// # What it never does
//
// It reads no clock: time comes with the op. It never removes a file that the last durable
// checkpoint still counts on: [Log.Retain] and [Log.Purge] move the start, and only
// [Log.Trim], called after the next checkpoint is paired, takes the files away (R17). It never
// returns a batch that does not verify, and never goes on after a write or flush that failed.
// It does not look into bodies, and knows no consumer. It is not safe for concurrent use.
//
// # Invariants
//
//   - Offsets have no gaps, ops and timestamps never fall; each batch names the checksum of
//     the one before it, whether that was ever written or not ([Log.Skip]).
//   - Where segments begin is a function of the batches, the size of a segment and the purges
//     alone. So replicas at equal checkpoints have the same files, to the byte.
//   - What Sync returned for, and a durable Mark covers, is read back after any crash.
//   - Behind a mark nothing is kept: its ops lie above the checkpoint and come back from the
//     write-ahead log, in the same bytes.
//   - Receive replaces no file before all of an image has verified, and a file that it replaces
//     goes on as before (R21). So the checkpoint in force is whole at any moment.
//   - An index only saves work. Without it, or with a wrong one, the same batches are found.
//
// Source: R14, R17; spec/PartitionLog.tla.
//
// # Files
//
// OFFSET.log, 20 decimal digits, holds the batches from that offset on, one after the other
// and nothing else; OFFSET.index is its index. Numbers are little-endian, checksums the first
// 128 bits of a BLAKE3 digest.
//
//	batch, 80 bytes                           index, 112 bytes
//	 0 16  checksum of all that follows        0 16  checksum of all that follows
//	16  4  magic "VSB1"                       16  4  magic "VSX1"
//	20  4  size in bytes, with the header     20  4  entries
//	24  8  group                              24  8  group
//	32 16  chain                              32  8  offset of the first message
//	48  8  op                                 40  8  bytes of the segment that it covers
//	56  8  offset of the first message        48  8  offset behind them
//	64  8  timestamp                          56  8  op of the last batch
//	72  4  messages                           64  8  timestamp of the last batch
//	76  4  zero                               72  8  position of the last batch
//	80     body                               80 16  chain before the first batch
//	                                          96 16  chain after the last batch
//	                                         112     entries, 24 bytes each: offset,
//	                                                 timestamp, position of a batch
//
// Chain is the checksum of the batch before; zero before the first. The first batch of a
// segment has an entry, then each that begins IndexBytes or more behind the last that has one.
package segment
