package metadata

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Admission is a request on its way into the log. [Machine.Admit] begins it, [Admission.Body]
// ends it; between the two nothing is kept that others wait for.
type Admission struct {
	operation wire.Operation
	body      []byte
	stored    string // the hash of the password that is to change
}

// Admit begins the admission of a request. It only looks up what the rest needs.
func (m *Machine) Admit(operation wire.Operation, body []byte) Admission {
	a := Admission{operation: operation, body: body}
	if operation == protocol.OperationChangePassword {
		var r protocol.ChangePassword
		if protocol.Decode(body, &r) == nil {
			if u, status := m.findUser(r.User); status == protocol.StatusOK {
				a.stored = u.hash
			}
		}
	}
	return a
}

// Slow says whether [Admission.Body] takes the time and memory of hashing passwords, tens of
// milliseconds and 19 MiB each: call it then where others do not wait.
func (a Admission) Slow() bool {
	return a.operation == protocol.OperationCreateUser ||
		a.operation == protocol.OperationChangePassword
}

// refused stands for a password that is not the current one: no stored hash is equal to it.
const refused = "!"

// Body returns the body of the prepare: the request's, but for passwords, which are hashed with a
// salt from random, and a new token's digest, which is appended. The token is for the reply's
// payload, [protocol.RawToken]; it is empty for all other operations.
//
// What would be refused enters the log all the same, so that the numbers of a client's requests
// have no gap, but without any secret: a body that cannot be read as an empty one, a wrong
// password as one that is not the current one.
//
// Errors: what random returns. The request must not enter the log then.
func (a Admission) Body(random io.Reader) (body []byte, token string, err error) {
	switch a.operation { //nolint:exhaustive // the others have no secret
	case protocol.OperationCreateUser:
		body, err = a.createUser(random)
	case protocol.OperationChangePassword:
		body, err = a.changePassword(random)
	case protocol.OperationCreateToken:
		body, token, err = a.createToken(random)
	default:
		body = a.body
	}
	if err != nil {
		return nil, "", fmt.Errorf("admit operation %d: %w", uint8(a.operation), err)
	}
	return body, token, nil
}

func (a Admission) createUser(random io.Reader) ([]byte, error) {
	var r protocol.CreateUser
	if protocol.Decode(a.body, &r) != nil {
		return nil, nil
	}
	var err error
	if r.Password, err = hashed(random, r.Password); err != nil {
		return nil, err
	}
	return protocol.MustAppend(nil, &r), nil
}

func (a Admission) changePassword(random io.Reader) ([]byte, error) {
	var r protocol.ChangePassword
	if protocol.Decode(a.body, &r) != nil {
		return nil, nil
	}
	if credentials.VerifyPassword(a.stored, r.Current) {
		r.Current = a.stored
	} else {
		r.Current = refused
	}
	var err error
	if r.New, err = hashed(random, r.New); err != nil {
		return nil, err
	}
	return protocol.MustAppend(nil, &r), nil
}

// offsetBytes is the size of what follows a DeleteSegments in the log.
const offsetBytes = 8

// WithOffset returns the body of a [protocol.OperationDeleteSegments] as it enters the log: with
// the offset below which segments are to go, 0 for none.
func WithOffset(body []byte, below uint64) []byte {
	return binary.LittleEndian.AppendUint64(append([]byte(nil), body...), below)
}

// hashed returns the hash of a password; nothing of an empty one, which the machine refuses.
func hashed(random io.Reader, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	return credentials.HashPassword(random, password)
}

func (a Admission) createToken(random io.Reader) ([]byte, string, error) {
	token, err := credentials.NewToken(random)
	if err != nil {
		return nil, "", err
	}
	digest := credentials.DigestOf(token)
	body := append([]byte(nil), a.body...)
	return append(body, digest[:]...), token, nil
}

// TokenReply returns the reply to a [protocol.OperationCreateToken] as its client gets it: with
// the token that the admission made. Without one, where a reply is repeated, a success becomes
// [protocol.StatusTokenExists]: the secret is known to nobody but its owner.
func TokenReply(reply []byte, token string) []byte {
	var r protocol.Result
	switch {
	case protocol.Decode(reply, &r) != nil || len(r.Rejections) > 0:
		return reply
	case token == "":
		return protocol.Reject(nil, protocol.StatusTokenExists)
	}
	return protocol.MustAppend(append([]byte(nil), reply...), &protocol.RawToken{Token: token})
}

// RootPassword returns the body of a [protocol.OperationChangePassword] that gives the root its
// first password, with a salt from random. The cluster itself sends it, as the root; where the
// root has a password it is refused, so that it may be sent again at every start.
//
// Errors: those of [credentials.HashPassword].
func RootPassword(random io.Reader, password string) ([]byte, error) {
	hash, err := credentials.HashPassword(random, password)
	if err != nil {
		return nil, err
	}
	return protocol.MustAppend(nil, &protocol.ChangePassword{
		User: protocol.ID(RootID), New: hash,
	}), nil
}
