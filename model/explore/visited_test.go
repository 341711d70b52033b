package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"
)

func TestVisitedIsASetThatKeepsTheSmallestPredecessor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := newVisited()
		want := map[uint64]slot{}
		// Few high bits and few low bits: shards fill, probes collide, tables grow.
		fp := rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64Range(0, 1).Draw(t, "shard")<<56 | rapid.Uint64Range(1, 90).Draw(t, "low")
		})
		for range rapid.IntRange(0, 300).Draw(t, "inserts") {
			s := slot{
				fp: fp.Draw(t, "fp"), parent: rapid.Uint64Range(1, 4).Draw(t, "parent"),
				step: rapid.Uint32Range(0, 3).Draw(t, "step"), depth: rapid.Uint32Range(2, 3).Draw(t, "depth"),
			}
			old, known := want[s.fp]
			if !known || old.depth == s.depth && s.parent < old.parent {
				want[s.fp] = s
			}
			require.Equal(t, !known, v.insert(s))
		}
		for fp, s := range want {
			require.Equal(t, s, *v.shards[fp>>56].find(fp))
		}
	})
}

func TestVisitedCountsAStateOnceWhenWorkersRace(t *testing.T) {
	t.Parallel()
	const states, workers = 20000, 4
	v := newVisited()
	var fresh [workers]int
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			for i := range uint64(states) {
				fp := (i + 1) * 0x9e3779b97f4a7c15
				if v.insert(slot{fp: fp, parent: uint64(10 - w), depth: 2}) {
					fresh[w]++
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	assert.Equal(t, states, fresh[0]+fresh[1]+fresh[2]+fresh[3])
	for i := range uint64(states) {
		fp := (i + 1) * 0x9e3779b97f4a7c15
		require.Equal(t, uint64(10-workers+1), v.shards[fp>>56].find(fp).parent)
	}
	assert.LessOrEqual(t, v.bytes(), states*slotBytes*4)
}
