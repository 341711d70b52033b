package superblock

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// What decode accepts, encode gives back to the byte; what it refuses, it refuses with a reason
// and an empty record. It never panics and never writes to its input.
func FuzzDecode(f *testing.F) {
	empty := Record{Sequence: 1, Cluster: wire.ClusterID{Lo: 1}}
	f.Add(empty.encode(), false)
	group := func(id wire.GroupID) GroupState {
		return GroupState{Group: id, VsrState: VsrState{Cluster: empty.Cluster, ReplicaCount: 3}}
	}
	two := Record{Sequence: 7, Cluster: empty.Cluster, Groups: []GroupState{group(0), group(9)}}
	f.Add(two.encode(), false)
	f.Add(two.encode(), true)
	f.Add(two.encode()[:headerBytes+3], true)
	f.Add([]byte{}, false)
	f.Add([]byte(magic), true)

	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) >= headerBytes { // noise alone never passes the checksum
			appendUint128(b[:offsetChecksum], wire.Uint128(checksum(b)))
		}
		before := bytes.Clone(b)
		r, _, why := decode(b)
		require.Equal(t, before, b, "decode wrote to its input")
		if why != 0 {
			require.Equal(t, Record{}, r)
			return
		}
		require.Equal(t, b, r.encode())
	})
}
