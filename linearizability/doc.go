// Package linearizability decides whether a recorded client history could have
// been produced by one atomic object, and says which operations contradict each
// other where it could not.
//
// It owns the history format, the sequential models (register, key-value, partition
// log, consumer offsets, metadata, sessions, set), the search (Porcupine, partition by
// partition, under limits), the reduction of requests with unknown outcome, the smallest
// sub-history of a violation, the importers of foreign histories, pictures, and a
// generator of histories that are right or wrong by construction: the negative controls
// of the checker.
//
// It never records anything, never repairs a history, and never turns "not
// decided" into "passed". Of this module it imports the package below it only.
//
// # The format
//
// JSON lines in UTF-8, each line ended by a newline, the whole file optionally
// compressed with zstd. The first line is the header:
//
//	{"format":"viewstamp.history","version":2,"model":"register","unit":"ns"}
//
// Further fields of the header are for people and are ignored. The last line is the end
// mark, which counts the operations:
//
//	{"end":1}
//
// A file without it was cut off and is refused: a part of a history proves nothing, since
// the write that explains a read may be in the rest. Version 1 is the same without the
// mark; such files are read, and a cut between two of their lines is not noticed. Each
// line between header and end mark is one operation (broken here, not in the file):
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
//	partition append  {"value":S}         {"offset":N}
//	partition poll    {"offset":N,"max":M}    {"values":[S,...]}
//	offsets   store_offset   {"offset":N}     {}
//	offsets   get_offset     {} or left out   {"offset":N or null}
//	offsets   delete_offset  {} or left out   {"ok":true or false}
//	metadata  create  {"name":S}          {"id":N}, or {"id":null}: the name exists
//	metadata  delete  {"name":S}          {"ok":true}, or false: there is no such name
//	metadata  lookup  {"name":S}          {"id":N or null}
//	metadata  name_of {"id":N}            {"name":S or null}
//	sessions  execute {"session":S,"request":N}  {"position":N}, or null: refused as old
//	sessions  count   {} or left out      {"count":N}
//	set       add     {"value":S}         {}
//	set       members {} or left out      {"values":[S,...]}
//
// N is a whole number from 0, M one from 1. A key is one partition, one consumer's
// offset, one space of names, one object of sessions. A poll may have
// "level":"serializable" in its input: it then may read any beginning of the log, but
// none that ends before what its client was shown by an earlier poll.
//
// V is a string or null, S a string. A register starts as null, a key of the
// key-value model as "". The key may be left out: it then is "". Times are in the
// header's unit: "ns" (nanoseconds) or "step" (a logical counter). Unknown fields
// of an operation are refused, because a misspelt "return" would silently turn an
// answered request into an open one.
//
// An unanswered request has no "return" (or null) and no "output": it stays open
// to the end of the history and may take effect at any moment after its call, or
// never. Its client must not go on under the same number. Only what reads may instead
// be closed with a null output, since a read that learned nothing says nothing.
//
// # Without a search
//
// A partition of a register with at least 512 operations is decided in O(n log n) by
// the zones of its values (zones.go), soundly and completely, if it has no compare and
// set, no two writes of equal values (unanswered ones included) and no write of null.
// Unanswered requests and reads of unknown outcome are allowed. A partition's log is
// decided so at any size if no two appends have equal values (package partitionlog).
// All others go to Porcupine.
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
//   - A witness is a sub-history of the history, operations unchanged, except that
//     changes of the models behind kv may stand there as unanswered. It is a violation,
//     and its violation implies that of the whole history: an operation is dropped, or
//     its answer forgotten, only where that cannot create a violation (shrink.go).
//   - Equal options and seeds give equal histories; equal histories give equal
//     files, byte for byte.
package linearizability
