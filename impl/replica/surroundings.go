package replica

import "github.com/viewstamp/viewstamp/impl/wire"

// Clock is the time of a process, in microseconds since 1970. It is for timestamps: no safety
// depends on it (R19).
type Clock interface{ Now() uint64 }

// Network takes what a host sends. Its methods never block; what cannot go out is lost. The
// messages are shared: nobody changes them.
type Network interface {
	// Send sends a message to another replica of a group.
	Send(group wire.GroupID, to wire.ReplicaID, m wire.Message)
	// Reply sends a reply to the client that it names, wherever that is connected.
	Reply(m *wire.Reply)
}
