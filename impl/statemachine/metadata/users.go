package metadata

import (
	"cmp"
	"slices"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
)

// The root exists from the beginning and for ever, and may do everything. It has no password
// until an op gives it one: until then nobody can log in as root.
const (
	RootID   uint32 = 0
	RootName        = "root"
)

type user struct {
	label
	hash        string // empty: no password is right
	status      protocol.UserStatus
	permissions *protocol.Permissions
	tokens      []*token // by name
}

// token is a personal access token of a user.
type token struct {
	user    *user
	name    string
	digest  credentials.Digest
	created uint64
	expires uint64 // 0: never
}

func (t *token) expired(now uint64) bool { return t.expires != 0 && t.expires <= now }

func validHash(hash string) bool { return credentials.CheckHash(hash) == nil }

// newRoot returns the root of a new cluster.
func newRoot() *user {
	return &user{label: label{id: RootID, name: RootName}, status: protocol.UserActive}
}

func (m *Machine) createUser(
	now uint64, name, hash string, status protocol.UserStatus, permissions *protocol.Permissions,
) (*user, protocol.Status) {
	switch _, taken := m.users.byName(name); {
	case taken:
		return nil, protocol.StatusUserExists
	case !validHash(hash):
		return nil, protocol.StatusInvalidPassword
	case permissionBytes(permissions) > m.limits.PermissionBytes:
		return nil, protocol.StatusInvalidFormat
	case m.users.full(m.limits.Users):
		return nil, protocol.StatusTooManyUsers
	}
	u := &user{
		label: label{name: name, created: now}, hash: hash, status: status,
		permissions: permissions,
	}
	m.users.add(u)
	return u, protocol.StatusOK
}

// updateUser changes name and status, each if it is not nil.
func (m *Machine) updateUser(u *user, name *string, status *protocol.UserStatus) protocol.Status {
	if name != nil {
		if other, taken := m.users.byName(*name); taken && other != u {
			return protocol.StatusUserExists
		}
	}
	if status != nil {
		if u.id == RootID && *status != protocol.UserActive {
			return protocol.StatusCannotPermit
		}
		u.status = *status
	}
	if name != nil {
		m.users.rename(u, *name)
	}
	return protocol.StatusOK
}

func (m *Machine) deleteUser(u *user) protocol.Status {
	if u.id == RootID {
		return protocol.StatusCannotDeleteUser
	}
	for _, t := range u.tokens {
		delete(m.tokens, t.digest)
	}
	m.users.remove(u)
	return protocol.StatusOK
}

// changePassword is a compare and set of the stored hash: who admits the request has verified the
// current password against current.
func (m *Machine) changePassword(u *user, current, hash string) protocol.Status {
	switch {
	case current != u.hash:
		return protocol.StatusInvalidCredentials
	case !validHash(hash):
		return protocol.StatusInvalidPassword
	}
	u.hash = hash
	return protocol.StatusOK
}

func (m *Machine) updatePermissions(u *user, permissions *protocol.Permissions) protocol.Status {
	switch {
	case u.id == RootID:
		return protocol.StatusCannotPermit
	case permissionBytes(permissions) > m.limits.PermissionBytes:
		return protocol.StatusInvalidFormat
	}
	u.permissions = permissions
	return protocol.StatusOK
}

// permissionBytes is the size of their form on the wire, which is bounded.
func permissionBytes(p *protocol.Permissions) uint32 {
	if p == nil {
		return 0
	}
	return uint32(min(len(protocol.MustAppend(nil, p)), limitMax))
}

func (u *user) token(name string) (at int, found bool) {
	return slices.BinarySearchFunc(u.tokens, name, func(t *token, name string) int {
		return cmp.Compare(t.name, name)
	})
}

// createToken gives the user a token that expires after so many microseconds, never if that is
// 0 or [Unlimited]. Tokens that have expired make room, also for one of their name.
func (m *Machine) createToken(
	now uint64, u *user, name string, expiry uint64, digest credentials.Digest,
) protocol.Status {
	expires, ends := uint64(0), expiry != 0 && expiry != Unlimited
	if ends {
		expires = now + expiry
	}
	m.dropExpired(now, u)
	at, taken := u.token(name)
	switch _, known := m.tokens[digest]; {
	case taken, known:
		return protocol.StatusTokenExists
	case ends && expires < now: // It wrapped around.
		return protocol.StatusInvalidTokenExpiry
	case uint64(len(u.tokens)) >= uint64(m.limits.Tokens):
		return protocol.StatusTooManyTokens
	}
	t := &token{user: u, name: name, digest: digest, created: now, expires: expires}
	u.tokens = slices.Insert(u.tokens, at, t)
	m.tokens[digest] = t
	return protocol.StatusOK
}

func (m *Machine) deleteToken(now uint64, u *user, name string) protocol.Status {
	m.dropExpired(now, u)
	at, found := u.token(name)
	if !found {
		return protocol.StatusResourceNotFound
	}
	delete(m.tokens, u.tokens[at].digest)
	u.tokens = slices.Delete(u.tokens, at, at+1)
	return protocol.StatusOK
}

// dropExpired forgets the tokens of a user that had expired when the op was prepared, so that no
// cleaner is needed and every replica forgets them at the same op.
func (m *Machine) dropExpired(now uint64, u *user) {
	u.tokens = slices.DeleteFunc(u.tokens, func(t *token) bool {
		if t.expired(now) {
			delete(m.tokens, t.digest)
		}
		return t.expired(now)
	})
}
