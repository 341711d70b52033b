package credentials

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// PasswordMaxBytes is how long a password can be.
const PasswordMaxBytes = 255

// The cost of new hashes, and how much of a stored one is accepted.
const (
	memoryKiB = 19456
	passes    = 2
	lanes     = 1
	saltBytes = 16
	keyBytes  = 32

	memoryMaxKiB = 65536
	passesMax    = 10
	lanesMax     = 4
)

const hashPrefix = "$argon2id$v=19$"

// ErrHash means that a text is not a hash of a password.
var ErrHash = errors.New("not an argon2id hash")

// HashPassword returns the hash of a password of 1 to [PasswordMaxBytes] bytes, with a salt from
// random.
//
// Errors: a password of another length; what random returns. There is no hash then.
func HashPassword(random io.Reader, password string) (string, error) {
	if len(password) < 1 || len(password) > PasswordMaxBytes {
		return "", fmt.Errorf("hash password: %d bytes, expected 1 to %d",
			len(password), PasswordMaxBytes)
	}
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", fmt.Errorf("hash password: read salt: %w", err)
	}
	h := hash{memoryKiB: memoryKiB, passes: passes, lanes: lanes, salt: salt}
	h.key = h.keyOf(password)
	return h.String(), nil
}

// CheckHash returns nil if the text is a hash that [VerifyPassword] can use.
//
// Errors: [ErrHash] with what is wrong. The text itself is not in it: it may be a password.
func CheckHash(text string) error {
	_, err := parseHash(text)
	return err
}

// VerifyPassword reports whether the password is the one that stored is the hash of. Of a text
// that is none it is false for every password, after the same work.
func VerifyPassword(stored, password string) bool {
	h, err := parseHash(stored)
	known := err == nil
	if !known {
		h = decoy
	}
	return subtle.ConstantTimeCompare(h.keyOf(password), h.key) == 1 && known
}

// decoy is what is computed where there is no hash. Its key is nobody's: all zeros.
var decoy = hash{
	memoryKiB: memoryKiB, passes: passes, lanes: lanes,
	salt: make([]byte, saltBytes), key: make([]byte, keyBytes),
}

type hash struct {
	memoryKiB, passes uint32
	lanes             uint8
	salt, key         []byte
}

func (h *hash) keyOf(password string) []byte {
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memoryKiB, h.lanes, keyBytes)
}

var encoding = base64.RawStdEncoding.Strict()

func (h *hash) String() string {
	return fmt.Sprintf("%sm=%d,t=%d,p=%d$%s$%s", hashPrefix, h.memoryKiB, h.passes, h.lanes,
		encoding.EncodeToString(h.salt), encoding.EncodeToString(h.key))
}

func parseHash(text string) (hash, error) {
	rest, found := strings.CutPrefix(text, hashPrefix)
	parts := strings.Split(rest, "$")
	if !found || len(parts) != 3 {
		return hash{}, fmt.Errorf("%w: expected %sm=,t=,p=$salt$key", ErrHash, hashPrefix)
	}
	var h hash
	var numbers [3]uint64
	costs := strings.Split(parts[0], ",")
	for i, bound := range [...]struct {
		name     string
		min, max uint64
	}{{"m=", 8 * lanesMax, memoryMaxKiB}, {"t=", 1, passesMax}, {"p=", 1, lanesMax}} {
		number := ""
		if len(costs) == len(numbers) {
			number, _ = strings.CutPrefix(costs[i], bound.name)
		}
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n < bound.min || n > bound.max ||
			costs[i] != bound.name+strconv.FormatUint(n, 10) {
			return hash{}, fmt.Errorf("%w: expected %s%d to %d", ErrHash, bound.name, bound.min, bound.max)
		}
		numbers[i] = n
	}
	h.memoryKiB, h.passes, h.lanes = uint32(numbers[0]), uint32(numbers[1]), uint8(numbers[2])
	var err error
	if h.salt, err = encoding.DecodeString(parts[1]); err != nil || len(h.salt) != saltBytes {
		return hash{}, fmt.Errorf("%w: expected a salt of %d bytes in base64", ErrHash, saltBytes)
	}
	if h.key, err = encoding.DecodeString(parts[2]); err != nil || len(h.key) != keyBytes {
		return hash{}, fmt.Errorf("%w: expected a key of %d bytes in base64", ErrHash, keyBytes)
	}
	if h.String() != text {
		return hash{}, fmt.Errorf("%w: it has other forms of the same numbers", ErrHash)
	}
	return h, nil
}
