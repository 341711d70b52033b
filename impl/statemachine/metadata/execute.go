package metadata

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Execute does one op and returns the body of its reply: a result and, if the op did what it
// should, its payload. A refusal is a result too: it changes nothing, and its status says why. A
// body that cannot be read is [protocol.StatusInvalidFormat], an operation that is none of the
// catalogue's [protocol.StatusInvalidCommand].
//
// The machine keeps nothing of the prepare.
func (m *Machine) Execute(p *wire.Prepare) []byte {
	h := &p.Header
	e := execution{Machine: m, now: h.Timestamp, user: h.UserID, client: h.Client}
	payload, status := e.execute(p.Header.Operation, p.Body)
	if status != protocol.StatusOK {
		return protocol.Reject(nil, status)
	}
	result, err := protocol.Success(nil, payload)
	if err != nil {
		panic(fmt.Sprintf("execute op %d: the reply has no form: %v", p.Header.Op, err))
	}
	return result
}

// execution is one op under way: when, and who asks for it. Its methods find what the request
// is about, ask whether the user may, and do it. What is not there is said before what is not
// allowed, as upstream does.
type execution struct {
	*Machine
	now    uint64
	user   uint32
	client wire.ClientID
}

func (e *execution) execute(
	op wire.Operation, body []byte,
) (protocol.Body, protocol.Status) {
	if u, found := e.users.byID(e.user); !found || u.status != protocol.UserActive {
		return nil, protocol.StatusUnauthorized
	}
	switch op { //nolint:exhaustive // the others are refused, or not the catalogue's
	case protocol.OperationCreateStream:
		return answered(body, e.onCreateStream)
	case protocol.OperationCreateTopic:
		return answered(body, e.onCreateTopic)
	case protocol.OperationCreateGroup:
		return answered(body, e.onCreateGroup)
	case protocol.OperationCreateUser:
		return answered(body, e.onCreateUser)
	}
	return nil, e.change(op, body)
}

// change does what has no payload.
func (e *execution) change(op wire.Operation, body []byte) protocol.Status {
	switch op { //nolint:exhaustive // the others are refused
	case protocol.OperationUpdateStream:
		return done(body, e.onUpdateStream)
	case protocol.OperationDeleteStream:
		return done(body, e.onStream(e.deleteStream))
	case protocol.OperationPurgeStream:
		return done(body, e.onStream(e.purgeStream))
	case protocol.OperationUpdateTopic:
		return done(body, e.onUpdateTopic)
	case protocol.OperationDeleteTopic:
		return done(body, e.onTopic(e.deleteTopic))
	case protocol.OperationPurgeTopic:
		return done(body, e.onTopic(e.purgeTopic))
	case protocol.OperationCreatePartitions:
		return done(body, e.onPartitions(e.createPartitions))
	case protocol.OperationDeletePartitions:
		return done(body, e.onPartitions(e.deletePartitions))
	case protocol.OperationDeleteSegments:
		return e.onDeleteSegments(body)
	case protocol.OperationDeleteGroup:
		return done(body, e.onGroup((*topic).deleteGroup))
	case protocol.OperationJoinGroup:
		return done(body, e.onGroup(e.join))
	case protocol.OperationLeaveGroup:
		return done(body, e.onGroup(e.leave))
	case protocol.OperationUpdateUser:
		return done(body, e.onUpdateUser)
	case protocol.OperationDeleteUser:
		return done(body, e.onDeleteUser)
	case protocol.OperationChangePassword:
		return done(body, e.onChangePassword)
	case protocol.OperationUpdatePermissions:
		return done(body, e.onUpdatePermissions)
	case protocol.OperationCreateToken:
		return e.onCreateToken(body)
	case protocol.OperationDeleteToken:
		return done(body, e.onDeleteToken)
	}
	return protocol.StatusInvalidCommand
}

// bodyOf is a pointer to a body of type T.
type bodyOf[T any] interface {
	*T
	protocol.Body
}

// answered reads a request and lets do answer it.
func answered[T any, P bodyOf[T]](
	body []byte, do func(*T) (protocol.Body, protocol.Status),
) (protocol.Body, protocol.Status) {
	var request T
	if protocol.Decode(body, P(&request)) != nil {
		return nil, protocol.StatusInvalidFormat
	}
	return do(&request)
}

// done reads a request and lets do carry it out.
func done[T any, P bodyOf[T]](body []byte, do func(*T) protocol.Status) protocol.Status {
	var request T
	if protocol.Decode(body, P(&request)) != nil {
		return protocol.StatusInvalidFormat
	}
	return do(&request)
}

func (e *execution) may(act action, s *stream, t *topic) protocol.Status {
	if e.allowed(e.user, act, s, t) {
		return protocol.StatusOK
	}
	return protocol.StatusUnauthorized
}

func (e *execution) onCreateStream(r *protocol.CreateStream) (protocol.Body, protocol.Status) {
	if len(r.Options) > 0 { // Streams have none.
		return nil, protocol.StatusInvalidFormat
	}
	if status := e.may(actCreateStream, nil, nil); status != protocol.StatusOK {
		return nil, status
	}
	s, status := e.createStream(e.now, r.Name)
	if status != protocol.StatusOK {
		return nil, status
	}
	return s.header(nil), status
}

func (e *execution) onUpdateStream(r *protocol.UpdateStream) protocol.Status {
	if len(r.Options) > 0 {
		return protocol.StatusInvalidFormat
	}
	return e.onStream(func(s *stream) protocol.Status {
		return e.updateStream(s, r.Name)
	})(&protocol.StreamRef{Stream: r.Stream})
}

func (e *execution) onStream(
	do func(*stream) protocol.Status,
) func(*protocol.StreamRef) protocol.Status {
	return func(r *protocol.StreamRef) protocol.Status {
		s, status := e.findStream(r.Stream)
		if status == protocol.StatusOK {
			status = e.may(actChangeStream, s, nil)
		}
		if status != protocol.StatusOK {
			return status
		}
		return do(s)
	}
}

func (e *execution) onCreateTopic(r *protocol.CreateTopic) (protocol.Body, protocol.Status) {
	s, status := e.findStream(r.Stream)
	if status == protocol.StatusOK {
		status = e.may(actCreateTopic, s, nil)
	}
	if status != protocol.StatusOK {
		return nil, status
	}
	t, status := e.createTopic(e.now, s, r.Name, r.Partitions, r.Options)
	if status != protocol.StatusOK {
		return nil, status
	}
	return t.details(nil), status
}

// changedTopic finds a topic that the user may change.
func (e *execution) changedTopic(r protocol.TopicRef) (*topic, protocol.Status) {
	t, status := e.findTopic(r)
	if status == protocol.StatusOK {
		status = e.may(actChangeTopic, t.stream, t)
	}
	return t, status
}

func (e *execution) onTopic(
	do func(*topic) protocol.Status,
) func(*protocol.TopicRef) protocol.Status {
	return func(r *protocol.TopicRef) protocol.Status {
		t, status := e.changedTopic(*r)
		if status != protocol.StatusOK {
			return status
		}
		return do(t)
	}
}

func (e *execution) onUpdateTopic(r *protocol.UpdateTopic) protocol.Status {
	t, status := e.changedTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
	if status != protocol.StatusOK {
		return status
	}
	return e.updateTopic(t, r.Name, r.Options)
}

func (e *execution) onPartitions(
	do func(now uint64, t *topic, count uint32) protocol.Status,
) func(*protocol.ChangePartitions) protocol.Status {
	return func(r *protocol.ChangePartitions) protocol.Status {
		t, status := e.changedTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
		if status != protocol.StatusOK {
			return status
		}
		return do(e.now, t, r.Count)
	}
}

// onDeleteSegments reads the offset behind the request.
func (e *execution) onDeleteSegments(body []byte) protocol.Status {
	at := len(body) - offsetBytes
	if at < 0 {
		return protocol.StatusInvalidFormat
	}
	return done(body[:at], func(r *protocol.DeleteSegments) protocol.Status {
		t, status := e.changedTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
		switch {
		case status != protocol.StatusOK:
			return status
		case uint64(r.Partition) >= uint64(len(t.partitions)):
			return protocol.StatusPartitionNotFound
		}
		return e.deleteSegments(t, r.Partition, binary.LittleEndian.Uint64(body[at:]))
	})
}

func (e *execution) onCreateGroup(r *protocol.CreateGroup) (protocol.Body, protocol.Status) {
	t, status := e.findTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
	if status == protocol.StatusOK {
		status = e.may(actReadTopic, t.stream, t)
	}
	if status != protocol.StatusOK {
		return nil, status
	}
	g, status := e.createConsumerGroup(e.now, t, r.Name)
	if status != protocol.StatusOK {
		return nil, status
	}
	return &protocol.GroupDetails{GroupHeader: t.groupHeader(g)}, status
}

func (e *execution) onGroup(
	do func(*topic, *consumerGroup) protocol.Status,
) func(*protocol.GroupRef) protocol.Status {
	return func(r *protocol.GroupRef) protocol.Status {
		t, status := e.findTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
		if status != protocol.StatusOK {
			return status
		}
		g, status := t.findGroup(r.Group)
		if status == protocol.StatusOK {
			status = e.may(actReadTopic, t.stream, t)
		}
		if status != protocol.StatusOK {
			return status
		}
		return do(t, g)
	}
}

func (e *execution) onCreateUser(r *protocol.CreateUser) (protocol.Body, protocol.Status) {
	if status := e.may(actChangeUsers, nil, nil); status != protocol.StatusOK {
		return nil, status
	}
	u, status := e.createUser(e.now, r.Name, r.Password, r.Status, r.Permissions)
	if status != protocol.StatusOK {
		return nil, status
	}
	return u.details(), status
}

// changedUser finds a user whom the one who asks may change.
func (e *execution) changedUser(r protocol.Identifier) (*user, protocol.Status) {
	u, status := e.findUser(r)
	if status == protocol.StatusOK {
		status = e.may(actChangeUsers, nil, nil)
	}
	return u, status
}

func (e *execution) onUpdateUser(r *protocol.UpdateUser) protocol.Status {
	u, status := e.changedUser(r.User)
	if status != protocol.StatusOK {
		return status
	}
	return e.updateUser(u, r.Name, r.Status)
}

func (e *execution) onDeleteUser(r *protocol.UserRef) protocol.Status {
	u, status := e.changedUser(r.User)
	if status != protocol.StatusOK {
		return status
	}
	return e.deleteUser(u)
}

// onChangePassword needs no permission for one's own.
func (e *execution) onChangePassword(r *protocol.ChangePassword) protocol.Status {
	u, status := e.findUser(r.User)
	if status == protocol.StatusOK && u.id != e.user {
		status = e.may(actChangeUsers, nil, nil)
	}
	if status != protocol.StatusOK {
		return status
	}
	return e.changePassword(u, r.Current, r.New)
}

func (e *execution) onUpdatePermissions(r *protocol.UpdatePermissions) protocol.Status {
	u, status := e.changedUser(r.User)
	if status != protocol.StatusOK {
		return status
	}
	return e.updatePermissions(u, r.Permissions)
}

// onCreateToken reads the digest behind the request. For one's own tokens nobody needs a
// permission.
func (e *execution) onCreateToken(body []byte) protocol.Status {
	at := len(body) - credentials.DigestBytes
	if at < 0 {
		return protocol.StatusInvalidFormat
	}
	return done(body[:at], func(r *protocol.CreateToken) protocol.Status {
		u, _ := e.users.byID(e.user)
		digest := credentials.Digest(body[at:])
		return e.createToken(e.now, u, r.Name, r.Expiry, digest)
	})
}

func (e *execution) onDeleteToken(r *protocol.TokenRef) protocol.Status {
	u, _ := e.users.byID(e.user)
	return e.deleteToken(e.now, u, r.Name)
}
