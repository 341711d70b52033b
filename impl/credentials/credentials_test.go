package credentials_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/credentials"
)

// golden is what a salt of bytes 0 to 15 and the password "secret" give, for ever: a stored hash
// outlives the version that made it.
const golden = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$" +
	"wf2/c/vlFte6hIN2Uyogmn1x/V/pPV40SfMbuFX/DGA"

func salt() *bytes.Reader {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(i)
	}
	return bytes.NewReader(b)
}

func TestAHashIsRightForItsPasswordOnly(t *testing.T) {
	t.Parallel()
	hash, err := credentials.HashPassword(salt(), "secret")
	require.NoError(t, err)
	assert.Equal(t, golden, hash)
	require.NoError(t, credentials.CheckHash(hash))
	assert.True(t, credentials.VerifyPassword(hash, "secret"))
	for _, other := range []string{"", "secre", "secret ", "Secret", hash} {
		assert.False(t, credentials.VerifyPassword(hash, other), other)
	}
}

func TestWithoutAHashNoPasswordIsRight(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"", "secret", "$argon2id$"} {
		assert.False(t, credentials.VerifyPassword(stored, "secret"))
		assert.False(t, credentials.VerifyPassword(stored, stored))
	}
}

func TestWhatIsNoHashIsRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	const hash = golden
	for name, text := range map[string]string{
		"nothing":            "",
		"a password":         "hunter2-hunter2",
		"another algorithm":  "$2b$12$abcdefghijklmnopqrstuv",
		"no memory":          strings.Replace(hash, "m=19456", "m=0", 1),
		"too much memory":    strings.Replace(hash, "m=19456", "m=65537", 1),
		"too many passes":    strings.Replace(hash, "t=2", "t=11", 1),
		"too many lanes":     strings.Replace(hash, "p=1", "p=5", 1),
		"a number with zero": strings.Replace(hash, "t=2", "t=02", 1),
		"a cost less":        strings.Replace(hash, ",p=1", "", 1),
		"a cost more":        strings.Replace(hash, ",p=1", ",p=1,q=1", 1),
		"a short salt":       strings.Replace(hash, "$AAEC", "$", 1),
		"a short key":        hash[:len(hash)-4],
		"something behind":   hash + "$",
		"padding":            hash + "=",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := credentials.CheckHash(text)
			require.ErrorIs(t, err, credentials.ErrHash)
			if text != "" {
				assert.NotContains(t, err.Error(), text)
			}
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAPasswordHasALengthAndASalt(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, credentials.PasswordMaxBytes + 1} {
		_, err := credentials.HashPassword(salt(), strings.Repeat("p", length))
		require.ErrorContains(t, err, "expected 1 to 255")
	}
	_, err := credentials.HashPassword(bytes.NewReader(nil), "secret")
	require.ErrorContains(t, err, "read salt")
}

func TestATokenIsKnownByItsDigest(t *testing.T) {
	t.Parallel()
	token, err := credentials.NewToken(salt())
	require.NoError(t, err)
	assert.Equal(t, "vst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", token)
	assert.NotEqual(t, credentials.DigestOf(token), credentials.DigestOf(token[:46]))
	_, err = credentials.NewToken(bytes.NewReader(make([]byte, 31)))
	require.Error(t, err)
}

// Any text: never a panic, and what is accepted is in the one form that is written.
func FuzzCheckHash(f *testing.F) {
	f.Add(golden)
	f.Add("secret")
	f.Add("$argon2id$v=19$m=64,t=1,p=1$$")
	f.Fuzz(func(t *testing.T, text string) {
		if credentials.CheckHash(text) == nil {
			require.True(t, strings.HasPrefix(text, "$argon2id$v=19$m="))
			require.LessOrEqual(t, len(text), 99)
		}
	})
}

func BenchmarkVerifyPassword(b *testing.B) {
	for b.Loop() {
		credentials.VerifyPassword(golden, "secret")
	}
}
