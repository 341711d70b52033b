// Package linearizability decides whether a recorded client history could have
// been produced by one atomic object, and says which operations contradict each
// other where it could not.
//
// It owns the history format, the sequential models (register, key-value), the
// search (Porcupine, partition by partition, under limits), the reduction of
// requests with unknown outcome, the smallest sub-history of a violation, the
// importers of foreign histories, pictures, and a generator of histories that
// are right or wrong by construction: the negative controls of the checker.
//
// It never records anything, never repairs a history, and never turns "not
// decided" into "passed". It imports no other package of this module.
//
// # The format
//
// JSON lines in UTF-8, each line ended by a newline, the whole file optionally
// compressed with zstd. The first line is the header:
//
//	{"format":"viewstamp.history","version":1,"model":"register","unit":"ns"}
//
// Further fields of the header are for people and are ignored. Each following
// line is one operation (broken here, not in the file):
//
//	{"client":3,"id":17,"kind":"write","key":"x",
//	 "input":{"value":"1"},"output":{},"call":12,"return":40}
//
//	model     kind    input               output
//	register  read    {} or left out      {"value":V}, or null: the client gave up
//	register  write   {"value":V}         {}
//	register  cas     {"from":V,"to":V}   {"ok":true} or {"ok":false}
//	kv        get     {} or left out      {"value":S}, or null: the client gave up
//	kv        put     {"value":S}         {}
//	kv        append  {"value":S}         {}
//
// V is a string or null, S a string. A register starts as null, a key of the
// key-value model as "". The key may be left out: it then is "". Times are in the
// header's unit: "ns" (nanoseconds) or "step" (a logical counter). Unknown fields
// of an operation are refused, because a misspelt "return" would silently turn an
// answered request into an open one.
//
// An unanswered request has no "return" (or null) and no "output": it stays open
// to the end of the history and may take effect at any moment after its call, or
// never. Its client must not go on under the same number. Only a read may instead
// be closed with a null output, since a read that learned nothing says nothing.
//
// # Without a search
//
// A partition of a register with at least 512 operations is decided in O(n log n) by
// the zones of its values (zones.go), soundly and completely, if it has no compare and
// set, no two writes of equal values (unanswered ones included) and no write of null.
// Unanswered requests and reads of unknown outcome are allowed. All other partitions
// go to Porcupine.
//
// # Invariants
//
//   - Times are closed intervals: an operation that returns at 20 overlaps one that
//     is called at 20.
//   - A client has one operation at a time; (client, id) is unique.
//   - Verdicts are three-valued. Undecided names the limit that stopped the search
//     and how far the search came.
//   - The reduction changes no verdict: the argument stands in reduce.go, and the
//     tests compare both ways on random histories and on all shipped ones.
//   - A witness is a sub-history of the history, operations unchanged. It is a
//     violation, and its violation implies that of the whole history: an operation
//     is dropped only where that cannot create a violation (shrink.go).
//   - Equal options and seeds give equal histories; equal histories give equal
//     files, byte for byte.
package linearizability
