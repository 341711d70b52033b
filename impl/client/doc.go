// Package client is the library that programs use to speak to a cluster.
//
// # What it owns
//
// [Session], a client as the cluster sees it: logins, numbers, the request that is open, and
// what is known of it. [Client], which gives sessions their connections: it finds nodes and
// primaries, waits, retries, and has a method for each thing that can be asked. [Producer] and
// [Consumer] on top of it. The recording of what a client saw, as a history.
//
// # What it never does
//
// A Session has no socket, clock, goroutine or lock, and draws nothing at random: its caller
// feeds it connections, frames and the end of its patience. Neither Session nor Client says
// that something failed if it may have happened.
//
// # Invariants
//
//   - Each request has exactly one outcome: it succeeded, it failed and has no effect for ever,
//     or that is unknown. TestOutcomesAreTrue compares this with what was executed, under
//     lost connections, late commits, duplicates and forgotten sessions;
//     TestBrokenSessionsAreFound shows that it would notice.
//   - An operation of the metadata plane is executed at most once, however often it is sent and
//     wherever (R18). Across connections this needs numbered logins; without them (upstream's
//     nodes) what was in flight is unknown.
//   - A batch of messages is executed at most once, unless its sender allows repeats: then at
//     least once if it succeeded.
//   - One request is in flight on a connection.
//
// # Order of a request
//
//	Submit --> frame --> reply: succeeded, or failed by status or rejection
//	             |-----> 58 not accepted: pause, send again here or elsewhere
//	             |-----> 57 not committed: uncertain; pause, send again in the same session
//	             |-----> connection lost, session over: uncertain; log in again, and the
//	             |       standing (born, watermark) says whether it was executed
//	             '-----> GiveUp: failed if no copy can be in a log, else unknown
package client
