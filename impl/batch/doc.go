// Package batch is the record of messages: what a producer sends, what is replicated, what a
// segment holds and what a poll returns are the same bytes.
//
// # What it owns
//
// The layout, its checksums and their verification; [Builder] for those who write, [Decode] and
// [Batch.Messages] for those who read, without copying; [Stamp] for who gives a batch its
// place in a partition; [Batch.AppendRange] for who serves a part of it.
//
// # What it never does
//
// It does no I/O, reads no clock, and gives no offset by itself. It believes nothing before it
// has verified it: no input makes it panic, except through [View], which is for bytes that
// were decoded before.
//
// # Invariants
//
//   - What [Decode] accepts has frames that tile it, as many as it says, with offsets that
//     rise by one; every byte of it is covered by a checksum or known to be zero.
//     TestNoFlippedBitIsAccepted flips each.
//   - A stamp changes partition, base offset, base timestamp and the checksum of the batch,
//     and no frame.
//   - A batch fits into the body of a prepare.
//
// Source: the layout and the checksums are upstream's, so that its clients can be served.
//
// # Layout
//
// Numbers are little-endian, checksums XxHash3-64.
//
//	batch header, 256 bytes                 message frame, 48 bytes and data
//	 0  8  partition                         0  8  checksum of the frame from byte 8 on
//	 8  8  base offset                       8 16  id
//	16  8  base timestamp                   24  4  offset delta
//	24  8  origin timestamp                 28  4  timestamp delta
//	32  8  length, header and frames        32  4  bytes of user headers
//	40  8  checksum                         36  4  bytes of payload
//	48  4  messages                         40  8  zero
//	52     zero                             48     payload, then user headers
//
// The checksum of a batch covers bytes 0 to 39 and 48 to 51 of the header, in this order, and
// then the checksum of each frame. So it binds the frames only for a reader who verifies them,
// too. The offset of a message is base offset and offset delta; its own time, the producer's,
// is origin timestamp and timestamp delta. Base timestamp is when the primary took the batch.
// A producer leaves partition, base offset and base timestamp zero and counts the deltas from
// 0; a part of a batch keeps the deltas that its messages had.
package batch
