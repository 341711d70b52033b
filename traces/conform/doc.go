// Package conform checks a recorded trace against the model, code to model: it keeps the set
// of model states that can explain the trace so far. Each event must be a step that the model
// allows from one of them, by the action, the parameters and the replica that the event names,
// to a state whose projection is the event's. If the set becomes empty the trace is rejected at
// that event, with the nearest steps of the model and why each was refused.
//
// # What an event may stand for
//
//   - An action: exactly one step of the model.
//   - A stutter: no step; the replica's projection must be what it was.
//   - A message that nobody can act on any more (the model collects such garbage): no step.
//   - A Restart: before the replica crashed, writes may have landed whose completion it did not
//     live to see. So first come any number of its own unseen steps: prepares and bodies in the
//     order of the log, or one change of view or log. Whether a body was stored that the
//     replica's log does not have shows later, and is left open until then.
//
// # Checkpoints
//
// The model has whole logs and no checkpoints. In a trace whose header says that there are some,
// what they do is explained as far as that goes: a checkpoint is of an executed op that is agreed,
// and no restart goes on from below it; one that a peer sends is of an agreed, committed op, and
// takes the place of the steps up to it; what a message's part of a log leaves out may be shown as
// hollow until it is known (checkpoint.go, hole.go).
//
// # Length
//
// Ops that every replica has executed are put aside (history.go), so that an event costs what
// its group has in flight and not what it has ever done; a restart brings them back.
//
// Checksums are opaque: the first time that one is seen it is bound to the model's entry, and
// from then on the two must agree, one to one.
package conform
