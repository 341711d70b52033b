package sessions

import (
	"fmt"
	"math/bits"
)

// MessageKind says what a client asks for.
type MessageKind uint8

// The kinds of message.
const (
	// RegisterKind asks for a session.
	RegisterKind MessageKind = iota + 1
	// RequestKind is a request within a session.
	RequestKind
	// LogoutKind gives a session back.
	LogoutKind
	// ResizeKind changes the capacity; an operator sends it.
	ResizeKind
)

// Message is a message of a client. Fields that its kind has no use for are zero.
type Message struct {
	Kind   MessageKind
	Client uint8
	// Registration counts the client's Registers, User is who asks: the client's own or
	// another (RegisterKind).
	Registration, User uint8
	// Session is the op of the Register that bound it (RequestKind, LogoutKind).
	Session uint8
	// Number and Payload are those of a request; payload 0 is another process's.
	Number, Payload uint8
	// Capacity is the number of slots (ResizeKind).
	Capacity uint8
}

// The users.
const (
	ownUser   = 1
	otherUser = 2
)

// String is the message as an expression of the module, without spaces:
// "RequestMessage(1,2,1,1)".
func (m Message) String() string {
	switch m.Kind {
	case RegisterKind:
		return fmt.Sprintf("RegisterMessage(%d,%d,%d)", m.Client, m.Registration, m.User)
	case RequestKind:
		return fmt.Sprintf("RequestMessage(%d,%d,%d,%d)",
			m.Client, m.Session, m.Number, m.Payload)
	case LogoutKind:
		return fmt.Sprintf("LogoutMessage(%d,%d)", m.Client, m.Session)
	case ResizeKind:
		return fmt.Sprintf("ResizeMessage(%d)", m.Capacity)
	}
	return fmt.Sprintf("MessageKind(%d)", uint8(m.Kind))
}

// canonical is the text of Appendix B: a record, its fields in the order of names.
func (m Message) canonical() string {
	switch m.Kind {
	case RegisterKind:
		return fmt.Sprintf(`["client":%d,"kind":"register","registration":%d,"user":%d]`,
			m.Client, m.Registration, m.User)
	case RequestKind:
		return fmt.Sprintf(`["client":%d,"kind":"request","number":%d,"payload":%d,"session":%d]`,
			m.Client, m.Number, m.Payload, m.Session)
	case LogoutKind:
		return fmt.Sprintf(`["client":%d,"kind":"logout","session":%d]`, m.Client, m.Session)
	case ResizeKind:
		return fmt.Sprintf(`["capacity":%d,"client":0,"kind":"resize"]`, m.Capacity)
	}
	panic(fmt.Sprintf("sessions: message of kind %d", m.Kind))
}

// checksum is Sessions!Checksum: it tells a second process's bytes from the client's.
func checksum(payload uint8) uint8 { return min(payload, 1) }

// messagesMax is the number of different messages that [MessageSet] has room for.
const messagesMax = 128

// MessageSet is a set of messages: bit i is message i of the configuration's list.
type MessageSet [messagesMax / 64]uint64

func (s *MessageSet) add(id uint8)      { s[id/64] |= 1 << (id % 64) }
func (s *MessageSet) has(id uint8) bool { return s[id/64]&(1<<(id%64)) != 0 }

// meets reports whether the two sets have a message in common.
func (s *MessageSet) meets(t *MessageSet) bool { return s[0]&t[0] != 0 || s[1]&t[1] != 0 }

// and returns the messages that are in both sets.
func (s *MessageSet) and(t *MessageSet) MessageSet {
	return MessageSet{s[0] & t[0], s[1] & t[1]}
}

// pop removes the first message from the set and returns it; false if there is none.
func (s *MessageSet) pop() (uint8, bool) {
	for i := range s {
		if s[i] != 0 {
			id := uint8(i*64 + bits.TrailingZeros64(s[i]))
			s[i] &= s[i] - 1
			return id, true
		}
	}
	return 0, false
}

// messages lists every message that a client can ever send under c. Numbers start
// again from the watermark, which only a second process can move beyond the client's
// own; payloads never start again, so that without one number <= payload.
func (c Config) messages() []Message {
	numbers, payloads := c.MaxRequest, 1
	if c.Misuse {
		payloads = 0
		numbers *= min(2, max(1, c.MaxRegister))
	}
	var all []Message
	for client := uint8(1); int(client) <= c.Clients; client++ {
		all = append(all, c.registers(client)...)
		for session := 1; session <= c.MaxOp; session++ {
			for n := 1; n <= numbers; n++ {
				for p := payloads; p <= c.MaxRequest; p++ {
					if !c.Misuse && n > p {
						continue
					}
					all = append(all, Message{
						Kind: RequestKind, Client: client,
						Session: uint8(session), Number: uint8(n), Payload: uint8(p),
					})
				}
			}
			if c.Logouts {
				all = append(all, Message{
					Kind: LogoutKind, Client: client, Session: uint8(session),
				})
			}
		}
	}
	for n := 1; n <= c.MaxCapacity; n++ {
		all = append(all, Message{Kind: ResizeKind, Capacity: uint8(n)})
	}
	return all
}

// registers lists every Register under a client's id.
func (c Config) registers(client uint8) []Message {
	var all []Message
	add := func(registration int, user uint8) {
		all = append(all, Message{
			Kind: RegisterKind, Client: client, Registration: uint8(registration), User: user,
		})
	}
	for k := 1; k <= c.MaxRegister; k++ {
		switch {
		case c.Shape == Numbered:
			add(k, ownUser)
		case k == 1:
			add(0, ownUser)
		}
		if c.Intruders {
			add(k, otherUser)
		}
	}
	return all
}

// catalogue finds messages by their contents, and the sets that steps ask for.
type catalogue struct {
	all []Message
	ids map[Message]uint8
	// asking are the Registers and requests the requests of each client; ofSession are
	// the messages, requests and Logout, of each client and session.
	asking    [ClientsMax + 1]MessageSet
	requests  [ClientsMax + 1]MessageSet
	ofSession [ClientsMax + 1][OpMax + 1]MessageSet
	texts     []string // Canonical.
}

func newCatalogue(all []Message) catalogue {
	c := catalogue{all: all, ids: make(map[Message]uint8, len(all))}
	for i, m := range all {
		id := uint8(i)
		c.ids[m] = id
		c.texts = append(c.texts, m.canonical())
		switch m.Kind {
		case RegisterKind:
			c.asking[m.Client].add(id)
		case RequestKind:
			c.requests[m.Client].add(id)
		case LogoutKind, ResizeKind:
		}
		if m.Kind == RequestKind || m.Kind == LogoutKind {
			c.ofSession[m.Client][m.Session].add(id)
		}
	}
	return c
}

// id is the place of a message in the list. That it is there is the list's promise.
func (c *catalogue) id(m Message) uint8 {
	id, ok := c.ids[m]
	if !ok {
		panic(fmt.Sprintf("sessions: %s is not among the messages that clients can send", m))
	}
	return id
}
