// Package members drives the production catalogue behind its client table,
// impl/statemachine.Sessions over impl/statemachine/metadata, along walks of the model of consumer
// groups, model/consumergroups, and compares the two after every step.
//
// # What is compared
//
// Each replica of the model has a production machine. An Execute of the model executes the same
// message at the same op; a checkpoint and a restart become a snapshot and what is restored from
// it. Then at every replica each client has the session, and each member the partitions and the
// generation, that the model says; who is no member is refused. Replicas at the same op have the
// same checksum.
//
// # What it owns
//
// The mapping ([Group]) and its verdict ([Mismatch]). It changes neither side: model and impl
// meet here, and do not know of each other. [Maker] says which catalogue is driven, so that one
// with a defect can be seen to be found.
//
// # What it never does
//
// It changes no number of partitions: in the model any message may, in the catalogue a request.
package members
