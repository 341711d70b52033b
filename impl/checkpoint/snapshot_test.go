package checkpoint

import (
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// example is a snapshot of an op.
func example(op wire.Op) Snapshot {
	return Snapshot{
		Cluster: wire.ClusterID{Lo: 7}, Group: 5,
		Prepare: wire.PrepareID{Op: op, Checksum: wire.Checksum{Lo: uint64(op)}},
		State:   []byte("state"), Clients: []byte("clients"), Segments: &segment.Mark{},
	}
}

func FuzzDecode(f *testing.F) {
	p, _ := example(3).encode()
	f.Add(p, false)
	f.Add(p[:len(p)-1], true)
	f.Fuzz(func(t *testing.T, p []byte, seal bool) {
		if seal && len(p) >= headerBytes { // noise alone never passes the checksum
			put128(p, wire.Uint128(wire.ChecksumOf(p[atMagic:])))
		}
		if s, sum, why := decode(p); why == 0 {
			again, sumAgain := s.encode()
			require.Equal(t, p, again)
			require.Equal(t, sum, sumAgain)
		}
	})
}

func TestNoFlippedBitOfASnapshotIsAdopted(t *testing.T) {
	t.Parallel()
	p, _ := example(3).encode()
	for bit := range 8 * len(p) {
		p[bit/8] ^= 1 << (bit % 8)
		_, _, why := decode(p)
		require.Equal(t, Damaged, why, "bit %d", bit)
		p[bit/8] ^= 1 << (bit % 8)
	}
}

// R17: snapshots and superblock are cross-checked.
func TestRecoverAdoptsOrRefuses(t *testing.T) {
	t.Parallel()
	whole := func(op wire.Op) []byte { p, _ := example(op).encode(); return p }
	torn := func(op wire.Op) []byte { return whole(op)[:50] }
	of := func(change func(*Snapshot)) []byte {
		s := example(3)
		change(&s)
		p, _ := s.encode()
		return p
	}
	for name, tc := range map[string]struct {
		files  map[wire.Op][]byte
		paired wire.Op
		want   wire.Op
		why    Why // Of the refusal.
	}{
		"nothing yet":                        {},
		"the paired one":                     {map[wire.Op][]byte{3: whole(3)}, 3, 3, 0},
		"a newer, complete":                  {map[wire.Op][]byte{3: whole(3), 4: whole(4)}, 3, 4, 0},
		"the first, not paired yet":          {map[wire.Op][]byte{3: whole(3)}, 0, 3, 0},
		"a newer one that is torn":           {map[wire.Op][]byte{3: whole(3), 4: torn(4)}, 3, 3, 0},
		"the first, torn":                    {map[wire.Op][]byte{3: torn(3)}, 0, 0, 0},
		"an older one beside":                {map[wire.Op][]byte{2: whole(2), 3: whole(3)}, 3, 3, 0},
		"the paired one is gone":             {map[wire.Op][]byte{2: whole(2)}, 3, 2, Missing},
		"the paired one is torn":             {map[wire.Op][]byte{3: torn(3)}, 3, 0, Damaged},
		"the paired one torn, a newer whole": {map[wire.Op][]byte{3: torn(3), 4: whole(4)}, 3, 4, 0},
		"another of the same op": {map[wire.Op][]byte{
			3: of(func(s *Snapshot) { s.State = nil }),
		}, 3, 0, Unpaired},
		"another cluster's": {map[wire.Op][]byte{
			3: of(func(s *Snapshot) { s.Cluster.Lo++ }),
		}, 3, 0, Foreign},
		"another group's": {map[wire.Op][]byte{3: of(func(s *Snapshot) { s.Group++ })}, 3, 0, Foreign},
		"under another op's name": {map[wire.Op][]byte{
			4: whole(3),
		}, 3, 0, Foreign},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			for op, content := range tc.files {
				require.NoError(t, write(disk, path.Join("s", fileName(op)), content))
			}
			state := superblock.VsrState{Cluster: wire.ClusterID{Lo: 7}, ReplicaCount: 1}
			if tc.paired > 0 {
				_, sum := example(tc.paired).encode()
				state.Checkpoint = wire.PrepareID{Op: tc.paired, Checksum: sum}
			}
			before := fmt.Sprint(disk.List("s"))
			r, err := Recover(disk, "s", 5, state)
			if tc.why != 0 {
				var mismatch *MismatchError
				require.ErrorAs(t, err, &mismatch)
				assert.Equal(t, tc.why, mismatch.Why)
				assert.Equal(t, before, fmt.Sprint(disk.List("s")), "something was changed")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, r.Checkpoint.Op)
			assert.Equal(t, tc.want > tc.paired, r.Newer)
			if tc.want > 0 {
				assert.Equal(t, example(tc.want), r.Snapshot)
			}
		})
	}
}
