package segment

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever the bytes: no panic, and what is accepted is written the same way again.
func FuzzDecode(f *testing.F) {
	b, sum := Batch{Op: 3, Offset: 4, Timestamp: 5, Messages: 2, Body: []byte("x")}.encode(
		5, getChecksum(make([]byte, 16)))
	f.Add(b)
	var e extent
	e.add(Batch{Op: 3, Messages: 2, Timestamp: 5}, link{group: 5, after: sum}, 100)
	f.Add(e.encode(5))
	mark, err := Mark{Last: 0, Bytes: 81, Next: 2, Op: 3, Chain: sum}.AppendBinary(nil)
	require.NoError(f, err)
	f.Add(mark)
	f.Fuzz(func(t *testing.T, p []byte) {
		if b, l, reason := decode(p); reason == 0 {
			again, _ := b.encode(l.group, l.before)
			require.Equal(t, p, again)
		}
		if e, group, reason := decodeIndex(p); reason == 0 {
			require.Equal(t, p, e.encode(group))
		}
		var m Mark
		if m.UnmarshalBinary(p) == nil {
			again, err := m.AppendBinary(nil)
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
	})
}
