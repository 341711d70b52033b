// Package traces is the trace format of viewstamp: what a replica did, step by
// step, and the state it was in after each step. The reference model writes traces
// that the production code replays; the production code, its simulator and foreign
// systems record traces that the model must explain.
//
// It owns the types of a trace ([Header], [Event], [ReplicaState]), the names of
// the actions ([Actions]), [Reader] and [Writer], files ([ReadFile], [WriteFile],
// [Open], [Create]), the comparison of states ([Diff]) and the readable forms
// ([Describe], [Show]). It never judges behaviour: whether an event is allowed is
// the matter of traces/conform and traces/replay. It imports nothing else of ours.
//
// # Format, version 1
//
// A trace is UTF-8 text, one JSON object a line: the header, then one event a line
// in the order in which the steps were taken. Every line, the last one too, ends in
// a newline and has at most [LineMax] bytes before it. A file whose name ends in
// .zst is the same text, compressed with Zstandard. Below, lines are folded.
//
//	{"format":"viewstamp.trace","version":1,"source":"model","replicas":3,
//	 "quorum":{"replication":2,"view_change":2,"nack":2},"seed":7,
//	 "spec":"<sha256>","commit":"",
//	 "commit_drivers":"walk","mutant":"dvc_drops_hollow","violates":"AckedDurable",
//	 "refused_at":12,
//	 "groups":[{"id":"0","plane":"metadata","durability":"persisted"}]}
//	{"step":1,"group":"0","replica":1,"action":"BecomePrimary",
//	 "args":{"quorum":[1,2]},"stutter":false,
//	 "after":{"status":"normal","view":1,"log_view":1,
//	  "view_durable":1,"log_view_durable":1,
//	  "op_head":21,"head_checksum":"c9","contiguous":21,"hollow":[],"in_doubt":false,
//	  "commit_min":20,"commit_max":20,"pipeline":[21,21],
//	  "incarnation":"a7","stop":"CaughtUp"}}
//
// Header fields:
//
//	format          text     required: "viewstamp.trace"
//	version         integer  required: 1; another version is refused
//	source          text     model, sim, node, iggy.sim or a foreign recorder's name
//	replicas        integer  required: replicas of each group, at least 1
//	quorum          object   replication, view_change, nack: 0 (not said) to replicas
//	seed            integer  seed of the run, 64 bits, not negative
//	spec            text     sha256 of the module files, in hex
//	commit          text     revision of the recording program
//	commit_drivers  text     optional: walk or walk_and_pipeline
//	mutant          text     optional: the defect a counterexample was made with
//	violates        text     optional: the property it breaks
//	refused_at      integer  optional: the step that a correct system must refuse
//	groups          list     objects with id, plane (metadata, partition) and
//	                         durability (persisted, replicated)
//	open            list     optional: fields of after that no event says
//	order           text     optional: total (the default), or replica if the events of
//	                         different replicas have no order
//	files           list     optional: the files that an imported trace was made from
//	checkpoints     boolean  optional: replicas take checkpoints; see the events below
//	continues       integer  optional: how many events were before the first one
//
// Event fields:
//
//	step            integer  required: 1 in the first event, then one more each
//	group           text     ID of the group
//	replica         integer  required: who took the step, 0 to replicas-1
//	action          text     required: one of Actions, or any name if stutter is true
//	args            object   see below; what is zero or empty is left out
//	stutter         boolean  the event is finer than the spec's actions
//	after           object   required: the replica's state after the step
//	open            list     optional: fields that this event does not say, too; those
//	                         of args as "args.op"
//	origin          object   optional: file (index in the header's files) and line of
//	                         the log that the event was imported from
//	at              integer  optional: nanoseconds since 1970, by the recorder's clock
//
// In a trace whose header has checkpoints these stutters are about them, by the names of
// spec/Transfer.tla: TakeCheckpoint, StartTransfer, ResumeTransfer, AbandonTransfer, Install (op
// and checksum are the checkpoint's; Install raises commit_min and stores what is below),
// RaiseHead (op, view, commit of the StartView that made the log longer) and RepairHeader.
//
// Fields of args, all optional:
//
//	op              integer  the op that the event is about
//	checksum        text     identity of its prepare
//	view            integer  32 bits: the view that is spoken for
//	commit          integer  the commit point that a message carries
//	to              integer  replica that a message goes to
//	quorum          list     replicas that a decision rests on
//	request         integer  the client's request number
//	from            integer  replica that a message came from
//	incarnation     text     the boot that a probe or its answer names
//	class           text     admission class of a prepare (R8)
//	reason          text     why something was refused or stopped
//	parent          text     identity of the prepare before op
//	client          text     who asked for op
//	operation       text     what it asked for
//	message         text     kind of message that is sent
//	role            text     primary or backup, as the recorder says it
//	old_view        integer  32 bits: the view before a view change
//	acknowledged    integer  replicas that have acknowledged op
//	needed          integer  acknowledgements that commit op
//	reached         boolean  this acknowledgement was the one that did
//	depth           integer  ops in the primary's pipeline
//
// Fields of after:
//
//	status          text     required unless open: normal, view_change or recovering
//	view            integer  32 bits, as the next three
//	log_view        integer  last view that changed the log
//	view_durable    integer  the view that a restart would find
//	log_view_durable
//	                integer  the log view that a restart would find
//	op_head         integer  highest op of the log
//	head_checksum   text     identity of the prepare at op_head
//	contiguous      integer  highest op such that it and all below have a stored body
//	hollow          list     ops at or below op_head whose body is missing, ascending
//	in_doubt        boolean  the log may lack acknowledged ops (R15)
//	commit_min      integer  last op executed here
//	commit_max      integer  highest op known to be committed
//	pipeline        list     [first, last] op of a primary's pipeline; [] when empty
//	incarnation     text     identifies the boot (R4)
//	stop            text     why the commit walk stopped: CaughtUp, MissingHeader,
//	                         MissingBody, ChecksumMismatch, AwaitingExecution,
//	                         NotNormal, Transferring, or empty
//
// Checksums and incarnations are opaque: only their equality means anything.
//
// # Invariants
//
//   - Unknown fields are ignored, so that version 1 can grow; a field that is absent
//     and not required reads as zero or empty, and so does an empty list.
//   - Whatever breaks the format is one [FormatError] with its line; no input panics.
//   - Event n is on line n+1. A dropped, doubled or swapped event breaks the steps.
//   - A file that was cut inside a line is refused as truncated. A cut between two
//     lines cannot be seen in plain text; in a .zst file it can.
//   - What [Writer] accepts, [Reader] accepts and returns unchanged.
//   - Equal traces are written as equal bytes: fields in the order above.
package traces
