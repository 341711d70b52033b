// Package generate writes traces of the reference model: what the production code must
// be able to do, step by step, and what it must refuse.
//
// It owns the way from a path of the model to a trace: [Edges] writes paths that take
// every edge of a small state graph, [Walks] random walks beyond the bounds that can be
// searched, [Counterexample] the shortest way in which a mutant breaks a property.
//
// It never runs anything but the model and never judges production code: package
// traces/replay does. It writes no files and reads no clock; its only randomness is
// that of a seed.
//
// # Events
//
// Event n of a trace is step n of the path. It names the action, the replica that takes
// it, the replica's projection after it, and in its args whatever tells the step from
// others of the same action, so that a driver has nothing to search for:
//
//	ClientRequest                  op, checksum, request
//	ReceivePrepare, RepairPrepare  op, checksum, from: who holds the body
//	PrimaryCommit                  op, checksum, commit, quorum: who holds the op
//	ReceiveCommit                  commit, from
//	WalkExecute, PipelineExecute   op, checksum
//	StallTruncate                  op, checksum of the lowest op that goes
//	StartViewChange                view
//	ReceiveStartViewChange         view
//	SendDoViewChange               view, to
//	MergeVotes                     view, quorum, op: head of the merged log, commit
//	BecomePrimary                  view, op, checksum: head of the log, commit
//	ReceiveStartView, Recover      view, from, op, checksum: adopted head, commit
//	Restart                        view
//	AnswerProbe                    view, to, op, checksum: head of the answer, commit
//
// The checksum of a prepare is its entry as text, "op.view.request".
//
// # Invariants
//
//   - Every event's state is the model's projection of the replica after the step.
//   - Equal arguments give equal traces, to the byte.
//   - The events of a counterexample before refused_at are steps of the correct protocol.
package generate
