// Package crashtest is a write-ahead log with one owner, who knows what it has been promised. It
// exists to be struck by the fault matrix, in tests and in the tool.
//
// # What it owns
//
// [Subjects]: append, state record, roll, release, move, giving room away and boot, each with the
// check of what must be there after any crash.
//
// # What it never does
//
// It replays nothing: that a record is there, in its place and with its body, is all it asks.
//
// # Invariants
//
//   - What Append returned for is there after the death of the process, what Sync returned for
//     after that of the machine.
//   - What is found is a run of the records without a gap, from the first, or from where a
//     release that was asked for has left it.
//   - A second boot finds what the first one found; so what was cut does not come back, and doubt
//     is not forgotten. A release alone may be undone, whole.
package crashtest
