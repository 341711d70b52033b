package vsr

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Upstream's table of timers, in ticks of 10 ms. Its two timers of a view change have one
// period, as here, and the probe attempts are its view_probe_attempts_max.
func TestDefaultTimersAreUpstreams(t *testing.T) {
	t.Parallel()
	require.Equal(t, Timers{
		PrepareTicks:          25,  // prepare_retransmit_interval, 250 ms
		CommitTicks:           50,  // commit_broadcast_interval, 500 ms
		HeartbeatTicks:        500, // heartbeat_timeout, 5 s
		ViewChangeTicks:       50,  // view_change_retransmit_interval
		ViewChangeStatusTicks: 500, // view_change_status_timeout, 5 s
		ProbeTicks:            100, // request_start_view_retransmit_interval, 1 s
		ProbeAttempts:         5,
		RepairTicks:           100, // repair_retry_interval
	}, DefaultTimers())
	require.Equal(t, Limits{
		Pipeline: 32, Queue: 64, QueueBytes: wire.MaxBodyBytes, BatchRequests: 1,
		BatchBytes: 1 << 20, RequestBytes: wire.MaxBodyBytes, Reads: 1024, RepairOps: 32,
		RepairBytes: 16 << 20,
	}, Limits{}.withDefaults())
	require.Equal(t, 127, PipelineCeiling)
	require.Equal(t, 16, backoffMax)
}

// Every period can be set, and none to nothing.
func TestEachTimerIsConfigurable(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[Timers]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(ticks int64) (*Replica, error) {
				timers := DefaultTimers()
				reflect.ValueOf(&timers).Elem().Field(i).SetInt(ticks)
				return New(Config{
					ReplicaCount: 3, Timers: timers, Incarnation: wire.Incarnation{Lo: 1},
				}, Recovered{Formatted: true})
			}
			r, err := set(777)
			require.NoError(t, err)
			if name != "ProbeAttempts" { // no period
				bases := map[int]bool{}
				for _, timer := range r.timers.all() {
					bases[timer.base] = true
				}
				require.True(t, bases[777], "some timer has it")
			}
			_, err = set(-1)
			require.Error(t, err)
		})
	}
}

// A base of 100 ticks: 200, 400, 800, 1600 and no further, plus up to half of it.
func TestATimerBacksOffExponentiallyWithJitter(t *testing.T) {
	t.Parallel()
	r := &Replica{rng: newJitter(Config{Seed: 3})}
	timer := timer{base: 100}
	timer.restart(r)
	require.GreaterOrEqual(t, timer.left, 100)
	require.LessOrEqual(t, timer.left, 150)
	for attempt, interval := range []int{200, 400, 800, 1600, 1600, 1600} {
		timer.backoff(r)
		require.Equal(t, attempt+1, timer.attempts)
		require.GreaterOrEqual(t, timer.left, interval)
		require.LessOrEqual(t, timer.left, interval+interval/2)
	}

	timer.soon()
	require.Greater(t, timer.left, 1, "what has failed so often is not hurried")
	timer.progress()
	require.Zero(t, timer.attempts)
	require.Equal(t, 100, timer.left, "what is owed now is owed anew")
	timer.soon()
	require.Equal(t, 1, timer.left)
	require.True(t, timer.fired())

	timer.stop()
	require.False(t, timer.fired())
	timer.startIfStopped(r)
	require.True(t, timer.running)
}

// The seed decides the jitter, and replicas of one seed part ways all the same.
func TestJitterIsSeeded(t *testing.T) {
	t.Parallel()
	draw := func(c Config) [8]int {
		r, timer := &Replica{rng: newJitter(c)}, timer{base: 1000}
		var out [8]int
		for i := range out {
			timer.backoff(r)
			out[i] = timer.left
		}
		return out
	}
	first := draw(Config{Seed: 1})
	require.Equal(t, first, draw(Config{Seed: 1}))
	require.NotEqual(t, first, draw(Config{Seed: 2}))
	require.NotEqual(t, first, draw(Config{Seed: 1, Replica: 1}))
	require.NotEqual(t, first, draw(Config{Seed: 1, Group: 1}))
}

// A recovering replica gives up its probe after as many attempts as it is told.
func TestProbeAttemptsAreConfigurable(t *testing.T) {
	t.Parallel()
	for _, attempts := range []int{1, 3, 0} {
		timers := DefaultTimers()
		timers.ProbeAttempts = attempts
		r, err := New(Config{
			ReplicaCount: 3, Timers: timers, Incarnation: wire.Incarnation{Lo: 1},
		}, Recovered{})
		require.NoError(t, err)
		probes := 0
		for ticks := 0; r.transition == nil; ticks++ {
			require.Less(t, ticks, 50_000)
			if len(r.Step(Tick{}).Messages) > 0 {
				probes++
			}
		}
		if attempts == 0 {
			attempts = ProbeAttemptsMax
		}
		require.Equal(t, attempts, probes)
	}
}
