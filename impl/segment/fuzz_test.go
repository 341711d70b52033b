package segment

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Whatever the bytes: no panic, and what is accepted is written the same way again.
func FuzzDecode(f *testing.F) {
	b, sum := Batch{Op: 3, Offset: 4, Timestamp: 5, Messages: 2, Body: []byte("x")}.encode(
		5, getChecksum(make([]byte, 16)))
	f.Add(b, false)
	f.Add(b[:len(b)-1], true)
	var e extent
	e.add(Batch{Op: 3, Messages: 2, Timestamp: 5}, link{group: 5, after: sum}, 100)
	f.Add(e.encode(5), false)
	mark, err := Mark{Last: 0, Bytes: 81, Next: 2, Op: 3, Chain: sum}.AppendBinary(nil)
	require.NoError(f, err)
	f.Add(mark, false)
	f.Fuzz(func(t *testing.T, p []byte, seal bool) {
		if seal && len(p) >= BatchHeaderBytes { // noise alone never passes the checksum
			if string(p[atMagic:atSize]) == magicBatch {
				binary.LittleEndian.PutUint32(p[atSize:], uint32(len(p)))
			}
			putChecksum(p, wire.ChecksumOf(p[atMagic:]))
		}
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
