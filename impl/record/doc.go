// Package record turns what the production core reports into a trace: each [vsr.Event]
// becomes one [traces.Event], in the order in which the events happened.
//
// It owns the translation and nothing else: it decides nothing about what is allowed (that is
// traces/conform), and it never looks at a replica, only at its events.
//
// # Invariants
//
//   - The actions of the specification are always recorded, each with the state after it.
//   - Finer events (admissions, refusals) are recorded as stuttering events if the options say
//     so; leaving them out changes no other event.
//   - Equal events give equal bytes.
//   - After the first error nothing more is written; [Recorder.Err] keeps it.
package record
