package credentials_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/credentials"
)

// What was right is remembered for that hash and that password alone, and not for ever.
func TestRightPasswordsAreRemembered(t *testing.T) {
	t.Parallel()
	m, err := credentials.NewMemory(rand.Reader, 2, time.Minute)
	require.NoError(t, err)
	stored, err := credentials.HashPassword(rand.Reader, "secret")
	require.NoError(t, err)
	other, err := credentials.HashPassword(rand.Reader, "secret")
	require.NoError(t, err)
	now := time.Unix(1000, 0)
	assert.False(t, m.Knows(stored, "secret", now))
	assert.False(t, m.Verify(stored, "wrong", now))
	assert.False(t, m.Knows(stored, "wrong", now), "what is wrong is not remembered")
	assert.True(t, m.Verify(stored, "secret", now))
	assert.True(t, m.Knows(stored, "secret", now))
	assert.False(t, m.Knows(stored, "wrong", now))
	assert.False(t, m.Knows(other, "secret", now), "a new hash is another password")
	assert.True(t, m.Knows(stored, "secret", now.Add(59*time.Second)))
	assert.False(t, m.Knows(stored, "secret", now.Add(time.Minute)))
	assert.True(t, m.Verify(stored, "secret", now.Add(time.Hour)))
}

// It holds as many as it may, and forgets rather than grow.
func TestTheMemoryOfPasswordsIsBounded(t *testing.T) {
	t.Parallel()
	m, err := credentials.NewMemory(rand.Reader, 2, time.Minute)
	require.NoError(t, err)
	now := time.Unix(1000, 0)
	var hashes []string
	for range 3 {
		stored, err := credentials.HashPassword(rand.Reader, "secret")
		require.NoError(t, err)
		hashes = append(hashes, stored)
		require.True(t, m.Verify(stored, "secret", now))
	}
	assert.False(t, m.Knows(hashes[0], "secret", now))
	assert.True(t, m.Knows(hashes[2], "secret", now))
	_, err = credentials.NewMemory(iotest.ErrReader(errors.New("no entropy")), 2, time.Minute)
	require.ErrorContains(t, err, "no entropy")
}
