package superblock_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Each field of the state has a value that names its bytes: a byte 0x1n is the n-th of
// the field that starts at that place.
var example = superblock.VsrState{
	Cluster:      wire.ClusterID{Lo: 0x0706050403020100, Hi: 0x0f0e0d0c0b0a0908},
	Replica:      0x10,
	ReplicaCount: 0x11,
	View:         0x15141312,
	LogView:      0x05181716,
	CommitMax:    0x21201f1e1d1c1b1a,
	Checkpoint: wire.PrepareID{
		Op:       0x2928272625242322,
		Checksum: wire.Checksum{Lo: 0x31302f2e2d2c2b2a, Hi: 0x3938373635343332},
	},
}

// Seed 004: 58 bytes, little-endian, and every byte at its place.
func TestTheOffsetsOfAStateAreThoseOfSeed004(t *testing.T) {
	t.Parallel()
	got, err := example.AppendBinary(nil)
	require.NoError(t, err)
	require.Len(t, got, 58)
	for i, b := range got {
		want := byte(i)
		if i == 25 {
			want = 0x05 // The log view is at most the view.
		}
		assert.Equal(t, want, b, "byte %d", i)
	}
	var back superblock.VsrState
	require.NoError(t, back.UnmarshalBinary(got))
	assert.Equal(t, example, back)
}

func TestAStateThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	good, err := example.AppendBinary(nil)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		change func(b []byte) []byte
		want   string
	}{
		"a byte less": {
			func(b []byte) []byte { return b[:57] }, "57 bytes, expected 58",
		},
		"a byte more": {
			func(b []byte) []byte { return append(b, 0) }, "59 bytes, expected 58",
		},
		"a log view above the view":     {set(25, 0x7f), "expected at most the view"},
		"no replicas":                   {set(17, 0), "replica count 0, expected 1 to 255"},
		"a replica that is not of them": {set(16, 0x11), "replica 17, expected 0 to 16"},
		"a checksum without checkpoint": {
			clearRange(34, 42), "expected op and checksum, or neither",
		},
		"a checkpoint without checksum": {
			clearRange(42, 58), "expected op and checksum, or neither",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s superblock.VsrState
			require.ErrorContains(t, s.UnmarshalBinary(tc.change(append([]byte{}, good...))), tc.want)
			assert.Zero(t, s)
		})
	}
}

func set(at int, value byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b[at] = value
		return b
	}
}

func clearRange(from, to int) func([]byte) []byte {
	return func(b []byte) []byte {
		clear(b[from:to])
		return b
	}
}

// The bytes of a record of two groups, as drawn in doc.go. A change of them is a new
// version of the format.
func TestTheBytesOfARecord(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	s, err := superblock.Format(disk, "node", example.Cluster)
	require.NoError(t, err)
	second := example
	second.View, second.Checkpoint = 0x15141313, wire.PrepareID{}
	require.NoError(t, s.Write(
		superblock.GroupState{Group: 7, VsrState: example},
		superblock.GroupState{Group: 0x0102030405060708, VsrState: second},
	))
	golden, err := os.ReadFile("testdata/two_groups.hex")
	require.NoError(t, err)
	got := hex.Dump(content(t, disk, "node/"+superblock.FileA))
	assert.Equal(t, string(golden), got)
	assert.Equal(t, got, hex.Dump(content(t, disk, "node/"+superblock.FileB)))
	assert.Len(t, content(t, disk, "node/"+superblock.FileA), 64+2*72)
}

// Every single bit of a file counts: one that is flipped is found out, whatever it is.
// With its copy intact that costs nothing; with both damaged booting is refused.
func TestEachFlippedBitIsFoundOut(t *testing.T) {
	t.Parallel()
	valid := image(t, 2)
	for bit := range 8 * len(valid) {
		damaged := append([]byte{}, valid...)
		damaged[bit/8] ^= 1 << (bit % 8)
		for name, tc := range map[string]struct {
			a, b []byte
			want superblock.Outcome
		}{
			"first copy":  {damaged, valid, superblock.Present{Record: record(2)}},
			"second copy": {valid, damaged, superblock.Present{Record: record(2)}},
			"both":        {damaged, damaged, nil},
		} {
			outcome, err := superblock.Read(diskWith(t, tc.a, tc.b), "node")
			require.NoError(t, err)
			if tc.want != nil {
				require.Equal(t, tc.want, outcome, "bit %d, %s", bit, name)
				continue
			}
			why := outcome.(superblock.Unreadable).Why
			if bit/8 < 4 {
				require.Equal(t, superblock.WhyForeign, why)
			} else {
				require.Equal(t, superblock.WhyDamaged, why, "bit %d", bit)
			}
		}
	}
}

// What decodes is written back to the same bytes: there is one encoding.
func FuzzRead(f *testing.F) {
	f.Add(image(f, 0))
	f.Add(image(f, 1))
	f.Add(image(f, 3))
	f.Add([]byte{})
	f.Add([]byte("VSSB\x02\x00 something newer, with all the bytes that a header has, and more"))
	f.Fuzz(func(t *testing.T, b []byte) {
		disk := diskWith(t, b, b)
		outcome, err := superblock.Read(disk, "node")
		require.NoError(t, err)
		switch found := outcome.(type) {
		case superblock.Empty:
			t.Fatal("files that are there are not empty")
		case superblock.Unreadable:
			require.NotZero(t, found.Why)
			require.NotContains(t, found.Error(), "\n")
			_, err := superblock.Open(disk, "node", example.Cluster)
			require.Error(t, err)
		case superblock.Present:
			s, err := superblock.Open(diskWith(t, nil, b), "node", found.Record.Cluster)
			require.NoError(t, err)
			require.Equal(t, found.Record, s.Record())
			require.Equal(t, b, content(t, disk, "node/"+superblock.FileA))
		}
	})
}

func TestAnyStatesAreReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		disk := memdisk.New(1)
		s, err := superblock.Format(disk, "node", example.Cluster)
		require.NoError(t, err)
		want := map[wire.GroupID]superblock.VsrState{}
		for range rapid.IntRange(0, 5).Draw(t, "writes") {
			var changes []superblock.GroupState
			for range rapid.IntRange(0, 3).Draw(t, "groups") {
				group := wire.GroupID(rapid.Uint64Range(0, 5).Draw(t, "group"))
				state := want[group]
				state.Cluster, state.ReplicaCount = example.Cluster, 3
				state.View += wire.View(rapid.Uint32Range(0, 3).Draw(t, "view"))
				state.LogView = max(state.LogView,
					wire.View(rapid.Uint32Range(0, uint32(state.View)).Draw(t, "log view")))
				state.CommitMax = wire.Op(rapid.Uint64().Draw(t, "commit max"))
				want[group] = state
				changes = append(changes, superblock.GroupState{Group: group, VsrState: state})
			}
			require.NoError(t, s.Write(changes...))
			disk.PowerLoss(memdisk.Nothing)
			s, err = superblock.Open(disk, "node", example.Cluster)
			require.NoError(t, err)
			require.Len(t, s.Record().Groups, len(want))
			for group, state := range want {
				got, found := s.Record().Find(group)
				require.True(t, found)
				require.Equal(t, state, got)
			}
			_, found := s.Record().Find(6)
			require.False(t, found)
		}
	})
}

func TestNamesOfReasons(t *testing.T) {
	t.Parallel()
	for w := superblock.WhyMissing; w <= superblock.WhyConflict; w++ {
		assert.False(t, strings.HasPrefix(w.String(), "why("))
	}
	assert.Equal(t, "why(0)", superblock.Why(0).String())
}
