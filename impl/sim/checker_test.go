package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// warmUp returns a sound simulation that has committed and executed some ops.
func warmUp(t *testing.T) *simulation {
	t.Helper()
	options, err := Options{Seed: 5, Clients: 4}.withDefaults()
	require.NoError(t, err)
	s, err := newSimulation(options)
	require.NoError(t, err)
	for len(s.check.committed) < 20 || s.check.replicas[2].executed < 10 {
		s.tick()
	}
	require.Nil(t, s.result.Failure)
	return s
}

// committedID returns the identity of a committed op.
func committedID(s *simulation, op wire.Op) wire.PrepareID {
	return wire.PrepareID{Op: op, Checksum: s.check.committed[op-1]}
}

// envelope is a message as a replica sends it.
func envelope(from int, m wire.Message) Packet {
	return Packet{From: from, To: (from + 1) % 3, Frame: wire.Encode(m), Message: m}
}

// Every check must be able to fail. Each case spoils one thing of a sound run: the state of
// the cluster, or what a replica does next.
func TestEachCheckFails(t *testing.T) {
	t.Parallel()
	other := wire.ChecksumOf([]byte("another"))
	prepare := func(s *simulation, op wire.Op) *wire.Prepare {
		return s.check.disk(0).read(committedID(s, op)).Clone()
	}
	for name, tc := range map[string]struct {
		want  string
		spoil func(*simulation)
	}{
		"another prepare is committed at a committed op": {FailAgreement, func(s *simulation) {
			s.check.commit(0, wire.PrepareID{Op: 3, Checksum: other})
		}},
		"an op is committed above a gap": {FailAgreement, func(s *simulation) {
			s.check.commit(0, wire.PrepareID{
				Op: wire.Op(len(s.check.committed)) + 2, Checksum: other,
			})
		}},
		"more is said to be committed than is": {FailAgreement, func(s *simulation) {
			s.check.sent(envelope(0, &wire.Commit{Cluster: ClusterID, Commit: 1000}))
		}},
		"more is known to be committed than is": {FailAgreement, func(s *simulation) {
			s.check.checkClaims(1, &vsr.State{CommitMax: 1000})
		}},
		"a committed op is on one disk only": {FailDurability, func(s *simulation) {
			s.check.commit(0, wire.PrepareID{
				Op: wire.Op(len(s.check.committed)) + 1, Checksum: other,
			})
		}},
		"two disks lose a committed op": {FailDurability, func(s *simulation) {
			delete(s.check.disk(0).bodies, committedID(s, 4))
			delete(s.check.disk(2).bodies, committedID(s, 4))
			s.check.moved = true
			s.check.endTick()
		}},
		"a machine is put back": {FailExecution, func(s *simulation) {
			s.cluster.members[1].applied = committedID(s, 2)
			s.check.jumped(1)
		}},
		"a machine is put to where nobody has been": {FailState, func(s *simulation) {
			s.cluster.members[1].applied = wire.PrepareID{Op: 1000}
			s.check.jumped(1)
		}},
		"a machine is put to another state": {FailState, func(s *simulation) {
			s.cluster.members[1].applied = committedID(s, wire.Op(len(s.check.states)))
			s.cluster.members[1].machine = statemachine.NewRegister()
			s.check.replicas[1].executed = 0
			s.check.jumped(1)
		}},
		"two disks lose an op, and only one has a checkpoint": {
			FailDurability,
			func(s *simulation) {
				for _, replica := range []int{0, 2} {
					delete(s.check.disk(replica).bodies, committedID(s, 4))
				}
				s.check.disk(1).addSnapshot(&snapshot{id: committedID(s, 5)})
				s.check.moved = true
				s.check.endTick()
			},
		},
		"an op is executed a second time": {FailExecution, func(s *simulation) {
			s.cluster.members[1].executes = []wire.PrepareID{committedID(s, 2)}
			s.check.executing(1)
		}},
		"an op is executed that is not committed": {FailExecution, func(s *simulation) {
			s.check.replicas[1].executed = wire.Op(len(s.check.committed))
			s.cluster.members[1].executes = []wire.PrepareID{
				{Op: s.check.replicas[1].executed + 1, Checksum: other},
			}
			s.check.executing(1)
		}},
		"another prepare is executed": {FailAgreement, func(s *simulation) {
			s.cluster.members[1].executes = []wire.PrepareID{
				{Op: s.check.replicas[1].executed + 1, Checksum: other},
			}
			s.check.committed = append(s.check.committed, wire.Checksum{})
			s.check.executing(1)
		}},
		"two machines part": {FailState, func(s *simulation) {
			s.check.replicas[1].executed = 3
			s.check.executed(1)
		}},
		"a view is started twice": {FailPrimary, func(s *simulation) {
			e := &vsr.Event{Action: vsr.ActionBecomePrimary, View: 1}
			s.check.becamePrimary(1, e)
			s.check.becamePrimary(1, e)
		}},
		"a view is started without its bodies": {FailHollow, func(s *simulation) {
			s.check.becamePrimary(1, &vsr.Event{View: 1, After: vsr.State{Hollow: []wire.Op{3}}})
		}},
		"a view starts with two logs": {FailPrimary, func(s *simulation) {
			s.check.disk(1).superblock.View = 1
			for _, base := range []wire.PrepareID{committedID(s, 2), {Op: 2, Checksum: other}} {
				s.check.sent(envelope(1, &wire.StartView{
					Cluster: ClusterID, View: 1, Replica: 1, Commit: 2, Base: base,
				}))
			}
		}},
		"the log of a view shrinks": {FailPrimary, func(s *simulation) {
			s.check.disk(1).superblock.View = 1
			for _, op := range []wire.Op{3, 2} {
				s.check.sent(envelope(1, &wire.StartView{
					Cluster: ClusterID, View: 1, Replica: 1, Commit: op, Base: committedID(s, op),
				}))
			}
		}},
		"a view has two prepares at one op": {FailPrimary, func(s *simulation) {
			p := prepare(s, 5)
			p.Header.Request++
			p.Seal()
			s.check.sent(envelope(0, p))
		}},
		"a prepare contradicts the log of its view": {FailPrimary, func(s *simulation) {
			s.check.onEvent(1, &vsr.Event{Action: vsr.EventAdmit, Class: vsr.RefuseConflict})
		}},
		"a prepare is sent before it is stored": {FailDurableFirst, func(s *simulation) {
			p := prepare(s, 5)
			p.Header.Op = 1000
			p.Seal()
			s.check.sent(envelope(0, p))
		}},
		"a repair hands on what is not stored": {FailDurableFirst, func(s *simulation) {
			p := prepare(s, 5)
			p.Header.Op = 1000
			p.Seal()
			s.check.sent(envelope(1, &wire.RepairPrepare{
				Cluster: ClusterID, Replica: 1, Prepare: *p,
			}))
		}},
		"a view is spoken for before it is stored": {FailDurableFirst, func(s *simulation) {
			s.check.sent(envelope(1, &wire.StartViewChange{
				Cluster: ClusterID, View: 1, Replica: 1,
			}))
		}},
		"a promise is made before its prepare is stored": {FailDurableFirst, func(s *simulation) {
			s.check.sent(envelope(1, &wire.PrepareOK{
				Cluster: ClusterID, Replica: 1, Op: 1000, PrepareChecksum: other,
			}))
		}},
		"a promise is made in a view that was left": {FailPromise, func(s *simulation) {
			id := committedID(s, 5)
			s.check.disk(1).superblock.View = 1
			s.check.sent(envelope(1, &wire.StartViewChange{
				Cluster: ClusterID, View: 1, Replica: 1,
			}))
			s.check.sent(envelope(1, &wire.PrepareOK{
				Cluster: ClusterID, Replica: 1, Op: id.Op, PrepareChecksum: id.Checksum,
			}))
		}},
		"a vote is sent for a view that was left": {FailPromise, func(s *simulation) {
			s.check.disk(1).superblock.View = 2
			s.check.replicas[1].spoken = 2
			s.check.sent(envelope(1, &wire.DoViewChange{Cluster: ClusterID, View: 1, Replica: 1}))
		}},
		"a vote lacks what was promised": {FailPromise, func(s *simulation) {
			s.check.disk(1).superblock.View = 1
			s.check.sent(envelope(1, &wire.DoViewChange{Cluster: ClusterID, View: 1, Replica: 1}))
		}},
		"a disk loses what was promised": {FailPromise, func(s *simulation) {
			d := s.check.disk(1)
			d.records, d.settled = d.records[:3], placement{}
			s.check.moved = true
			s.check.endTick()
		}},
		"a replica votes twice, differently": {FailVote, func(s *simulation) {
			s.check.disk(1).superblock.View = 1
			s.check.replicas[1].promises = promises{}
			s.check.replicas[1].promises.view = 9
			s.check.sent(envelope(1, &wire.DoViewChange{Cluster: ClusterID, View: 1, Replica: 1}))
			s.check.sent(envelope(1, &wire.DoViewChange{
				Cluster: ClusterID, View: 1, Replica: 1, Commit: 1,
			}))
		}},
		"a replica decides to vote twice": {FailVote, func(s *simulation) {
			e := &vsr.Event{Action: vsr.ActionSendDoViewChange, View: 1}
			s.check.onEvent(1, e)
			s.check.onEvent(1, e)
		}},
		"a view goes back": {FailMonotone, func(s *simulation) {
			s.check.checkClaims(1, &vsr.State{View: 2})
			s.check.checkClaims(1, &vsr.State{View: 1})
		}},
		"a superblock goes back": {FailMonotone, func(s *simulation) {
			s.check.replicas[1].superblock.View = 3
			s.check.written(1)
		}},
		"a boot forgets the view of its disk": {FailMonotone, func(s *simulation) {
			s.check.disk(1).superblock.View = 3
			s.check.booted(1)
		}},
		"a boot forgets the log of its disk": {FailDurability, func(s *simulation) {
			d := s.check.disk(1)
			d.records, d.settled = d.records[:3], placement{}
			s.check.booted(1)
		}},
		"a recovering replica takes an unsolicited StartView": {
			FailIncarnation, func(s *simulation) {
				s.check.crashed(1)
				s.check.onEvent(1, &vsr.Event{Action: vsr.ActionReceiveStartView, View: 1})
			},
		},
		"a client is told of an op that is not committed": {FailReply, func(s *simulation) {
			s.check.replied(0, &wire.Reply{Op: 1000})
		}},
		"a client is told of another's op": {FailReply, func(s *simulation) {
			s.check.replied(0, &wire.Reply{Op: 3, Client: wire.ClientID{Lo: 999}, Number: 1})
		}},
		"a damaged frame is taken": {FailCorruption, func(s *simulation) {
			p := envelope(0, &wire.Commit{Cluster: ClusterID})
			p.damaged = true
			s.decode(&p)
		}},
		"a sound frame is refused": {FailInternal, func(s *simulation) {
			s.decode(&Packet{Frame: []byte("short")})
		}},
		"a superblock is ahead of the log": {FailBoot, func(s *simulation) {
			s.check.disk(1).superblock.LogView = 9
			s.crash(1)
			s.restart(1)
		}},
		"a core contradicts itself": {FailContradiction, func(s *simulation) {
			s.input(1, vsr.StateStored{LogView: 77})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := warmUp(t)
			tc.spoil(s)
			require.NotNil(t, s.result.Failure, "nothing was found")
			assert.Equal(t, tc.want, s.result.Failure.Kind, s.result.Failure.String())
			assert.NotEmpty(t, s.result.Failure.Text)
		})
	}
}

// lyingMachine answers reads with what the register held before, as a primary would that
// serves reads without knowing whether it still is one. Its state is sound.
type lyingMachine struct {
	statemachine.Machine
	calls int
}

func (m *lyingMachine) Execute(p *wire.Prepare) []byte {
	body := m.Machine.Execute(p)
	if p.Header.Operation != statemachine.RegisterRead {
		return body
	}
	if m.calls++; m.calls%5 == 0 {
		return append([]byte{statemachine.ResultOK}, make([]byte, 8)...)
	}
	return body
}

func TestStaleReadsViolateTheHistory(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	for _, m := range s.cluster.members {
		m.machine = &lyingMachine{Machine: m.machine}
	}
	s.tolerated = []string{FailRead}
	require.NoError(t, s.run())
	require.NotNil(t, s.result.Failure)
	assert.Equal(t, FailHistory, s.result.Failure.Kind, s.result.Failure.String())
}

// A single wrong answer, planted in the history of a sound run.
func TestAPlantedViolationIsFound(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	require.NoError(t, s.run())
	require.True(t, s.result.Passed, s.result.String())
	violation, undecided, err := s.history.judge()
	require.NoError(t, err)
	require.Empty(t, violation+undecided)
	for i := range s.history.operations {
		o := &s.history.operations[len(s.history.operations)-1-i]
		if o.Kind == lin.Read && o.Output.Value.Present {
			o.Output.Value = lin.Text("1000000")
			break
		}
	}
	violation, undecided, err = s.history.judge()
	require.NoError(t, err)
	assert.Empty(t, undecided)
	assert.Contains(t, violation, "1000000")
}

// A machine that differs on one replica is seen when the op is executed there.
func TestAStateThatDiffersIsFound(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	p := s.check.disk(0).read(committedID(s, 1)).Clone()
	p.Header.Operation = statemachine.RegisterWrite
	p.Body = statemachine.RegisterBody(99, 99)
	s.cluster.Machine(1).Execute(p)
	require.NoError(t, s.run())
	require.NotNil(t, s.result.Failure)
	assert.Equal(t, FailState, s.result.Failure.Kind, s.result.Failure.String())
}

func TestARunThatShowsNothingFails(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*simulation){
		"nothing was committed": func(s *simulation) { s.result.Committed = 0 },
		"faults are heavy and none was injected": func(s *simulation) {
			s.options.Faults = FaultsHeavy
		},
		"no op was executed by two replicas": func(s *simulation) { s.result.Comparisons = 0 },
	} {
		s := warmUp(t)
		s.result.Committed = len(s.check.committed)
		s.checkVacuity()
		require.Nil(t, s.result.Failure)
		spoil(s)
		s.checkVacuity()
		require.NotNil(t, s.result.Failure, want)
		assert.Equal(t, FailVacuous, s.result.Failure.Kind)
		assert.Equal(t, want, s.result.Failure.Text)
	}
}

// A cluster whose healed links still lose everything must be found stalled, with its states.
func TestAClusterThatDoesNotRecoverIsStalled(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	s.heal()
	s.patienceTicks = 500
	for i := range s.network.blocked {
		s.network.blocked[i] = true
	}
	for s.result.Failure == nil && !s.settled() {
		s.tick()
	}
	require.NotNil(t, s.result.Failure)
	assert.Equal(t, FailStalled, s.result.Failure.Kind)
	assert.Contains(t, s.result.Failure.Text, "r0 ")
	assert.Contains(t, s.result.Failure.Text, "stop=")
}
