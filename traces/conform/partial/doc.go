// Package partial checks traces that say only part of what a replica's state is, such as those
// imported from the logs of another system. The model cannot be held against them step by step,
// since most of its states would explain every line. Instead the package checks what such a trace
// can show: properties that hold in every run of the protocol ([Invariants]).
//
// It owns the [Checker] and its [Verdict], which says of each invariant how often it was checked
// and how often it could not be, and names what no such trace can show ([Unseen]). It never fills
// in what a trace does not say: a check that would need it counts as open.
//
// # What is taken for known
//
//   - A trace that begins in the middle: nothing about what was before.
//   - traces/iggysim.ActionGap: of all replicas only their views are known after it, which never
//     go back.
//   - A restart, seen in its own event or in the status recovering: of that replica the same.
//   - Traces in which only each replica's own events have an order (traces.OrderReplica): checks
//     that compare the times of two replicas count as open.
//
// # Invariants
//
//   - Memory does not grow with the length of a trace, only with its groups: of each group the
//     last windowMax ops are remembered, and checks against older ones count as open.
//   - The first event that breaks an invariant is rejected, with its place in the log, what was
//     known and the field that refuses. No event after it is judged.
package partial
