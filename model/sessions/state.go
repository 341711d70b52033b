package sessions

import (
	"encoding/binary"
	"fmt"
)

// Phase is how a client stands to its session.
type Phase uint8

// The phases of a client.
const (
	// New has not asked for a session, Registering waits for one, On holds one.
	New Phase = iota + 1
	Registering
	On
	// SessionOver was told that its session has ended, Out has logged out, and the id of
	// Taken is another user's.
	SessionOver
	Out
	Taken
)

// String is the phase as the module writes it.
func (p Phase) String() string {
	switch p {
	case New:
		return "new"
	case Registering:
		return "registering"
	case On:
		return "on"
	case SessionOver:
		return "over"
	case Out:
		return "out"
	case Taken:
		return "taken"
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// Client is what a client knows.
type Client struct {
	Phase Phase
	// Registration counts its Registers. Session and Born are what the last answer to
	// one of them said.
	Registration, Session, Born uint8
	// Number and Payload are the last that it used.
	Number, Payload uint8
	// Open gives for payload p, in element p-1, the number of the request without an
	// outcome that carries it; 0 if there is none.
	Open [RequestMax]uint8
}

// oldest returns the open request of the lowest number; false if none is open.
func (x *Client) oldest() (number, payload uint8, ok bool) {
	for i, n := range x.Open {
		if n != 0 && (!ok || n < number) {
			number, payload, ok = n, uint8(i+1), true
		}
	}
	return number, payload, ok
}

// Why says why a session ended.
type Why uint8

// The ends of a session.
const (
	// Rebound: the client registered again.
	Rebound Why = iota + 1
	// Evicted: another client needed the slot.
	Evicted
	// LoggedOut: the client gave it back.
	LoggedOut
	whyMax = 3
)

// String is the reason as the module writes it.
func (w Why) String() string {
	switch w {
	case Rebound:
		return "rebound"
	case Evicted:
		return "evicted"
	case LoggedOut:
		return "logout"
	}
	return fmt.Sprintf("Why(%d)", uint8(w))
}

// Ending is the end of a session of a client.
type Ending struct {
	Client, Session uint8
	Why             Why
}

// bit is the ending's place in a set of endings.
func (e Ending) bit() int {
	return (int(e.Client-1)*OpMax+int(e.Session-1))*whyMax + int(e.Why-1)
}

// endingAt is the ending at a place.
func endingAt(bit int) Ending {
	return Ending{
		Client:  uint8(bit/(OpMax*whyMax)) + 1,
		Session: uint8(bit/whyMax%OpMax) + 1,
		Why:     Why(bit%whyMax) + 1,
	}
}

// State is a state of Sessions.tla, variable by variable. Replica r uses element r,
// client c element c-1, op i element i-1; what is beyond the constants stays zero. It
// is a value: assignment copies it.
type State struct {
	// Sent are the messages that clients have sent.
	Sent MessageSet
	// Log holds the committed messages by their place in the configuration's list.
	Log       [OpMax]uint8
	LogLength uint8
	// CommitMin is the op that the replica has executed.
	CommitMin [ReplicasMax]uint8
	Table     [ReplicasMax]Table
	// CheckpointOp and CheckpointTable are the checkpoint of replica 0.
	CheckpointOp    uint8
	CheckpointTable Table
	Client          [ClientsMax]Client
	Restarts        uint8

	// Executed holds the ops at which some replica executed a request; bit i is op i.
	Executed uint8
	// Ended holds the endings that executing an op brought about at some replica.
	Ended [OpMax]uint64
	// Confirmed holds the positive answers that the client took: bit 8(p-1)+op for
	// payload p and op, 0 being none.
	Confirmed [ClientsMax]uint32
	// Refused holds the payloads that the client took for never executed; bit p is
	// payload p.
	Refused [ClientsMax]uint8
}

// confirmedBit is the place of a positive answer in State.Confirmed.
func confirmedBit(payload, op uint8) uint32 {
	return 1 << (uint32(payload-1)*8 + uint32(op))
}

// initial is Sessions!Init.
func (m *machine) initial() []State {
	var s State
	for c := range m.Clients {
		s.Client[c].Phase = New
	}
	for r := range m.N {
		s.Table[r].Slots = m.slots(r)
	}
	s.CheckpointTable.Slots = m.slots(0)
	return []State{s}
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	for i := range s.Sent {
		for shift := 0; shift < 64 && i*64+shift < len(m.all); shift += 8 {
			dst = append(dst, byte(s.Sent[i]>>shift))
		}
	}
	dst = append(dst, s.LogLength)
	dst = append(dst, s.Log[:s.LogLength]...)
	dst = append(dst, s.CommitMin[:m.N]...)
	for r := range m.N {
		dst = appendTable(dst, &s.Table[r])
	}
	if m.MaxRestart > 0 {
		dst = append(dst, s.Restarts, s.CheckpointOp)
		dst = appendTable(dst, &s.CheckpointTable)
	}
	for c := range m.Clients {
		x := &s.Client[c]
		dst = append(dst, byte(x.Phase), x.Registration, x.Session, x.Born, x.Number, x.Payload)
		dst = append(dst, x.Open[:m.MaxRequest]...)
		dst = append(dst, s.Refused[c])
		dst = binary.AppendUvarint(dst, uint64(s.Confirmed[c]))
	}
	dst = append(dst, s.Executed)
	for op := range m.MaxOp {
		dst = binary.AppendUvarint(dst, s.Ended[op])
	}
	return dst
}

func appendTable(dst []byte, t *Table) []byte {
	dst = append(dst, t.Slots)
	for i := range t.Slots {
		w := &t.Rows[i]
		dst = append(dst, w.Client)
		if w.Client == 0 {
			continue
		}
		dst = append(dst, w.Owner, w.Registration, w.Session, w.Born, w.Watermark,
			w.BoundWatermark, w.Newest, w.ReplyCount)
		for _, reply := range w.Replies[:w.ReplyCount] {
			dst = append(dst, reply.Session, reply.Number, reply.Payload, reply.Op)
		}
	}
	return dst
}
