package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A batch that somebody waits for the disk for goes there at once; the policy replicated waits for
// the operating system only, and keeps the page cache.
func TestWhatIsFlushedNextGoesAroundThePageCache(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		groups []int // Odd ones are replicated.
		want   int
	}{
		"persisted":           {[]int{0}, 1},
		"replicated":          {[]int{1}, 0},
		"both are one batch":  {[]int{1, 0, 1}, 1},
		"many are one batch":  {[]int{0, 0, 2}, 1},
		"nobody, and nothing": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			require.NoError(t, replica.Format(disk, clusterID))
			around := &disktest.Around{Disk: disk}
			s, err := replica.Open(around, replica.Options{
				Cluster: clusterID, Incarnation: wire.Incarnation{Lo: 1},
				Log:    wal.Config{FileBytes: 1 << 20, FilesMax: 4},
				Bounds: wal.Bounds{UnflushedBytes: 2000, UnflushedTicks: 3},
			})
			require.NoError(t, err)
			a := &appending{t: t, disk: disk, storage: s, heads: make([]wire.Op, 3)}
			a.addAppenders()
			a.work()
			before := around.Writes
			for _, g := range test.groups {
				a.append(g, 10)
			}
			a.work()
			assert.Equal(t, test.want, around.Writes-before)
		})
	}
}
