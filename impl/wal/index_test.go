package wal

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The index against a map of identities, in files that go from the oldest on.
func TestIndexFindsWhatAMapOfIdentitiesFinds(t *testing.T) {
	t.Parallel()
	type key struct {
		group wire.GroupID
		id    wire.PrepareID
	}
	rapid.Check(t, func(t *rapid.T) {
		l := &Log{index: index{pages: map[pageKey]*page{}}}
		stored := map[key]position{} // Model: the newest body of each identity.
		keys := rapid.Custom(func(t *rapid.T) key {
			return key{wire.GroupID(rapid.IntRange(1, 3).Draw(t, "group")), wire.PrepareID{
				Op:       wire.Op(rapid.SampledFrom([]int{1, 2, 63, 64, 65, 1 << 40}).Draw(t, "op")),
				Checksum: wire.Checksum{Lo: rapid.Uint64Range(1, 3).Draw(t, "checksum")},
			}}
		})
		l.addFile(nil, 1)
		t.Repeat(map[string]func(*rapid.T){
			"hold": func(t *rapid.T) {
				k, f := keys.Draw(t, "key"), l.files[len(l.files)-1]
				stored[k] = position{f.number, uint32(len(f.bodies))}
				l.holdBody(f, &indexed{Head: Head{
					Kind: KindPrepare, Group: k.group, Op: k.id.Op, Checksum: k.id.Checksum,
				}}, 0)
			},
			"roll": func(*rapid.T) { l.addFile(nil, 1) },
			"release": func(t *rapid.T) {
				if len(l.files) == 1 {
					t.Skip("the newest file stays")
				}
				for k, at := range stored {
					if at.file == l.files[0].number {
						delete(stored, k)
					}
				}
				l.forgetOldest()
			},
			"": func(t *rapid.T) {
				k := keys.Draw(t, "looked up")
				f, at, found := l.find(k.group, k.id)
				want, stored := stored[k]
				require.Equal(t, stored, found)
				if found {
					require.Equal(t, want.file, f.number)
					require.Equal(t, f.bodies[want.body], at)
				}
				for _, p := range l.index.pages {
					used := 0
					for _, at := range p.newest {
						if !at.isZero() {
							require.GreaterOrEqual(t, at.file, l.files[0].number, "it was released")
							used++
						}
					}
					require.Positive(t, used, "a page without a body was kept")
					require.Equal(t, used, p.used)
				}
			},
		})
	})
}

// R17: what is moved counts when the disk has it, or a crash would leave neither.
func TestACopyCountsOnceItIsFlushed(t *testing.T) {
	t.Parallel()
	log, _, err := Open(memdisk.New(1), Config{
		Directory: "wal", FileBytes: 4096, FilesMax: 8, RecordsMax: 100,
		Incarnation: wire.Uint128{Lo: 1},
	})
	require.NoError(t, err)
	prepare := func(op wire.Op, fill bool) {
		_, err := log.Append(Record{Head: Head{
			Kind: KindPrepare, Group: 1, Op: op, Checksum: wire.Checksum{Lo: uint64(op)}, Fill: fill,
		}, Body: make([]byte, 1200)})
		require.NoError(t, err)
	}
	prepare(1, false)
	for op := wire.Op(2); log.Files() < 2; op++ {
		prepare(op, false)
	}
	require.NoError(t, log.Sync())
	oldest := log.files[0]
	x := named{1, wire.PrepareID{Op: 1, Checksum: wire.Checksum{Lo: 1}}}
	require.False(t, log.copied(oldest, x))
	prepare(1, true)
	require.False(t, log.copied(oldest, x), "only the system has it")
	require.NoError(t, log.Sync())
	require.True(t, log.copied(oldest, x))
}
