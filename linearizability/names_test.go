package linearizability

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIDsAreEachThereOnceAndInOrder(t *testing.T) {
	t.Parallel()
	var s ids
	for _, id := range []int64{11, 1, 111, 2, -3, 9_000_000_000} {
		assert.False(t, s.has(id), "%d in %q", id, s)
		assert.True(t, s.add(id), "%d in %q", id, s)
		assert.False(t, s.add(id), "%d in %q", id, s)
	}
	assert.Equal(t, ids("-3 1 2 11 111 9000000000 "), s)
}

func TestNamesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"given = ",
		"\"a\" = 7\n\"b = c\" = ? 3 7\n\"given\" = ?\n\"x\\ny\" = 9\ngiven = 7 9 ",
	} {
		assert.Equal(t, Text(text), decodeNames(text).encode())
	}
}
