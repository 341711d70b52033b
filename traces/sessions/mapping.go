package sessions

import (
	"bytes"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/sessions"
)

// configOf is the table's configuration for a model's. Every body is short.
func configOf(c model.Config) clienttable.Config {
	shape := clienttable.Numbered
	if c.Shape == model.Upstream {
		shape = clienttable.Upstream
	}
	return clienttable.Config{Shape: shape, Capacity: c.Capacity, Ring: c.Ring, ReplyBytes: 16}
}

// messageOf is the table's form of a model's message. Numbers stay what they are; a payload
// becomes its checksum.
func messageOf(m model.Message) clienttable.Message {
	c := clienttable.Message{Client: wire.ClientID{Lo: uint64(m.Client)}}
	switch m.Kind {
	case model.RegisterKind:
		c.Kind = clienttable.Register
		c.User, c.Number = clienttable.UserID(m.User), wire.RequestNumber(m.Registration)
	case model.RequestKind:
		c.Kind = clienttable.Request
		c.Session, c.Number = wire.SessionNumber(m.Session), wire.RequestNumber(m.Number)
		c.Checksum = checksumOf(m.Payload)
	case model.LogoutKind:
		c.Kind = clienttable.Logout
		c.Session = wire.SessionNumber(m.Session)
	case model.ResizeKind:
		c.Kind, c.Capacity = clienttable.Resize, int(m.Capacity)
	}
	return c
}

// checksumOf is nonzero: a zero one compares with anything in upstream's shape.
func checksumOf(payload uint8) wire.Checksum {
	return wire.Checksum{Lo: 1 + uint64(model.Checksum(payload)), Hi: 1}
}

// bodyOf is what the machine says to a payload at an op: the model's result, with the payload so
// that each reply has bytes of its own.
func bodyOf(payload, op uint8) []byte { return []byte{payload, op, ^payload, ^op} }

// payloadOf reads what bodyOf wrote for the op; false if a byte differs.
func payloadOf(body []byte, op wire.Op) (uint8, bool) {
	if len(body) == 0 || !bytes.Equal(body, bodyOf(body[0], uint8(op))) {
		return 0, false
	}
	return body[0], true
}

// rowOf is the model's form of a row. What the model has no number for is an error.
func rowOf(w clienttable.Row) (model.Row, error) {
	row := model.Row{
		Client: uint8(w.Client.Lo), Owner: uint8(w.Owner), Registration: uint8(w.Registration),
		Session: uint8(w.Session), Born: uint8(w.Born), Watermark: uint8(w.Watermark),
		BoundWatermark: uint8(w.BoundWatermark), Newest: uint8(w.Newest),
		ReplyCount: uint8(len(w.Replies)),
	}
	for i, r := range w.Replies {
		payload, ok := payloadOf(r.Body, r.Op)
		if !ok || r.Omitted || r.Checksum != checksumOf(payload) {
			return row, fmt.Errorf("reply %d has checksum %v and body %x", i, r.Checksum, r.Body)
		}
		row.Replies[i] = model.Reply{
			Session: uint8(r.Session), Number: uint8(r.Number), Payload: payload, Op: uint8(r.Op),
		}
	}
	return row, nil
}

// answerOf is the model's form of an answer to a message.
func answerOf(a clienttable.Answer, asked model.Message) (model.Answer, error) {
	m := model.Answer{
		Kind: a.Kind.String(), Session: uint8(a.Session), Born: uint8(a.Born),
		Watermark: uint8(a.Watermark), Number: uint8(a.Number), Op: uint8(a.Op),
	}
	switch a.Kind {
	case clienttable.Replied:
		payload, ok := payloadOf(a.Body, a.Op)
		if !ok || a.Checksum != checksumOf(payload) {
			return m, fmt.Errorf("the reply has checksum %v and body %x", a.Checksum, a.Body)
		}
		m.Payload = payload
	case clienttable.Refused:
		if a.Checksum != checksumOf(asked.Payload) {
			return m, fmt.Errorf("the refusal has checksum %v", a.Checksum)
		}
		m.Payload = asked.Payload
	case clienttable.Silent, clienttable.Prepare, clienttable.SessionGiven, clienttable.Gone,
		clienttable.Over, clienttable.Taken:
	case clienttable.InFlight, clienttable.NotAccepted:
		return m, fmt.Errorf("the answer is %v, which only a preflight gives", a.Kind)
	}
	return m, nil
}

// endOf is the model's form of an end.
func endOf(e clienttable.Ended) model.Ending {
	why := model.Why(0)
	switch e.End {
	case clienttable.ByRebind:
		why = model.Rebound
	case clienttable.ByEviction:
		why = model.Evicted
	case clienttable.ByLogout:
		why = model.LoggedOut
	}
	return model.Ending{Client: uint8(e.Client.Lo), Session: uint8(e.Session), Why: why}
}
