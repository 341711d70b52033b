package metadata_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// fixed is a source of randomness that is none.
func fixed() *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{7}, 64)) }

// admitted admits a request and executes it, as a node does.
func admitted(
	t *testing.T, m *metadata.Machine, user uint32, op wire.Operation, body []byte,
) uint32 {
	a := m.Admit(op, body)
	prepared, token, err := a.Body(fixed())
	require.NoError(t, err)
	for _, secret := range []string{"correct horse", "battery staple"} {
		assert.NotContains(t, string(prepared), secret)
	}
	require.Empty(t, token)
	code, _ := runAs(t, m, user, 5, op, prepared)
	return code
}

func TestPasswordsAreHashedOnTheirWayIn(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	assert.Empty(t, m.Login("root").Hash, "nobody can log in as root yet")
	first, err := metadata.RootPassword(fixed(), "correct horse")
	require.NoError(t, err)
	code, _ := run(t, m, 1, opChangePassword, first)
	require.Zero(t, code)
	assert.True(t, credentials.VerifyPassword(m.Login("root").Hash, "correct horse"))
	code, _ = run(t, m, 2, opChangePassword, first)
	assert.Equal(t, uint32(42), code, "at the next start the root has a password")

	code = admitted(t, m, 0, opCreateUser,
		body("ann", "battery staple", uint8(1), uint8(0)))
	require.Zero(t, code)
	ann := m.Login("ann")
	assert.Equal(t, uint32(1), ann.ID)
	assert.True(t, ann.Active)
	assert.True(t, credentials.VerifyPassword(ann.Hash, "battery staple"))

	code = admitted(t, m, 1, opChangePassword,
		body(named("ann"), "correct horse", "correct horse"))
	assert.Equal(t, uint32(42), code, "the current password is another")
	code = admitted(t, m, 1, opChangePassword,
		body(named("ann"), ann.Hash, "correct horse"))
	assert.Equal(t, uint32(42), code, "the stored hash is no password")
	code = admitted(t, m, 1, opChangePassword, body(named("ann"), "battery staple", ""))
	assert.Equal(t, uint32(44), code)
	code = admitted(t, m, 1, opChangePassword,
		body(named("ann"), "battery staple", "correct horse"))
	assert.Zero(t, code, "everybody may change their own")
	assert.True(t, credentials.VerifyPassword(m.Login("ann").Hash, "correct horse"))
	code = admitted(t, m, 1, opChangePassword,
		body(named("root"), "correct horse", "battery staple"))
	assert.Equal(t, uint32(41), code, "... and nobody else's")
}

// A root without a password is nobody that a client could be.
func TestNoClientGivesTheRootItsFirstPassword(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	code := admitted(t, m, 0, opChangePassword, body(named("root"), "", "correct horse"))
	assert.Equal(t, uint32(42), code)
	assert.Empty(t, m.Login("root").Hash)
}

func TestWhatCannotBeReadEntersWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	for _, op := range []wire.Operation{opCreateUser, opChangePassword} {
		code := admitted(t, m, 0, op,
			body("ann", "correct horse", "battery staple", uint8(9), uint8(9)))
		assert.Equal(t, uint32(4), code)
	}
	same := body("s")
	prepared, token, err := m.Admit(opCreateStream, same).Body(fixed())
	require.NoError(t, err)
	assert.Equal(t, same, prepared, "the bodies of all other operations are the requests'")
	assert.Empty(t, token)
}

func TestOnlyPasswordsAreSlow(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	for op := range wire.Operation(255) {
		assert.Equal(t, op == opCreateUser || op == opChangePassword, m.Admit(op, nil).Slow())
	}
}

func TestWithoutRandomnessNothingIsAdmitted(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	broken := errors.New("broken")
	for op, body := range map[wire.Operation][]byte{
		opCreateUser:     body("ann", "correct horse", uint8(1), uint8(0)),
		opChangePassword: body(named("root"), "", "correct horse"),
		opCreateToken:    body("ci", uint64(0)),
	} {
		prepared, token, err := m.Admit(op, body).Body(iotest.ErrReader(broken))
		require.ErrorIs(t, err, broken)
		assert.Empty(t, prepared)
		assert.Empty(t, token)
	}
	_, err := metadata.RootPassword(iotest.ErrReader(broken), "correct horse")
	require.ErrorIs(t, err, broken)
}

func TestATokenIsSaidOnce(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	a := m.Admit(opCreateToken, body("ci", uint64(100)))
	prepared, token, err := a.Body(fixed())
	require.NoError(t, err)
	assert.NotContains(t, string(prepared), strings.TrimPrefix(token, "vst_"))
	reply := m.Execute(&wire.Prepare{
		Header: wire.PrepareHeader{Operation: opCreateToken, Timestamp: 10}, Body: prepared,
	})
	code, payload := result(t, metadata.TokenReply(reply, token))
	require.Zero(t, code)
	assert.Equal(t, body(token), payload)
	code, _ = result(t, metadata.TokenReply(reply, ""))
	assert.Equal(t, uint32(51), code, "the reply is repeated")
	rejected := protocol.Reject(nil, protocol.StatusTooManyTokens)
	assert.Equal(t, rejected, metadata.TokenReply(rejected, token))

	digest := credentials.DigestOf(token)
	user, status := m.TokenLogin(digest, 109)
	assert.Equal(t, protocol.StatusOK, status)
	assert.Equal(t, metadata.RootID, user)
	_, status = m.TokenLogin(digest, 110)
	assert.Equal(t, protocol.StatusTokenExpired, status)
	_, status = m.TokenLogin(credentials.DigestOf(token+"x"), 0)
	assert.Equal(t, protocol.StatusInvalidToken, status)
}

func TestWhoIsGoneOrInactiveCanDoNothing(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	all := body(bytes.Repeat([]byte{1}, 10), uint8(0))
	for _, s := range []struct {
		op   wire.Operation
		body []byte
	}{
		{opCreateUser, body("ann", hashOne, uint8(1), uint8(1), uint32(len(all)), all)},
		{opCreateUser, body("bob", hashOne, uint8(1), uint8(0))},
	} {
		code, _ := run(t, m, 1, s.op, s.body)
		require.Zero(t, code)
	}
	digest := credentials.DigestOf("ann's")
	code, _ := runAs(t, m, 1, 2, opCreateToken, body("ci", uint64(0), digest))
	require.Zero(t, code)
	code, _ = runAs(t, m, 1, 2, opCreateStream, body("a"))
	require.Zero(t, code, "ann may do everything")
	code, _ = run(t, m, 3, opUpdateUser, body(id(1), uint8(0), uint8(1), uint8(2)))
	require.Zero(t, code)
	assert.False(t, m.Login("ann").Active)
	_, status := m.TokenLogin(digest, 3)
	assert.Equal(t, protocol.StatusUserInactive, status)
	code, _ = runAs(t, m, 1, 4, opCreateStream, body("b"))
	assert.Equal(t, uint32(41), code)
	_, status = m.QueryAs(1, codeListStream, nil)
	assert.Equal(t, protocol.StatusUnauthorized, status)
	code, _ = runAs(t, m, 1, 4, opDeleteToken, body("ci"))
	assert.Equal(t, uint32(41), code, "what needs no permission, neither")
	_, status = m.QueryAs(1, codeListTokens, nil)
	assert.Equal(t, protocol.StatusUnauthorized, status)
	code, _ = run(t, m, 5, opDeleteUser, body(named("ann")))
	require.Zero(t, code)
	_, status = m.TokenLogin(digest, 6)
	assert.Equal(t, protocol.StatusInvalidToken, status)
	for _, user := range []uint32{1, 9} {
		code, _ = runAs(t, m, user, 7, opCreateStream, body("b"))
		assert.Equal(t, uint32(41), code)
	}
	assert.Equal(t, metadata.Login{}, m.Login("ann"))
}
