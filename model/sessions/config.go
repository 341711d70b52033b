package sessions

import (
	"fmt"
	"slices"
)

// Bounds of [Config] that the compact state can hold. Digits of labels and canonical
// texts rely on all of them being below 10.
const (
	// ReplicasMax is the largest group, ClientsMax the largest number of clients.
	ReplicasMax, ClientsMax = 3, 3
	// CapacityMax is the largest client table, in rows.
	CapacityMax = 3
	// RingMax is the largest number of replies that a row keeps.
	RingMax = 3
	// OpMax is the longest log.
	OpMax = 6
	// RegisterMax and RequestMax are the most registrations and requests of a client.
	RegisterMax, RequestMax = 4, 4
	// RestartMax is the most restarts.
	RestartMax = 9

	// slotsMax has one slot more, for the mutant capacity_of_own_config.
	slotsMax = CapacityMax + 1
)

// Shape says what clients do: Sessions!Shape.
type Shape uint8

const (
	// Numbered clients number their Registers and leave no gaps between requests.
	Numbered Shape = iota + 1
	// Upstream's clients do neither.
	Upstream
)

// String is the shape as the module writes it.
func (s Shape) String() string {
	switch s {
	case Numbered:
		return "numbered"
	case Upstream:
		return "upstream"
	}
	return fmt.Sprintf("Shape(%d)", uint8(s))
}

// ParseShape reads what [Shape.String] writes.
func ParseShape(text string) (Shape, error) {
	for _, s := range []Shape{Numbered, Upstream} {
		if s.String() == text {
			return s, nil
		}
	}
	return 0, fmt.Errorf("shape %q: expected %q or %q", text, Numbered, Upstream)
}

// Config holds the constants of Sessions.tla. Bounds are guards of the actions.
type Config struct {
	// N is the number of replicas, Clients that of clients.
	N, Clients int
	// Shape is what clients do.
	Shape Shape
	// Capacity is the number of slots of the client table before any Resize. Operators
	// agree on up to MaxCapacity; on nothing if it is 0.
	Capacity, MaxCapacity int
	// Ring is the number of replies that a row keeps, Window the span of the request
	// numbers that a client has open, at most Ring.
	Ring, Window int
	// MaxOp is the length of the log.
	MaxOp int
	// MaxRegister and MaxRequest bound what each client does, MaxRestart the restarts
	// of replica 0.
	MaxRegister, MaxRequest, MaxRestart int
	// Logouts lets clients log out. Misuse lets a second process use a client's
	// session. Intruders lets another user register under a client's id. Transfers lets
	// a replica that lags install the checkpoint.
	Logouts, Misuse, Intruders, Transfers bool
	// Bugs are the mutants switched on; none for the clean model.
	Bugs []Bug
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c Config) Validate() error {
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"N", c.N, 1, ReplicasMax},
		{"Clients", c.Clients, 1, ClientsMax},
		{"Shape", int(c.Shape), int(Numbered), int(Upstream)},
		{"Capacity", c.Capacity, 1, CapacityMax},
		{"MaxCapacity", c.MaxCapacity, 0, CapacityMax},
		{"Ring", c.Ring, 1, RingMax},
		{"Window", c.Window, 1, c.Ring},
		{"MaxOp", c.MaxOp, 0, OpMax},
		{"MaxRegister", c.MaxRegister, 0, RegisterMax},
		{"MaxRequest", c.MaxRequest, 0, RequestMax},
		{"MaxRestart", c.MaxRestart, 0, RestartMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("Sessions: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	for _, b := range c.Bugs {
		if !slices.Contains(Bugs(), b) {
			return fmt.Errorf("Sessions: unknown bug %q, expected one of %v", b, Bugs())
		}
	}
	if n := len(c.messages()); n > messagesMax {
		return fmt.Errorf("Sessions: clients could send %d different messages at these bounds, "+
			"expected at most %d", n, messagesMax)
	}
	return nil
}

// slots is the size of replica r's table at the start: Sessions!CapacityOf.
func (m *machine) slots(r int) uint8 {
	if r > 0 && m.bug.capacityOfOwnConfig {
		return uint8(m.Capacity + 1)
	}
	return uint8(m.Capacity)
}

// gaps reports whether a number may be skipped: Sessions!Gaps.
func (m *machine) gaps() bool { return m.Shape == Upstream || m.bug.gapsAllowed }
