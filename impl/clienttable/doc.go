// Package clienttable is the client table of a replica: who holds which session, what each
// client's requests came to, and so whether a request that arrives executes (R18).
//
// # What it owns
//
// Sessions, their numbers and owners, the ring of replies, the order of eviction, the capacity,
// what to answer ([Table]); what a primary knows of messages under way ([Preflight]); the form
// of the table in a checkpoint ([Table.AppendSnapshot], [Restore]). How a replica uses it:
//
//	executing op:  Execute(op, message) ---> Ignored, Bound, ...: the client hears Result.Answer
//	                                    \--> Execute: run the machine
//	                                              \--> Complete(op, body): the client hears it
//	the next request of a batch:  ExecuteAlso(op, message), likewise
//	a request comes in, at a primary:  Preflight.Judge(table, message) ---> Prepare, or an answer
//	                   anywhere else:  Table.Answer(message)
//
// Executing decides. Preflight saves the preparing of what would be ignored, and may forget, lag
// or be wrong: a request that it let through runs into the same rule when its op executes.
//
// # What it never does
//
// It reads no clock, draws nothing at random, follows no order of a map, owns no goroutine and
// does no I/O: the table is a function of the log and its [Config]. It knows no views and no
// roles: that Prepare is the primary's to act on is the caller's matter. It does not say how a
// session is written into the body of a reply.
//
// # Invariants
//
//   - A request executes if and only if its session is its row's and its number is the watermark
//     plus one. So a number executes at most once in a row, whatever commits how often.
//   - Sessions are ops: born <= session <= newest <= the table's op, and no two rows have the
//     same newest, at the same place of a batch. The one with the oldest is evicted first.
//   - Requests that share an op do what they would do with an op each, in their order. Mutants
//     clienttable_batch_executes_first and clienttable_batch_order_lost break it.
//   - The replies of a row are those of its newest numbers, ending with the watermark's, without
//     gaps, at most Config.Ring; ops and sessions never fall as numbers rise.
//   - A Register of the same number repeats its answer, of a lower one changes nothing, of a
//     higher one keeps born, watermark and replies. Nobody but the owner rebinds or is told.
//   - An answer other than Silent and Prepare stays true for ever; SessionGiven until the next
//     Register, which the client numbers higher.
//   - Equal logs, equal snapshots, to the byte. A restored table goes on as the first one would:
//     same answers, same victims, same slots. A replayed reply has the same bytes.
//
// [Table.CheckInvariants] looks for those that can be seen in one table.
//
// # Upstream's clients
//
// [Upstream] serves clients whose Registers have no number and whose requests leave gaps. Then
// each Register that commits rebinds, and each number above the watermark executes. What is
// weaker:
//
//   - OnlyEviction does not hold: a late Register ends the session in use. Its client is told.
//   - GoneIsForeign holds for one open request at a time: one that its successor overtook is
//     Gone, though it never executed. Hence such a client must not take Gone for success.
//   - A request without a checksum gets whatever reply is kept under its number.
//   - No Register tells which requests executed: their outcome is unknown after a rebind.
//
// That a number executes at most once in a session holds for them too.
//
// # Size
//
// Config.MemoryBytes bounds a full table, Config.SnapshotBytes its snapshot:
//
//	capacity  ring  reply bytes   memory, at most   snapshot, at most
//	    8192     5          256           17.6 MB             12.9 MB
//	    8192     5         4096          194.6 MB            170.2 MB
//	   65536     8         1024          668.3 MB            564.7 MB
//
// A larger body of a reply goes out once and is not kept: who asks again hears Gone. A Resize
// changes the capacity, up to [SlotsMax].
//
// Looking up allocates nothing: go test -run '^$' -bench . -benchmem ./impl/clienttable, in the
// first of these configurations, full, on a virtual core of an AMD EPYC:
//
//	AnswerReplay       800 ns    0 allocations   each time of another client
//	AnswerOver          65 ns    0
//	Judge              136 ns    0               behind 8 messages under way
//	ExecuteRequest     720 ns    1               the copy of the body, 256 B
//	RegisterEvicts    6500 ns    2               the row, and the session that ended
//	Snapshot            13 ms    0               12.9 MB
//	Restore             33 ms    57,457          16.0 MB, 1.2 bytes for each of the snapshot
//
// # Snapshot
//
// Numbers are little-endian. Nothing follows the checksum. Offset, bytes:
//
//	 0   4  magic             "VCT1"
//	 4   1  shape             1 numbered, 2 upstream
//	 5   3  zero
//	 8   4  capacity          slots: 1 to 65536
//	12   4  ring              of the configuration
//	16   4  reply bytes       of the configuration
//	20   4  rows              that follow
//	24   8  op                the last that was executed
//	32      slots             one byte for each: 1 if it is used, else 0
//	        rows              of the used slots, in their order
//	    16  checksum          BLAKE3-128 of all bytes before it
//
// Row, 72 bytes and its replies:
//
//	 0  16  client            nonzero, in one row only
//	16   4  owner
//	20   2  replies           that follow, oldest first
//	22   2  place             of the newest request in its batch, 0 if it had the op alone
//	24   8  registration
//	32   8  session
//	40   8  born
//	48   8  watermark
//	56   8  bound watermark
//	64   8  newest            which is, with the place, the order of eviction
//
// Reply, 44 bytes and its body:
//
//	 0   8  session
//	 8   8  number
//	16  16  checksum          of the request
//	32   8  op
//	40   4  size              of the body; 0xffffffff: it was not kept
//	44      body
//
// Shape, ring and reply bytes are in it because the table is a function of them: replicas that
// differ in one would differ in what they execute or keep. [Restore] refuses a snapshot of
// others. The checksum guards against accidents. What passes it is still checked, field by
// field, against the invariants, before memory is taken: for a body its bytes, for a row or a
// reply less than three times its bytes, for a slot a pointer.
package clienttable
