package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// appending is a storage with appenders of some groups; odd groups are replicated.
type appending struct {
	t         *testing.T
	disk      *memdisk.Disk
	storage   *replica.Storage
	appenders []*replica.Appender
	heads     []wire.Op
}

func newAppending(t *testing.T, groups int) *appending {
	a := &appending{t: t, disk: memdisk.New(1), heads: make([]wire.Op, groups)}
	require.NoError(t, replica.Format(a.disk, clusterID))
	a.open(1)
	return a
}

func (a *appending) open(boot uint64) {
	var err error
	a.storage, err = replica.Open(a.disk, replica.Options{
		Cluster: clusterID, Incarnation: wire.Incarnation{Lo: boot},
		Log:    wal.Config{FileBytes: 1 << 20, FilesMax: 4},
		Bounds: wal.Bounds{UnflushedBytes: 2000, UnflushedTicks: 3},
	})
	require.NoError(a.t, err)
	a.addAppenders()
}

func (a *appending) addAppenders() {
	a.appenders = nil
	for g := range a.heads {
		policy := vsr.PolicyPersisted
		if g%2 == 1 {
			policy = vsr.PolicyReplicated
		}
		appender, err := a.storage.NewAppender(replica.GroupConfig{
			Group: wire.GroupID(g), ReplicaCount: 3, Policy: policy, Fresh: true,
		})
		require.NoError(a.t, err)
		a.appenders = append(a.appenders, appender)
	}
}

// append asks for the next op of a group, with a body of so many bytes.
func (a *appending) append(group, bytes int) {
	a.heads[group]++
	p := &wire.Prepare{Header: wire.PrepareHeader{
		Cluster: clusterID, Group: wire.GroupID(group), Op: a.heads[group],
		Operation: wire.OperationRegister,
	}, Body: make([]byte, bytes)}
	p.Seal()
	a.appenders[group].Append(p)
}

// work does all that is to be done and returns how many completions each group got.
func (a *appending) work() []int {
	done := make([]int, len(a.heads))
	for a.storage.Ready(replica.LaneLog) {
		some, err := a.storage.Work(replica.LaneLog)
		require.NoError(a.t, err)
		for _, d := range some {
			done[d.Group]++
		}
	}
	return done
}

func (a *appending) flushes() int {
	_, n := a.storage.Counts()
	return n
}

// Group commit: what waits is one batch with one flush, whatever the number of groups in it, and
// whatever their policies.
func TestAllThatWaitsIsOneBatchWithOneFlush(t *testing.T) {
	t.Parallel()
	a := newAppending(t, 4)
	for range 50 {
		for g := range a.heads {
			a.append(g, 10)
		}
		assert.Equal(t, []int{1, 1, 1, 1}, a.work())
	}
	batches, flushes := a.storage.Counts()
	assert.Equal(t, 50, batches)
	assert.Equal(t, 50, flushes)
}

// Under the policy replicated nobody waits for a flush, and there is one within bounds: when so
// many bytes are not flushed, or three ticks after the oldest that is not.
func TestWhatNobodyWantsFlushedIsFlushedWithinBounds(t *testing.T) {
	t.Parallel()
	a := newAppending(t, 2)
	for i := range 5 {
		a.append(1, 600) // And a frame's header: three exceed the bound.
		require.Equal(t, []int{0, 1}, a.work(), "it counts at once")
		require.Equal(t, (i+1)/3, a.flushes())
	}
	tick := func(want int, why string) {
		a.storage.Tick()
		a.work()
		require.Equal(t, want, a.flushes(), why)
	}
	for range 2 {
		tick(1, "their time has not come")
	}
	tick(2, "three ticks after the oldest")
	for range 5 {
		tick(2, "there is nothing to flush")
	}
	a.append(1, 10)
	a.work()
	tick(2, "")
	a.append(0, 10)
	require.Equal(t, []int{1, 0}, a.work())
	require.Equal(t, 3, a.flushes(), "the other group's flush covers both")
	a.append(1, 10)
	a.work()
	tick(3, "")
	tick(3, "its time counts from itself on")
	a.disk.PowerLoss(memdisk.Nothing)
	a.open(2)
	found := 0
	for op := wire.Op(1); op <= a.heads[1]; op++ {
		p := &wire.Prepare{Header: wire.PrepareHeader{
			Cluster: clusterID, Group: 1, Op: op, Operation: wire.OperationRegister,
		}, Body: make([]byte, 10)}
		if op <= 5 {
			p.Body = make([]byte, 600)
		}
		p.Seal()
		if _, err := a.storage.Read(1, p.Header.ID()); err == nil {
			found++
		}
	}
	assert.Equal(t, int(a.heads[1])-1, found, "what no flush has covered goes with the power")
}
