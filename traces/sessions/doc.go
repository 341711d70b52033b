// Package sessions drives the production client table, impl/clienttable, along walks of the
// model of client sessions, model/sessions, and compares the two after every step.
//
// # What is compared
//
// Each replica of the model has a production table. An Execute of the model executes the same
// message at the same op; a checkpoint, a restart and a transfer become snapshots and what is
// restored from them. Then at every replica:
//
//   - op, capacity, and the rows slot by slot with all replies are the model's;
//   - each message that was ever sent is given the model's answer, a reply with its very bytes;
//   - what an Execute did is what the model says: whether the request executed, who ended;
//   - replicas at the same op have the same snapshot, to the byte.
//
// Steps of clients change no table; the answers after them are compared all the same.
//
// # What it owns
//
// The mapping ([Group]) and its verdict ([Mismatch]). It changes neither side: model and impl
// meet here, and do not know of each other. [Maker] says which table is driven, so that a table
// with a defect can be seen to be found.
package sessions
