// Package tlcbatch is the second opinion on recorded traces: it has TLC say whether they are
// behaviours of spec/VSR.tla, many traces in one run, since starting Java costs more than
// most traces do.
//
// # What it owns
//
// The module that gives a batch to spec/TraceVSR.tla, and the reading of what TLC prints.
// [Check] is all of it.
//
// # What it never does
//
// It explains nothing: of a rejected trace it says the event that no step of the module
// explains, no more; package conform says why. It does not see incarnations (R4), which VSR
// has not.
//
// # Independence
//
// It shares no code with package conform but the format of traces. The two also differ in
// method: what a crash hides (writes that landed and whose end the replica did not live to
// see) are further steps of the module here, and a calculation there.
//
// Source: tla.md, section 9.2; spec/TraceVSR.tla.
package tlcbatch
