package clienttable

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// UserID is the user whom a node has authenticated for a request.
type UserID uint32

// Kind says what a message asks of the table.
type Kind uint8

const (
	// Register asks for a session.
	Register Kind = iota + 1
	// Request is a request within a session.
	Request
	// Logout gives a session back.
	Logout
	// Resize changes the capacity. An operator asks for it, no client.
	Resize
	// Other is an op that concerns no client: the cluster's own.
	Other
)

// String is the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Register:
		return "register"
	case Request:
		return "request"
	case Logout:
		return "logout"
	case Resize:
		return "resize"
	case Other:
		return "other"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Message is what the table reads of a request, or of the prepare that it became. Fields that
// the kind has no use for are not looked at. A message of a zero Client is the cluster's own:
// whatever its kind, but Resize, it counts as [Other].
type Message struct {
	Kind   Kind
	Client wire.ClientID
	// User is who asks (Register).
	User UserID
	// Session is the one that the client believes to hold (Request, Logout).
	Session wire.SessionNumber
	// Number is the number of the request, from 1 in each row; in a Register the number of
	// the registration, which the client raises. Upstream's Registers leave it zero.
	Number wire.RequestNumber
	// Checksum tells the request's bytes from others under the same number.
	Checksum wire.Checksum
	// Capacity is the number of slots that are asked for (Resize).
	Capacity int
}

// kind is the message's kind, with what no client has sent as Other.
func (m *Message) kind() Kind {
	if m.Client.IsZero() && m.Kind != Resize {
		return Other
	}
	return m.Kind
}
