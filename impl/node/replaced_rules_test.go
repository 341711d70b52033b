package node

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Which groups count as new decides who may vote at once (R16).
func TestGroupsThatAreNewToADirectory(t *testing.T) {
	t.Parallel()
	id := Identity{Cluster: "c", Replicas: 3}
	instead := id
	instead.Replaces = true
	back := id.state()
	back.CommitMax = 7
	for name, tc := range map[string]struct {
		state superblock.GroupState
		fresh map[wire.GroupID]bool
	}{
		"all are, in that of a new cluster": {id.state(), map[wire.GroupID]bool{0: true, 1: true}},
		"none is, before the metadata is back": {
			instead.state(), map[wire.GroupID]bool{0: false, 1: false, 1 << 40: false},
		},
		"those created later are, when it is": {
			back, map[wire.GroupID]bool{0: false, 1: false, 7: false, 8: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := replaced{upTo: groupsBefore([]superblock.GroupState{{}, tc.state})}
			for group, want := range tc.fresh {
				assert.Equal(t, want, r.fresh(group), "group %d", group)
			}
		})
	}
}

// The metadata is back when a log is executed that the replica has held in a normal view since
// the loss: its end, not what happened to be committed first.
func TestWhenTheMetadataIsBackOnAReplacedDisk(t *testing.T) {
	t.Parallel()
	normal := func(view wire.View, head, commitMin wire.Op) vsr.Standing {
		return vsr.Standing{
			Status: vsr.StatusNormal, View: view, Head: head, CommitMin: commitMin, CommitMax: commitMin,
		}
	}
	wiped := normal(0, 0, 0)
	wiped.Wiped = true
	recovering := normal(1, 9, 9)
	recovering.Status = vsr.StatusRecovering
	for name, tc := range map[string]struct {
		before []vsr.Standing
		at     vsr.Standing
		want   bool
	}{
		"not while it holds no log":        {nil, wiped, false},
		"not outside a view":               {nil, recovering, false},
		"not when only a part is executed": {nil, normal(2, 9, 8), false},
		"when all of it is":                {nil, normal(2, 9, 9), true},
		"also when the log has grown since": {
			[]vsr.Standing{normal(2, 9, 8)}, normal(2, 12, 10), true,
		},
		"not by the log of an earlier view": {
			[]vsr.Standing{normal(2, 9, 8)}, normal(3, 12, 10), false,
		},
		"with a log that has no op": {nil, normal(2, 0, 0), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r replaced
			for _, standing := range tc.before {
				assert.False(t, r.back(standing))
			}
			assert.Equal(t, tc.want, r.back(tc.at))
		})
	}
}
