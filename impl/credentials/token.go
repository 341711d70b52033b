package credentials

import (
	"encoding/base64"
	"fmt"
	"io"

	"github.com/zeebo/blake3"
)

const (
	tokenPrefix = "vst_"
	tokenRandom = 32
)

// DigestBytes is the size of a [Digest].
const DigestBytes = 32

// Digest is what is stored of a token: who holds the digest cannot log in with it.
type Digest [DigestBytes]byte

// NewToken returns a new token for its owner, with its secret from random. It is shown once and
// stored nowhere; [DigestOf] of it is.
//
// Errors: what random returns. There is no token then.
func NewToken(random io.Reader) (string, error) {
	secret := make([]byte, tokenRandom)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("make token: %w", err)
	}
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(secret), nil
}

// DigestOf returns the digest of a token, or of any other text that claims to be one.
func DigestOf(token string) Digest { return blake3.Sum256([]byte(token)) }
