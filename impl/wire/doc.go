// Package wire holds the values that replicas and clients exchange and their form in bytes.
//
// It owns the value types (ops, views, ids, checksums), the messages, the 256-byte header and
// the checksums. It never does I/O, keeps no state, knows no cluster: whether a group or a
// replica exists, what a message means and what to answer are matters of impl/vsr and its
// host.
//
// # Invariants
//
//   - [Decode] never panics, whatever the bytes, and never writes to the frame.
//   - What Decode accepts, [Encode] gives back to the byte. (An unsealed request comes back
//     sealed; nothing else changes.) So there is one form for each message, and no byte of a
//     frame goes unread.
//   - What Encode writes, Decode accepts, if the message obeys the rules that its type states.
//   - Any single bit changed in a sealed frame makes Decode refuse it.
//   - A prepare keeps its bytes for ever: its checksum covers view and primary, a repair
//     carries it verbatim.
//   - A Body of a decoded message is a part of the frame. Nothing else is.
//
// # Frame
//
// Header of 256 bytes, then the body; all integers little-endian. Offsets, sizes in bytes:
//
//	  0  checksum       16   BLAKE3-128 of bytes 16 to 255
//	 16  checksum_body  16   BLAKE3-128 of the body, also of an empty one
//	 32  cluster        16
//	 48  size            4   header and body, 256 to 64 MiB
//	 52  view            4   prepare: the op's; request: zero
//	 56  release         4   zero
//	 60  command         1
//	 61  replica         1   prepare: the op's primary; request: zero
//	 62  reserved       66   zero
//	128  area          128   per command, below; what is not listed is zero
//
// The layout and the numbers of the commands are upstream's. These are the differences:
//
//   - All frames are sealed with BLAKE3-128. (Upstream: XxHash3-64, and neither prepares nor
//     replies are sealed.) Only a request may have both checksums zero, as upstream's clients
//     send it; one alone is refused.
//   - A prepare's identity is that seal. (Upstream: a hash that leaves out the view.)
//   - Prepare has a session at 232, as a request is executed only in the session that the
//     client table holds for its client (R18). Upstream's prepares leave it zero.
//   - Request and Reply have a group at 248, in bytes that upstream reserves.
//   - PrepareOK has no timestamp, request and operation, Commit no checksum, timestamp and
//     checkpoint: these bytes are zero.
//   - DoViewChange and StartView may have any number of headers. (Upstream: 128.)
//     DoViewChange counts them at 156, and its present, nack and faulty bits follow them in the
//     body, not in the header at 224.
//   - RequestPrepares has no nonce at 128 but a body that names each prepare it wants.
//   - DoViewChange and StartView name the base below their headers, RequestStartView the head
//     of who is in the view already. State transfer has a chunk and a question of our own under
//     upstream's numbers.
//   - RepairPrepare is a frame of its own around the stored prepare. (Upstream: the prepare
//     with another command byte.)
//   - ConfirmView and ConfirmViewOK are ours: upstream has no linearizable reads (R19).
//
// # Areas
//
// Request (5), body: the operation's input.
//
//	128 client 16 | 144 request_checksum 16 | 160 timestamp 8 | 168 request 8
//	176 operation 1 | 184 session 8 | 192 user_id 4 | 196 code 4 | 248 group 8
//
// Reply (8), body: the operation's output.
//
//	128 request_checksum 16 | 160 client 16 | 176 op 8 | 184 commit 8 | 192 timestamp 8
//	200 request 8 | 208 operation 1 | 216 status 4 | 248 group 8
//
// Prepare (6), body: the request's, or a batch of requests (batch.go).
//
//	128 client 16 | 144 parent 16 | 160 request_checksum 16 | 176 op 8 | 184 commit 8
//	192 timestamp 8 | 200 request 8 | 208 operation 1 | 216 group 8 | 224 user_id 4
//	232 session 8
//
// PrepareOK (7), no body.
//
//	128 parent 16 | 144 prepare_checksum 16 | 160 op 8 | 168 commit 8 | 200 group 8
//
// Commit (9), no body.
//
//	152 commit 8 | 168 group 8
//
// StartViewChange (10), no body.
//
//	128 group 8
//
// DoViewChange (11), op = the head. Body: n headers of prepares in op order, then
// ceil(n/8) bytes of present bits, then as many of nack bits and of faulty bits; bit i speaks
// for header i and is bit i%8, least significant first, of byte i/8.
//
//	128 op 8 | 136 commit 8 | 144 group 8 | 152 log_view 4 | 156 header_count 4
//	160 untrusted 1 | 168 base_op 8 | 176 base_checksum 16
//
// StartView (12), op = the head. Body: headers of prepares in op order, above the base.
//
//	128 op 8 | 136 commit 8 | 144 group 8 | 152 base_op 8 | 160 base_checksum 16
//	240 incarnation 16
//
// RequestStartView (17), no body.
//
//	128 group 8 | 136 head 8 | 240 incarnation 16
//
// RequestPrepares (18). Body: a checksum of 16 bytes for each op of the range; zero means
// whatever the peer's log holds there.
//
//	144 from_op 8 | 152 to_op 8 | 160 group 8
//
// RepairPrepare (19). Body: the whole frame of a prepare.
//
//	216 group 8
//
// RequestCheckpoint (24), no body.
//
//	128 group 8 | 136 checkpoint_op 8 | 144 checkpoint_checksum 16 | 160 offset 8
//
// CheckpointChunk (25). Body: the bytes of the checkpoint from the offset on; an offer has
// none, and zeros from 160 on.
//
//	128 group 8 | 136 checkpoint_op 8 | 144 checkpoint_checksum 16 | 160 snapshot 16
//	176 total 8 | 184 offset 8
//
// ConfirmView (40) and its answer ConfirmViewOK (41), no body.
//
//	128 group 8 | 136 round 8 | 240 incarnation 16
package wire
