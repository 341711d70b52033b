package clienttable_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/clienttable"
)

// What Restore may allocate: bytes for each byte of the input, and a rest for an error or an
// empty table. A slot of one byte costs a pointer, which is doubled when the slice grows.
const allocatedPerByte, allocatedBesides = 40, 8 << 10

func FuzzRestore(f *testing.F) {
	whole := threeSlots(f).AppendSnapshot(nil)
	f.Add(whole, false, false)
	f.Add(tableAfter(f, small).AppendSnapshot(nil), false, false)
	f.Add(tableAfter(f, upstream(small), register(1, 0), request(1, 1, 7)).AppendSnapshot(nil),
		true, true)
	f.Add(tableAfter(f, small, register(1, 1), resize(2000)).AppendSnapshot(nil), true, false)
	f.Add([]byte{}, false, false)
	for _, cut := range []int{headerBytes, headerBytes + 3, len(whole) - checksumBytes - 1} {
		f.Add(append(whole[:cut:cut], make([]byte, checksumBytes)...), true, false)
	}
	configs := map[bool]config{false: threeSlots(f).Config(), true: upstream(small)}

	f.Fuzz(func(t *testing.T, snapshot []byte, sealed, other bool) {
		if sealed { // Noise alone never passes the checksum.
			reseal(snapshot)
		}
		c := configs[other]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		made, err := clienttable.Restore(c, snapshot)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		require.LessOrEqual(t, allocated,
			uint64(allocatedPerByte*len(snapshot)+allocatedBesides), "%d bytes", len(snapshot))
		if err != nil {
			require.Nil(t, made)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NoError(t, made.CheckInvariants())
		require.Equal(t, snapshot, made.AppendSnapshot(nil))
		// It works: a client registers, and asks.
		session := execute(made, registerAs(own, 77, 1)).Answer.Session
		execute(made, request(77, session, 1))
		require.NoError(t, made.CheckInvariants())
	})
}
