package vsr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestRecoveringReplicaTakesOnlyTheAnswerToItsOwnProbe(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	s.Input(1, vsr.LeaveView{})
	s.settle()
	s.tick(4) // view 1, primary r1, which keeps its StartView
	s.Crash(2, nil)
	require.NoError(t, s.Restart(2))
	unsolicited := &wire.StartView{Cluster: sim.ClusterID, View: 1, Replica: 1}
	stale := &wire.StartView{
		Cluster: sim.ClusterID, View: 1, Replica: 1, Incarnation: wire.Incarnation{Lo: 99},
	}
	for _, m := range []*wire.StartView{unsolicited, stale} {
		s.Input(2, vsr.Receive{Message: m})
		require.Zero(t, s.Writes(2))
		require.Equal(t, vsr.StatusRecovering, s.State(2).Status)
	}
	require.Equal(t, uint64(2), s.Core(2).Refused(vsr.RefuseUnsolicited))
	s.tick(150)
	require.Equal(t, vsr.StatusNormal, s.State(2).Status)
}

func TestStorageThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	header := func(op wire.Op, parent, checksum uint64) wire.PrepareHeader {
		return wire.PrepareHeader{
			Op: op, Parent: wire.Checksum{Lo: parent}, Checksum: wire.Checksum{Lo: checksum},
		}
	}
	config := vsr.Config{
		ReplicaCount: 3, Timers: vsr.DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}
	for name, tc := range map[string]struct {
		headers []wire.PrepareHeader
		want    string
	}{
		"a gap": {
			[]wire.PrepareHeader{header(2, 0, 7)},
			"recover replica 0: header 0: expected op 1, got 2",
		},
		"a broken chain": {
			[]wire.PrepareHeader{header(1, 0, 7), header(2, 8, 9)},
			"recover replica 0: header of op 2: expected parent " +
				"00000000000000000000000000000007, got 00000000000000000000000000000008",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := vsr.New(config, vsr.Recovered{Headers: tc.headers})
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestConfigurationsThatAreNotValidAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*vsr.Config)
		want   string
	}{
		"no replica": {
			func(c *vsr.Config) { c.ReplicaCount = 0 }, "replica count 0: expected 1 to 7",
		},
		"eight replicas": {
			func(c *vsr.Config) { c.ReplicaCount = 8 }, "replica count 8: expected 1 to 7",
		},
		"a policy that does not exist": {
			func(c *vsr.Config) { c.Policy = 3 }, "policy 3: expected persisted or replicated",
		},
		"a replica out of range": {
			func(c *vsr.Config) { c.Replica = 3 }, "replica 3: expected 0 to 2",
		},
		"no incarnation": {
			func(c *vsr.Config) { c.Incarnation = wire.Incarnation{} },
			"incarnation: expected a nonzero number",
		},
		"a timer that never runs": {
			func(c *vsr.Config) { c.Timers.RepairTicks = 0 }, "expected positive ticks",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := vsr.Config{
				ReplicaCount: 3, Timers: vsr.DefaultTimers(),
				Incarnation: wire.Incarnation{Lo: 1},
			}
			tc.change(&config)
			_, err := vsr.New(config, vsr.Recovered{Formatted: true})
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// The WAL counts where it is ahead of the superblock (R2).
func TestStateRecordAheadOfTheSuperblockGivesTheView(t *testing.T) {
	t.Parallel()
	config := vsr.Config{
		ReplicaCount: 3, Timers: vsr.DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}
	r, err := vsr.New(config, vsr.Recovered{View: 1, LogView: 4})
	require.NoError(t, err)
	require.Equal(t, wire.View(4), r.State().View)
	require.Equal(t, wire.View(4), r.State().LogView)
}

// A clone and its original part ways only if their inputs do.
func TestCloneIsIndependentAndEqual(t *testing.T) {
	t.Parallel()
	s := newStage(t, 0)
	for range 3 {
		s.request(0)
	}
	s.settle()
	original := s.Core(0)
	clone := original.Clone()
	require.Equal(t, original.State(), clone.State())
	before := original.State()
	clone.Step(vsr.LeaveView{})
	clone.Step(vsr.SuperblockStored{Superblock: vsr.Superblock{View: 1}})
	require.Equal(t, wire.View(1), clone.State().View)
	require.Equal(t, before, original.State())

	a, b := original.Clone(), original.Clone()
	for range 200 {
		require.Equal(t, a.Step(vsr.Tick{}), b.Step(vsr.Tick{}))
	}
}
