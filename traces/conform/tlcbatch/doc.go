// Package tlcbatch is the second opinion on recorded traces: it has TLC say whether they are
// behaviours of spec/VSR.tla, many traces in one run, since starting Java costs more than
// most traces do.
//
// # What it owns
//
// The module that gives a batch to spec/TraceVSR.tla, the bounds of its cfg, and the reading of
// what TLC prints. [Check] is all of it.
//
// # What it never does
//
// It explains nothing: of a rejected trace it says the event that no step of the module
// explains, no more; package conform says why. It reads no files, and takes no trace that is
// longer than its limits.
//
// # Invariants
//
//   - A trace is accepted only if TLC printed its last event and ended clean. A run that ends in
//     any other way has no verdict.
//   - No behaviour that explains a trace of the batch exceeds a bound of the cfg, so that none is
//     rejected because of one.
//   - Texts of a trace never reach TLC: they become numbers or words of this package.
//
// # Independence
//
// It shares no code with package conform but the format of traces. The two also differ in
// method: what a crash hides (writes that landed and whose end the replica did not live to
// see) are further steps of the module here, and a calculation there.
//
// Source: tla.md, section 9.2; spec/TraceVSR.tla.
package tlcbatch
