// Package retention drives the production state machine of a partition,
// impl/statemachine/partition, along walks of the model of retention, model/retention, and
// compares the two after every step.
//
// # What is compared
//
// Each replica of the model has a production machine; that of replica 0 has a disk. An Execute
// of the model executes the same op; what the model does with files, a checkpoint and a restart
// becomes calls of Materialise, Persist, Paired and Restore. Then at every replica start, next,
// the number of segments, the generation of the last purge and what each consumer has stored
// are the model's, and a poll from every offset returns what the model keeps from there on.
// Replicas at the same op have the same checksum.
//
// # What it owns
//
// The mapping ([Group]) and its verdict ([Mismatch]). It changes neither side: model and impl
// meet here, and do not know of each other. A [partition.Defect] may be switched on, so that a
// machine with a defect can be seen to be found.
//
// # What it never does
//
// It sends batches of one message, and leaves deletion of offsets and polls by time to others.
package retention
