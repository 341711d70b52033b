package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
)

// Uint128 is an unsigned 128-bit number. On the wire it takes 16 bytes, little-endian:
// the eight bytes of Lo, then the eight of Hi.
type Uint128 struct {
	// Lo holds bits 0 to 63, Hi bits 64 to 127.
	Lo, Hi uint64
}

// IsZero reports whether u is 0.
func (u Uint128) IsZero() bool { return u == Uint128{} }

// Compare orders numerically: -1 if u < v, 0 if they are equal, 1 if u > v.
func (u Uint128) Compare(v Uint128) int {
	return cmp.Or(cmp.Compare(u.Hi, v.Hi), cmp.Compare(u.Lo, v.Lo))
}

// String returns the number as exactly 32 hexadecimal digits, most significant first. Since
// the wire is little-endian, these are the bytes of a frame in reverse.
func (u Uint128) String() string { return fmt.Sprintf("%016x%016x", u.Hi, u.Lo) }

// ParseUint128 reads what [Uint128.String] writes: 1 to 32 hexadecimal digits of either case,
// most significant first, without sign, prefix or spaces. On an error the result is zero.
func ParseUint128(s string) (Uint128, error) {
	if len(s) == 0 || len(s) > 32 {
		return Uint128{}, fmt.Errorf("parse %q: want 1 to 32 hexadecimal digits", s)
	}
	split := max(0, len(s)-16)
	var u Uint128
	var errHi, errLo error
	if split > 0 {
		u.Hi, errHi = strconv.ParseUint(s[:split], 16, 64)
	}
	u.Lo, errLo = strconv.ParseUint(s[split:], 16, 64)
	if errors.Join(errHi, errLo) != nil {
		return Uint128{}, fmt.Errorf("parse %q: want hexadecimal digits only", s)
	}
	return u, nil
}

// Checksum identifies bytes: the first 128 bits of their BLAKE3 digest. It stands for a
// prepare (checksum of its header, which covers the body), a body or a request. Zero means
// "none" where a field allows it. It guards against accidents, not against forgery.
type Checksum Uint128

// IsZero reports whether the checksum is absent.
func (c Checksum) IsZero() bool { return Uint128(c).IsZero() }

// Compare orders checksums as numbers, for sorted iteration only.
func (c Checksum) Compare(d Checksum) int { return Uint128(c).Compare(Uint128(d)) }

// String returns 32 hexadecimal digits.
func (c Checksum) String() string { return Uint128(c).String() }

// ClusterID names a cluster: the set of processes that share all groups. Upstream takes the
// first 16 bytes of the BLAKE3 digest of the cluster's name; see [ClusterIDOf].
type ClusterID Uint128

// IsZero reports whether the id is absent, as it is in the frames of upstream's clients.
func (c ClusterID) IsZero() bool { return Uint128(c).IsZero() }

// String returns 32 hexadecimal digits.
func (c ClusterID) String() string { return Uint128(c).String() }

// ClientID names a client. It is chosen by the client, random and nonzero; zero in a prepare
// means that the cluster itself made the request.
type ClientID Uint128

// IsZero reports whether there is no client.
func (c ClientID) IsZero() bool { return Uint128(c).IsZero() }

// Compare orders clients as numbers, so that a table can be walked in a fixed order.
func (c ClientID) Compare(d ClientID) int { return Uint128(c).Compare(Uint128(d)) }

// String returns 32 hexadecimal digits.
func (c ClientID) String() string { return Uint128(c).String() }

// Incarnation names one boot of one replica: random, nonzero (R4). A StartView that answers a
// probe repeats the probe's incarnation; one that answers nothing carries zero.
type Incarnation Uint128

// IsZero reports whether there is no incarnation.
func (i Incarnation) IsZero() bool { return Uint128(i).IsZero() }

// String returns 32 hexadecimal digits.
func (i Incarnation) String() string { return Uint128(i).String() }
