package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What is rare happens, and nothing comes of it.
func TestSwarmWithWhatIsRare(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for _, replicas := range []int{3, 5} {
		result, err := Swarm(context.Background(), 1, seeds,
			Options{Faults: FaultsSwarm, Rare: true, Replicas: replicas}, nil)
		require.NoError(t, err)
		for _, failed := range result.Failures {
			t.Errorf("%v\n%s", failed.Failure, failed.Reproduce)
		}
		for _, kind := range []string{
			"lost_tail", "lost_body", "slow_execute", "slow_checkpoint", "greedy",
		} {
			assert.Positive(t, result.Coverage.Count("fault", kind), kind)
		}
	}
}

func TestARunWithWhatIsRareIsReproduced(t *testing.T) {
	t.Parallel()
	options := Options{Seed: 3, Faults: FaultsSwarm, Rare: true, Ticks: 600}
	first, err := Run(options)
	require.NoError(t, err)
	again, err := Run(options)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Contains(t, first.Reproduce(), "--rare")
	_, err = Run(Options{Rare: true, Trace: &record.Recorder{}})
	require.EqualError(t, err, "run simulation: rare with a trace: expected one of them, the "+
		"actions of traces know no disk that loses something")
}

func TestALogThatHasLostItsEndIsInDoubtUntilAStateRecord(t *testing.T) {
	t.Parallel()
	s := warmUp(t)
	d := s.check.disk(1)
	head := d.placed()
	s.crash(1)
	require.Equal(t, 2, d.tear(2))
	require.True(t, d.inDoubt())
	torn := d.placed()
	require.Equal(t, head.head()-2, torn.head())
	recovered, _, err := d.recover()
	require.NoError(t, err)
	require.True(t, recovered.Untrusted)
	for _, untrusted := range []bool{true, false} {
		w := d.beginState(&vsr.StateRecord{Untrusted: untrusted})
		d.finish(w)
		require.Equal(t, untrusted, d.inDoubt())
	}
	require.Zero(t, d.tear(2), "a state record stays")
}

func TestEachCheckOfDoubtFails(t *testing.T) {
	t.Parallel()
	fails(t, map[string]spoiled{
		"a log in doubt votes as if it lacked nothing": {FailVote, func(s *simulation) {
			s.check.disk(1).torn = true
			s.check.onEvent(1, &vsr.Event{Action: vsr.ActionSendDoViewChange, View: 1})
			s.check.saysUntrusted(1, &wire.DoViewChange{View: 1})
		}},
		"votes of logs in doubt make up a quorum": {FailVote, func(s *simulation) {
			s.check.replicas[0].doubted = map[wire.View]bool{1: true}
			s.check.merges(1, &vsr.Event{
				View: 1, Quorum: []int{0, 1}, Op: wire.Op(len(s.check.committed)),
			})
		}},
		"a merge drops what is committed": {FailAgreement, func(s *simulation) {
			s.check.merges(1, &vsr.Event{View: 1, Quorum: []int{0, 1}, Op: 3})
		}},
	})
	s := warmUp(t)
	s.check.replicas[0].doubted = map[wire.View]bool{1: true}
	s.check.merges(1, &vsr.Event{
		View: 1, Quorum: []int{0, 1, 2}, Op: wire.Op(len(s.check.committed)),
	})
	require.Nil(t, s.result.Failure, "all have voted")
}
