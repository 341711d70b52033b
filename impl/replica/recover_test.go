package replica_test

import (
	"bytes"
	"errors"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// soloCluster is one process with groups of one replica.
func soloCluster(t *testing.T, groups int) *cluster {
	c := newCluster(t, vsr.PolicyPersisted, groups)
	c.processes = c.processes[:1]
	c.config = func(config *replica.Config) { config.ReplicaCount = 1 }
	return c
}

// tearNext kills the process in the middle of the next write to its log: the index at the
// batch's beginning lands, the body does not.
func (p *process) tearNext(m *wire.Request) {
	torn := errors.New("torn")
	p.disk.Inject(func(op memdisk.Operation) *memdisk.Fault {
		if op.Kind == memdisk.OperationWrite {
			return &memdisk.Fault{Err: torn, Bytes: memdisk.SectorBytes}
		}
		return &memdisk.Fault{Err: torn}
	})
	p.hosts[m.Group].Request(m)
	_, err := p.storage.Work(replica.LaneLog)
	require.ErrorIs(p.c.t, err, torn)
	p.disk.Inject(nil)
	p.kill(false)
}

// What a death tears was never acknowledged. A solo replica boots over it, and so does each
// later boot, when other batches lie behind the torn one.
func TestASoloReplicaBootsOverWhatADeathTore(t *testing.T) {
	t.Parallel()
	c := soloCluster(t, 2)
	c.boot()
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
	p := c.processes[0]
	for i := range 3 {
		long := write(0, session, 2+i, 1, uint64(10+i))
		long.Body = append(long.Body, bytes.Repeat([]byte{7}, 4*memdisk.SectorBytes)...)
		p.tearNext(long)
		p.boot()
		if i > 0 { // the other group goes on behind the torn batch before this one does
			require.Zero(t, c.request(&wire.Request{
				Group: 1, Client: wire.ClientID{Lo: 1}, Number: wire.RequestNumber(i),
				Operation: wire.OperationRegister,
			}).Status)
		}
		require.Zero(t, c.request(write(0, session, 2+i, 1, uint64(20+i))).Status)
		assert.Equal(t, uint64(20+i), p.value(1))
	}
}

// A state record names what is being stored with it. If a death tears that, the record behind it
// counts, and the op is not missed: nobody heard of it.
func TestASoloReplicaBootsOverWhatAStateRecordNamesAndADeathTore(t *testing.T) {
	t.Parallel()
	c := soloCluster(t, 1)
	c.boot()
	session := c.register(0)
	p := c.processes[0]
	body := make([]byte, 8*memdisk.SectorBytes)
	long := write(0, session, 1, 1, 2)
	long.Body = append(long.Body, body...)
	p.hosts[0].Request(long)
	p.hosts[0].RepeatState()
	p.append()
	p.rotBody(len(body))
	p.kill(false)
	p.boot()
	require.Zero(t, c.request(write(0, session, 1, 1, 3)).Status)
	p.kill(false)
	p.boot()
	c.primary(0)
	assert.Equal(t, uint64(3), p.value(1))
}

// The control: what was flushed and rots is refused, whatever lies behind it.
func TestASoloReplicaDoesNotBootOverRot(t *testing.T) {
	t.Parallel()
	c := soloCluster(t, 1)
	c.boot()
	session := c.register(0)
	body := make([]byte, 8*memdisk.SectorBytes)
	request := write(0, session, 1, 1, 2)
	request.Body = append(request.Body, body...)
	require.Zero(t, c.request(request).Status)
	require.Zero(t, c.request(write(0, session, 2, 1, 3)).Status)
	p := c.processes[0]
	p.rotBody(len(body))
	p.kill(false)
	storage, err := replica.Open(p.disk, replica.Options{
		Cluster: clusterID, Incarnation: wire.Incarnation{Lo: 9}, Kernel: wire.Uint128{Lo: 1},
	})
	require.NoError(t, err)
	_, err = replica.NewHost(replica.Config{GroupConfig: replica.GroupConfig{ReplicaCount: 1}},
		storage, &counter{}, c, p)
	require.ErrorContains(t, err, "unreadable, and a solo replica has no peer")
}

// rotBody flips a bit in the middle of the batch with a body so long, whose index stays legible.
func (p *process) rotBody(long int) {
	batch := p.batchOf(long)
	require.NoError(p.c.t, p.disk.Rot(batch.Path, batch.Offset+batch.Bytes/2, 1))
}

// batchOf is the write of the newest batch with a body so long.
func (p *process) batchOf(long int) (batch memdisk.Operation) {
	for _, op := range p.disk.Operations() {
		if op.Kind == memdisk.OperationWrite && op.Bytes > int64(long) && op.Bytes < 4*int64(long) {
			batch = op
		}
	}
	return batch
}

// The index of a batch says which op rotted, and not what its header was: the log ends below it,
// and what was acknowledged from there on is gone. So it is in doubt, and no vote (R15): else the
// short log would nack what it has forgotten, and one more that never had it would cut it.
func TestALogThatEndsBelowARottenPrepareIsInDoubt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	body := make([]byte, 8*memdisk.SectorBytes)
	request := write(0, session, 1, 1, 2)
	request.Body = append(request.Body, body...)
	require.Zero(t, c.request(request).Status)
	require.Zero(t, c.request(write(0, session, 2, 1, 3)).Status)
	c.ticks(20)
	p := c.processes[2]
	require.EqualValues(t, 3, p.hosts[0].Standing().Head)
	p.rotBody(len(body))
	p.kill(false)
	p.boot()
	assert.EqualValues(t, 1, p.hosts[0].Standing().Head)
	assert.True(t, p.hosts[0].Standing().Untrusted)
	c.ticks(200)
	assert.False(t, p.hosts[0].Standing().Untrusted)
	assert.Equal(t, uint64(3), p.value(1))
}

// A snapshot covers the op that rotted, but the log behind it ends there all the same while the
// state record above the snapshot is missing: what was acknowledged above is in doubt.
func TestALogThatEndsBelowARottenPrepareOfACheckpointIsInDoubt(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.config = func(config *replica.Config) { config.CheckpointOps = 8 }
	c.boot()
	session := c.register(0)
	p := c.processes[2]
	p.still = replica.LaneState
	body := make([]byte, 8*memdisk.SectorBytes)
	for n := 1; n <= 11; n++ {
		request := write(0, session, n, 1, uint64(n))
		if n == 1 {
			request.Body = append(request.Body, body...)
		}
		require.Zero(t, c.request(request).Status)
		c.ticks(20)
	}
	require.EqualValues(t, 12, p.hosts[0].Standing().Head)
	for p.storage.Ready(replica.LaneState) { // snapshot and pairing, of which the host does not hear
		_, err := p.storage.Work(replica.LaneState)
		require.NoError(t, err)
	}
	require.EqualValues(t, 8, p.storage.Groups()[0].Checkpoint.Op)
	p.rotBody(len(body))
	p.kill(false)
	p.still = 0
	p.boot()
	standing := p.hosts[0].Standing()
	assert.True(t, standing.Untrusted || standing.Head == 12, "%+v", standing)
	c.ticks(200)
	assert.False(t, p.hosts[0].Standing().Untrusted)
	assert.Equal(t, uint64(11), p.value(1))
}

// logFiles returns the content of the log's files, by name.
func (p *process) logFiles() map[string][]byte {
	t := p.c.t
	names, err := p.disk.List(datadir.Log)
	require.NoError(t, err)
	files := make(map[string][]byte)
	for _, name := range names {
		f, err := p.disk.Open(path.Join(datadir.Log, name))
		require.NoError(t, err)
		size, err := f.Size()
		require.NoError(t, err)
		files[name] = make([]byte, size)
		_, err = f.ReadAt(files[name], 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	return files
}

// removeLog is what somebody does who needs room.
func (p *process) removeLog() {
	names, err := p.disk.List(datadir.Log)
	require.NoError(p.c.t, err)
	for _, name := range names {
		require.NoError(p.c.t, p.disk.Remove(path.Join(datadir.Log, name)))
	}
}

// A replica whose newest state records are gone, as somebody has put back files of its log that are
// older, knows from its superblock which log view it was in. It keeps that there, takes part in no
// quorum, and comes back with the log of the others.
func TestALostStateRecordDoesNotTakeTheLogViewBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	p := c.processes[2]
	older := p.logFiles()
	c.processes[1].hosts[0].LeaveView()
	c.ticks(1)
	require.Equal(t, wire.View(1), c.primary(0).hosts[0].Standing().LogView)
	require.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
	require.Equal(t, wire.View(1), p.storage.Groups()[0].LogView)
	p.kill(false)
	p.removeLog()
	for name, content := range older {
		f, err := p.disk.Create(path.Join(datadir.Log, name))
		require.NoError(t, err)
		_, err = f.WriteAt(content, 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	p.boot()
	assert.True(t, p.hosts[0].Standing().Untrusted)
	p.hosts[0].LeaveView() // the superblock learns of a view, with the log view of an empty log
	c.ticks(300)
	assert.False(t, p.hosts[0].Standing().Untrusted)
	assert.GreaterOrEqual(t, p.storage.Groups()[0].LogView, wire.View(1))
	assert.Equal(t, uint64(2), p.value(1))
}

// A replica whose log somebody removed has lost what it acknowledged. In view 0 its superblock
// says nothing that an empty log contradicts: it would boot trusted, and disown what others
// committed with its word (R15, R16).
func TestAReplicaWhoseLogWasRemovedDoesNotBoot(t *testing.T) {
	t.Parallel()
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.boot()
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
	p := c.processes[1]
	p.kill(false)
	p.removeLog()
	_, err := replica.Open(p.disk, p.storageOptions())
	require.ErrorIs(t, err, wal.ErrGone)
	require.NotContains(t, err.Error(), "\n")
}
