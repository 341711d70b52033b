package metadata

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// MetadataGroup is the group that replicates the catalogue. No partition ever has it.
const MetadataGroup wire.GroupID = 0

// Machine is the catalogue of a cluster. It is not safe for concurrent use; what it returns shares
// no memory with it.
type Machine struct {
	limits  Limits
	streams named[*stream]
	users   named[*user]
	// tokens are those of all users.
	tokens map[credentials.Digest]*token
	// nextGroup is the group of the next partition, homes where those are that exist.
	nextGroup wire.GroupID
	homes     map[wire.GroupID]home

	// joined are the clients that may be members of consumer groups: no part of the state, but
	// what SessionEnded need not look for.
	joined map[wire.ClientID]struct{}

	feed    feed
	figures Figures
}

// New returns the catalogue of a new cluster: the root, nobody and nothing else. It panics on
// limits that Validate refuses.
func New(limits Limits) *Machine {
	if err := limits.Validate(); err != nil {
		panic(fmt.Sprintf("new catalogue: %v", err))
	}
	m := &Machine{
		limits: limits, streams: newNamed[*stream](firstID), users: newNamed[*user](RootID),
		tokens: map[credentials.Digest]*token{}, nextGroup: MetadataGroup + 1,
		homes: map[wire.GroupID]home{}, feed: newFeed(), joined: map[wire.ClientID]struct{}{},
	}
	m.users.add(newRoot())
	return m
}

// Limits returns the limits that hold.
func (m *Machine) Limits() Limits { return m.limits }

// Login is what is known of somebody who wants to log in by name.
type Login struct {
	// ID is the user's. It means nothing if Hash is empty.
	ID uint32
	// Hash is for [credentials.VerifyPassword], which takes its time: call it where others do
	// not wait. It is empty, so that no password is right, if there is no such user.
	Hash string
	// Active says whether the user may log in, if the password is right.
	Active bool
}

// Login looks a user up by name. Unknown users are no error, so that a caller treats them as a
// wrong password, in the same time.
func (m *Machine) Login(name string) Login {
	u, found := m.users.byName(name)
	if !found {
		return Login{}
	}
	return Login{ID: u.id, Hash: u.hash, Active: u.status == protocol.UserActive}
}

// TokenLogin returns whose token it is that has the digest. Time is that of the caller's clock,
// in microseconds.
//
// Refusals: [protocol.StatusInvalidToken] if nobody has it, [protocol.StatusTokenExpired],
// [protocol.StatusUserInactive].
func (m *Machine) TokenLogin(digest credentials.Digest, now uint64) (uint32, protocol.Status) {
	t, found := m.tokens[digest]
	switch {
	case !found:
		return 0, protocol.StatusInvalidToken
	case t.expired(now):
		return 0, protocol.StatusTokenExpired
	case t.user.status != protocol.UserActive:
		return 0, protocol.StatusUserInactive
	}
	return t.user.id, protocol.StatusOK
}
