package node

import (
	"context"
	"fmt"
	"time"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Version is what nodes say that they are.
const Version = "viewstamp"

// protocolMin is the oldest version of the client protocol that is served, and the newest is
// protocol.ProtocolVersion's minor version.
const protocolMin = protocol.ProtocolVersion

// login checks who the client is, by what this replica has executed, and binds a session at
// the primary of the metadata, wherever that is.
func (s *session) login(ctx context.Context, m *wire.Request) ([]byte, error) {
	n := s.node
	given, err := protocol.DecodeLogin(m.Body)
	if err != nil {
		return s.evict(m.Client, wire.EvictedMalformedLogin)
	}
	if v := given.Protocol; v < protocolMin || v>>10 > protocol.ProtocolVersion>>10 {
		return wire.AppendEviction(nil, &wire.Eviction{
			Client: m.Client, Reason: wire.EvictedIncompatibleProtocol,
			ProtocolMin: protocolMin, ProtocolMax: protocol.ProtocolVersion,
		}), fmt.Errorf("%w: version %d", errEnded, v)
	}
	if s.number != 0 && m.Client != s.client {
		return s.refuse(m, protocol.StatusAlreadyLoggedIn), nil
	}
	user, why, err := n.catalogue.authenticate(ctx, given)
	switch {
	case err != nil:
		return s.refuse(m, protocol.StatusNotAccepted), nil
	case why != 0:
		n.log.Info("login refused", "address", s.remote.String(), "reason", why.String())
		return s.evict(m.Client, why)
	}
	register := *m
	register.UserID, register.Body = user, nil // The log has no passwords.
	reply := n.ask(ctx, n.catalogue.group, &register)
	if reply.Status != 0 {
		return wire.AppendClientReply(nil, reply), nil
	}
	number, born, watermark, ok := replica.ParseSessionBody(reply.Body)
	if !ok {
		return s.evict(m.Client, wire.EvictedSessionError)
	}
	if s.number == 0 {
		n.connected.add(m.Client, 1)
	}
	s.client, s.user, s.number, s.seen = m.Client, user, number, wire.Op(number)
	s.writers = make(map[wire.GroupID]*writer)
	answer := protocol.LoginReply{
		UserID: user, Session: number, ServerProtocol: protocol.ProtocolVersion,
		ServerVersion: Version,
	}
	if m.Number > 0 {
		answer.Standing = &protocol.Standing{Born: born, Watermark: watermark}
	}
	body, err := protocol.Success(nil, &answer)
	if err != nil {
		return nil, err
	}
	told := *reply
	told.Body = body
	return wire.AppendClientReply(nil, &told), nil
}

// authenticate returns who has these credentials, or why nobody has.
//
// Errors: this replica cannot say: it does not answer, or it has not caught up, so that what
// it does not know may exist.
func (c *catalogue) authenticate(ctx context.Context, given protocol.Credentials) (
	user uint32, why wire.EvictionReason, err error,
) {
	if given.Token != "" {
		return c.authenticateToken(ctx, given.Token)
	}
	var hash string
	var active, current bool
	err = c.do(ctx, func() {
		found := c.machine.Login(given.User)
		user, hash, active, current = found.ID, found.Hash, found.Active, c.current()
	})
	if err != nil {
		return 0, 0, err
	}
	right, err := c.verify(ctx, hash, given.Password)
	switch {
	case err != nil:
		return 0, 0, err
	case !right && !current:
		return 0, 0, errBehind
	case !right:
		return 0, wire.EvictedInvalidCredentials, nil
	case !active:
		return 0, wire.EvictedUserInactive, nil
	}
	return user, 0, nil
}

// verify compares a password with a hash. Hashing takes memory: a few at a time.
//
// Errors: the context ends.
func (c *catalogue) verify(ctx context.Context, hash, password string) (bool, error) {
	now := time.Now()
	if c.passwords.Knows(hash, password, now) {
		return true, nil
	}
	select {
	case c.hashing <- struct{}{}:
		defer func() { <-c.hashing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return c.passwords.Verify(hash, password, now), nil
}

func (c *catalogue) authenticateToken(ctx context.Context, token string) (
	user uint32, why wire.EvictionReason, err error,
) {
	digest := credentials.DigestOf(token)
	var status protocol.Status
	var current bool
	err = c.do(ctx, func() {
		user, status = c.machine.TokenLogin(digest, uint64(time.Now().UnixMicro()))
		current = c.current()
	})
	switch {
	case err != nil:
		return 0, 0, err
	case status == protocol.StatusOK:
		return user, 0, nil
	case !current:
		return 0, 0, errBehind
	case status == protocol.StatusUserInactive:
		return 0, wire.EvictedUserInactive, nil
	}
	return 0, wire.EvictedInvalidToken, nil
}

// withToken is a reply with the secret that this process has made; the log does not have it.
func withToken(reply *wire.Reply, token string) *wire.Reply {
	told := *reply
	told.Body = tokenReply(reply.Body, token)
	return &told
}
