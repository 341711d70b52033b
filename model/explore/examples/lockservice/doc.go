// Package lockservice is an example of a model for package explore: a lock service with
// leases, and the storage that its clients write to.
//
// The service grants the lock to one client at a time, with a token that grows. A lease
// may expire while its holder sleeps; the holder does not notice, and writes when it wakes
// up. With fencing the storage refuses a token below one that it has seen.
//
// It owns the model and its one defect: a storage without fencing. It never does anything
// but answer [explore.Check] and its like.
//
// # Invariants
//
//   - NoStaleWrite: the last write that the storage took has the highest token of all
//     that it took. A storage without fencing breaks it.
package lockservice
