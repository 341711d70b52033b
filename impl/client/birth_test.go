package client

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A client whose row was evicted asks once more what it has asked in that row, with equal bytes
// and, since numbers begin anew with a row, under an equal number. The reply of then may still
// come; it says nothing about now (R18).
func TestAReplyFromBeforeTheBirthOfTheRowIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		broken defect
		want   wire.Op
	}{
		"the reply in the present row counts":         {0, 21},
		"... without the rule the earlier one counts": {brokenUnborn, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewSession(SessionConfig{Client: wire.ClientID{Lo: 1}, Login: []byte("login")})
			s.broken = tc.broken
			ask := Request{Code: protocol.CodeCreateStream, Body: []byte("name")}
			s.logIn(t, 1)
			first := decodeRequest(s.Submit(ask).Send)
			early := replyTo(t, first, 2)
			require.Equal(t, Succeeded, s.Receive(early).Done.Verdict)
			require.Nil(t, s.Disconnected().Done)
			s.logIn(t, 20)
			second := decodeRequest(s.Submit(ask).Send)
			require.Equal(t, first.Number, second.Number)
			require.Equal(t, first.RequestChecksum, second.RequestChecksum)
			outcome := s.Receive(early).Done
			if outcome == nil {
				outcome = s.Receive(replyTo(t, second, 21)).Done
			}
			require.NotNil(t, outcome)
			assert.Equal(t, tc.want, outcome.Op)
		})
	}
}

// logIn gives the session a row that is born at an op.
func (s *Session) logIn(t *testing.T, born uint64) {
	t.Helper()
	register := decodeRequest(s.Connected().Send)
	body, err := protocol.Success(nil, &protocol.LoginReply{
		Session:  wire.SessionNumber(born),
		Standing: &protocol.Standing{Born: wire.SessionNumber(born)},
	})
	require.NoError(t, err)
	require.NotNil(t, s.Receive(wire.AppendClientReply(nil, &wire.Reply{
		Client: register.Client, Number: register.Number, Operation: register.Operation,
		RequestChecksum: register.RequestChecksum, Op: wire.Op(born), Body: body,
	})).LoggedIn)
}

func replyTo(t *testing.T, r *wire.Request, op wire.Op) []byte {
	t.Helper()
	body, err := protocol.Success(nil, &protocol.TokenRef{Name: "name"})
	require.NoError(t, err)
	return wire.AppendClientReply(nil, &wire.Reply{
		Client: r.Client, Number: r.Number, Operation: r.Operation,
		RequestChecksum: r.RequestChecksum, Op: op, Body: body,
	})
}
