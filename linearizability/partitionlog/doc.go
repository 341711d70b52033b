// Package partitionlog decides whether what clients saw of a partition's log, appends
// and polls, could have been one atomic log.
//
// It owns the operations of such a history, the sequential specification (what a log
// answers), the sweep that decides in O(n log n + records polled), Porcupine for what
// the sweep cannot decide, and the smallest part that is a violation. It never reads
// files and never repairs a history. It imports no other package of this module.
//
// # The contract
//
// An append takes the next offset, from 0, and returns it. A poll from an offset returns
// the records from there on: up to Max of them, and fewer only if the log ends there. No
// record is removed. An unanswered append takes effect at any moment after its call, or
// never; an unanswered poll says nothing.
//
// # When the sweep decides
//
// The sweep is sound and complete if no two appends of the history have equal values, the
// unanswered ones included. The offsets then are the order of the appends, and nothing
// has to be searched (sweep.go has the argument). Where values repeat, [Check] leaves the
// history to Porcupine, whose answer may be Undecided.
//
// # Invariants
//
//   - Times are closed intervals: an operation that returns at 20 overlaps one that is
//     called at 20.
//   - A witness is a part of the history, operations unchanged but for appends that are
//     taken as unanswered: without an answer they constrain less, so the witness being a
//     violation implies that the history is one. So does one of a part of the log (window.go).
//   - Undecided is never a success.
package partitionlog
