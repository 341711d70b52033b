// Command viewstamp checks a Viewstamped Replication protocol and everything that was
// built by it: the models, the production core, recorded traces, the simulator and the
// histories of clients.
//
// It owns the verbs, their flags and what people and programs read of the results. What
// is checked, and how, is in the packages below; what of it is more than a call is in
// cmd/viewstamp/verify.
//
// # Invariants
//
//   - Exit status: 0 passed; 1 a check failed; 2 wrong usage or bad input; 3 undecided
//     or skipped.
//   - With --json, stdout has one object and nothing else. Errors go to stderr, one
//     line each, and name the file, the line and what was expected.
//   - The table and the JSON come from the same list of checks.
//   - Progress is shown on a terminal only, and on stderr.
//   - No input makes it panic; a defect of its own ends it with one line and status 1.
package main
