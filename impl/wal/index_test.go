package wal

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
					require.Positive(t, p.used, "a page without a body was kept")
				}
			},
		})
	})
}
