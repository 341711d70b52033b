package replica_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// counter is a machine that counts what it executes, so that twice is not once.
type counter struct{ executed int }

func (m *counter) Execute(*wire.Prepare) []byte { m.executed++; return nil }

func (m *counter) Checksum() wire.Checksum { return wire.Checksum{Lo: uint64(m.executed)} }

func (m *counter) AppendSnapshot(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(m.executed))
}

func (m *counter) Restore(snapshot []byte) error {
	if len(snapshot) != 8 {
		return errors.New("expected 8 bytes")
	}
	m.executed = int(binary.LittleEndian.Uint64(snapshot))
	return nil
}

// Each invariant of the package comment that names a mutant fails with it, and holds without.
func TestEachDefectOfAHostBreaksItsInvariant(t *testing.T) {
	t.Parallel()
	observations := map[string]func(*testing.T, replica.Defects) bool{
		"report_before_flush": acknowledgedSurvivesPowerLoss,
		"execute_twice":       eachOpIsExecutedOnce,
		"no_sessions":         whatIsSentAgainIsExecutedOnce,
		"sessions_volatile":   aSessionOutlivesACheckpoint,
		"local_reads":         aReadShowsWhatWasAcknowledged,
	}
	require.Len(t, observations, len(replica.DefectNames()))
	for _, name := range replica.DefectNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defect, err := replica.ParseDefect(name)
			require.NoError(t, err)
			assert.True(t, observations[name](t, 0), "without the defect")
			assert.False(t, observations[name](t, defect), "with it")
		})
	}
	_, err := replica.ParseDefect("none_of_these")
	assert.ErrorContains(t, err, "report_before_flush")
}

// acknowledgedSurvivesPowerLoss lets every log append a request's prepare and none flush it, and
// takes the power from all: if the request was acknowledged, it must be there afterwards (R3).
func acknowledgedSurvivesPowerLoss(t *testing.T, defects replica.Defects) bool {
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.defects = defects
	c.boot()
	session := c.register(0)
	primary := c.primary(0)
	c.replies = nil
	primary.hosts[0].Request(write(0, session, 1, 7, 70))
	primary.append()
	sent := c.sent
	c.sent = nil
	for _, s := range sent {
		c.processes[s.to].hosts[s.group].Receive(s.message)
		c.processes[s.to].append()
	}
	for _, s := range c.sent {
		c.processes[s.to].hosts[s.group].Receive(s.message)
	}
	acknowledged := len(c.replies) > 0 && c.replies[0].Status == 0
	for _, p := range c.processes {
		p.kill(true)
	}
	c.sent, c.defects = nil, 0
	c.boot()
	c.primary(0)
	c.ticks(100)
	return !acknowledged || c.processes[0].value(7) == 70
}

// append has the log do one thing, which is to append what waits: the flush would be the next.
func (p *process) append() {
	if !p.storage.Ready(replica.LaneLog) {
		return
	}
	done, err := p.storage.Work(replica.LaneLog)
	require.NoError(p.c.t, err)
	for _, d := range done {
		p.hosts[d.Group].Complete(d)
	}
}

// eachOpIsExecutedOnce counts what the machine of the primary executes for ten requests (R5).
func eachOpIsExecutedOnce(t *testing.T, defects replica.Defects) bool {
	c, machines := countingCluster(t, defects)
	session := c.register(0)
	for i := 1; i <= 10; i++ {
		require.Zero(t, c.request(write(0, session, i, 1, 2)).Status)
	}
	return machines[c.primary(0).id].executed == 10
}

// whatIsSentAgainIsExecutedOnce commits one request twice: the second prepare is of a primary
// that has not heard of the first (R18).
func whatIsSentAgainIsExecutedOnce(t *testing.T, defects replica.Defects) bool {
	c, machines := countingCluster(t, defects)
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 2)).Status)
	again := write(0, session, 1, 1, 2)
	again.Cluster, again.Timestamp = clusterID, c.now
	primary := c.primary(0)
	primary.hosts[0].PrepareAnyway(again)
	c.settle()
	require.Equal(t, wire.Op(3), primary.hosts[0].Standing().CommitMin)
	return machines[primary.id].executed == 1
}

// aSessionOutlivesACheckpoint kills all processes after a checkpoint: the client's last request has
// its reply still (R18).
func aSessionOutlivesACheckpoint(t *testing.T, defects replica.Defects) bool {
	c := checkpointing(t, 1)
	c.defects = defects
	c.boot()
	session := c.register(0)
	c.writes(session, 1, every-1)
	c.ticks(20)
	for _, p := range c.processes {
		require.Equal(t, wire.Op(every), p.hosts[0].Checkpoint().Op)
		p.kill(true)
	}
	c.sent = nil
	c.boot()
	primary := c.primary(0)
	c.ticks(50)
	c.replies = nil
	primary.hosts[0].Request(write(0, session, every-1, (every-1)%7, every-1))
	return len(c.replies) == 1 && c.replies[0].Status == 0 && c.replies[0].Op == every
}

// aReadShowsWhatWasAcknowledged asks a backup that has not heard of the last commit to read at
// level linearizable: it may say that it does not know, or the truth (R19).
func aReadShowsWhatWasAcknowledged(t *testing.T, defects replica.Defects) bool {
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.defects = defects
	c.boot()
	session := c.register(0)
	require.Zero(t, c.request(write(0, session, 1, 1, 7)).Status)
	backup := c.processes[1]
	require.Zero(t, backup.value(1), "the commit number is on its way")
	c.replies = nil
	backup.hosts[0].Ask(&wire.Request{Number: 1, Operation: wire.OperationNonReplicated},
		vsr.ReadLinearizable, func() ([]byte, uint32) {
			return statemachine.RegisterBody(backup.value(1)), 0
		})
	require.Len(t, c.replies, 1)
	value, answered := statemachine.ParseRegisterKey(c.replies[0].Body)
	require.Equal(t, answered, c.replies[0].Status == 0)
	return !answered || value == 7
}

// countingCluster is a cluster whose machines count.
func countingCluster(t *testing.T, defects replica.Defects) (*cluster, []*counter) {
	c := newCluster(t, vsr.PolicyPersisted, 1)
	c.defects = defects
	machines := []*counter{{}, {}, {}}
	c.machine = func(p *process) statemachine.Machine { return machines[p.id] }
	c.boot()
	return c, machines
}
