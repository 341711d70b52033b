package conform_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// judge checks a trace with so many ops put aside at a time, and returns the most that were.
func judge(t *testing.T, trace *traces.Trace, every int) (conform.Report, int) {
	t.Helper()
	checker, err := conform.New(trace.Header, trace.Path)
	require.NoError(t, err)
	checker.SettleEvery(every)
	most := 0
	for _, e := range trace.Events {
		if checker.Add(e) != nil {
			break
		}
		most = max(most, checker.SettledOps(e.Group))
	}
	return checker.Report(), most
}

// The verdict, its place and its words are those of a checker that keeps everything, for
// traces that conform and for those that do not.
func TestOpsThatArePutAsideChangeNoVerdict(t *testing.T) {
	t.Parallel()
	for _, faults := range []sim.Faults{
		sim.FaultsNone, sim.FaultsLight, sim.FaultsHeavy, sim.FaultsSwarm,
	} {
		t.Run(string(faults), func(t *testing.T) {
			t.Parallel()
			aside, rejected := 0, 0
			for seed := range uint64(2) {
				trace := recording(t, sim.Options{Seed: 100 + seed, Ticks: 1500, Faults: faults})
				for i, changed := range append([]*traces.Trace{trace}, spoiled(trace)...) {
					want, none := judge(t, changed, 0)
					require.Zero(t, none)
					for _, every := range []int{1, 7} {
						got, most := judge(t, changed, every)
						require.Equal(t, want, got, "seed %d, change %d, every %d", seed, i, every)
						aside += most
					}
					if !want.Passed() {
						rejected++
					}
				}
			}
			assert.Greater(t, aside, 100)
			assert.Greater(t, rejected, 10)
		})
	}
}

// spoiled are copies of a trace, each with one event changed, lost or moved.
func spoiled(trace *traces.Trace) []*traces.Trace {
	var all []*traces.Trace
	for i := len(trace.Events) / 3; i < len(trace.Events)-1; i += 1 + len(trace.Events)/6 {
		for _, spoil := range []func(events []traces.Event) []traces.Event{
			func(events []traces.Event) []traces.Event { return append(events[:i], events[i+1:]...) },
			func(events []traces.Event) []traces.Event {
				events[i], events[i+1] = events[i+1], events[i]
				return events
			},
			func(events []traces.Event) []traces.Event { events[i].After.OpHead++; return events },
			func(events []traces.Event) []traces.Event { events[i].After.CommitMin = 1; return events },
			func(events []traces.Event) []traces.Event { events[i].After.CommitMax = 0; return events },
			func(events []traces.Event) []traces.Event {
				events[i].After.HeadChecksum = trace.Events[len(events)/5].After.HeadChecksum
				return events
			},
			func(events []traces.Event) []traces.Event { events[i].After.Incarnation = "x"; return events },
			func(events []traces.Event) []traces.Event { events[i].Args.Op = 1; return events },
		} {
			changed := *trace
			changed.Events = spoil(append([]traces.Event(nil), trace.Events...))
			renumber(&changed)
			all = append(all, &changed)
		}
	}
	return all
}

// A checksum of an op that was put aside cannot come back as that of another op.
func TestAnOldChecksumIsTaken(t *testing.T) {
	t.Parallel()
	trace := recording(t, sim.Options{Seed: 7, Ticks: 400, Faults: sim.FaultsNone})
	old := ""
	for i, e := range trace.Events {
		if e.Action == traces.ActionClientRequest && old == "" {
			old = e.After.HeadChecksum
		}
		if e.Action == traces.ActionClientRequest && e.After.OpHead > 20 {
			trace.Events[i].After.HeadChecksum, trace.Events[i].Args.Checksum = old, old
			break
		}
	}
	report, most := judge(t, trace, 4)
	require.Greater(t, most, 4)
	require.False(t, report.Passed())
	assert.Contains(t, report.Mismatch.String(), "checksum="+old)
	assert.Contains(t, report.Mismatch.String(), "with other parameters than the event's")
}
