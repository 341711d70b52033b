// Package export writes traces in the formats that people's tools read, and as pages that
// people read: ITF of the TLA+ tools ([WriteITF]), ShiViz logs with vector clocks
// ([WriteShiViz]), trace-event JSON for Perfetto ([WritePerfetto]), sequence diagrams of
// Mermaid ([WriteMermaid]) and one self-contained page of HTML ([WriteHTML]).
//
// It owns those forms and the messages of a trace ([Messages]): which earlier step of which
// replica sent what a step received. It never judges a trace and never reads the foreign
// formats back.
//
// # Messages
//
// A trace records steps, not packets. A message is drawn where the trace shows both ends: the
// step that received names the sender, or the protocol leaves one sender only (the primary of
// the view), and an earlier step of that replica sent it. Where a trace does not say whose
// prepare_ok made up a quorum, or who served a repair, nothing is drawn.
//
// # Invariants
//
//   - A message is received after it was sent, and never by its sender.
//   - The clock of a step counts the steps of its own replica, and is at or above the clock of
//     every step that it received a message from.
//   - Equal traces are written as equal bytes; no text of a trace is read as markup.
package export
