package metadata_test

import (
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
)

func (n *naive) createUser(s *step) uint32 {
	if n.user(who{name: s.name}) != nil {
		return 46
	}
	switch {
	case s.hash != hashOne && s.hash != hashTwo:
		return 44
	case len(n.users) == 3:
		return 55
	}
	n.users = append(n.users, &naiveUser{
		userSeen: userSeen{id: n.nextUser, created: s.at, status: s.status, name: s.name},
		hash:     s.hash,
	})
	n.nextUser++
	return 0
}

func (n *naive) changeUser(s *step) uint32 {
	u := n.user(s.user)
	if u == nil {
		return 20
	}
	switch s.op {
	case opUpdateUser:
		other := n.user(who{name: s.name})
		if other != nil && other != u {
			return 46
		}
		if u.id == 0 && s.status == 2 {
			return 49
		}
		u.name, u.status = s.name, s.status
	case opDeleteUser:
		if u.id == 0 {
			return 48
		}
		n.users = slices.DeleteFunc(n.users, func(o *naiveUser) bool { return o == u })
	case opChangePassword:
		if s.current != u.hash {
			return 42
		}
		if s.hash != hashOne && s.hash != hashTwo {
			return 44
		}
		u.hash = s.hash
	}
	return 0
}

// tokens are the root's: it is the root who runs every step.
func (n *naive) changeTokens(s *step) uint32 {
	root := n.user(who{id: 0})
	root.tokens = slices.DeleteFunc(root.tokens, func(t naiveToken) bool {
		return t.expires != 0 && t.expires <= s.at
	})
	at := slices.IndexFunc(root.tokens, func(t naiveToken) bool { return t.name == s.name })
	if s.op == opDeleteToken {
		if at < 0 {
			return 20
		}
		root.tokens = slices.Delete(root.tokens, at, at+1)
		return 0
	}
	known := slices.ContainsFunc(root.tokens, func(t naiveToken) bool {
		return t.digest == s.digestOf()
	})
	if at >= 0 || known {
		return 51
	}
	expires := uint64(0)
	if s.expiry != 0 && s.expiry != metadata.Unlimited {
		if expires = s.at + s.expiry; expires < s.at {
			return 56
		}
	}
	if len(root.tokens) == 2 {
		return 52
	}
	root.tokens = append(root.tokens, naiveToken{tokenSeen{s.name, expires}, s.digestOf()})
	slices.SortFunc(root.tokens, func(a, b naiveToken) int { return strings.Compare(a.name, b.name) })
	return 0
}
