package verify

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// passing is a job with one passed check of its name.
func passing(name string, cost float64) Job {
	return Job{Name: name, Engine: EngineGo, Cost: cost, Run: func(context.Context) []Check {
		return []Check{{Name: name, Status: Passed}}
	}}
}

func names(checks []Check) []string {
	var all []string
	for _, c := range checks {
		all = append(all, c.Name)
	}
	return all
}

func TestChecksComeOutInTheOrderOfThePlan(t *testing.T) {
	t.Parallel()
	for workers := 1; workers <= 4; workers++ {
		var sections []Section
		var want []string
		for s := range 4 {
			var section Section
			for j := range 5 {
				name := fmt.Sprintf("%d/%d", s, j)
				want = append(want, name)
				section.Jobs = append(section.Jobs, passing(name, float64((7*s+3*j)%10)))
			}
			sections = append(sections, section)
		}
		var reported []string
		checks := Run(t.Context(), sections, workers, Observer{
			Reported: func(c Check) { reported = append(reported, c.Name) },
		})
		require.Equal(t, want, names(checks))
		require.Equal(t, want, reported)
	}
}

func TestInWhichOrderJobsBegin(t *testing.T) {
	t.Parallel()
	byTLC := func(name string, cost float64) Job {
		job := passing(name, cost)
		job.Engine = EngineTLC
		return job
	}
	q := newQueues([]Job{byTLC("0", 1), passing("1", 1), byTLC("2", 9), passing("3", 9)})
	var order []int
	for _, preferTLC := range []bool{true, false, false, false} {
		job, ok := q.next(preferTLC)
		require.True(t, ok)
		order = append(order, job)
	}
	require.Equal(t, []int{2, 1, 3, 0}, order, "the dearest of TLC, the rest in order, what is left")
	_, ok := q.next(true)
	require.False(t, ok)
}

func TestFinishSeesWhatEarlierSectionsLeftBehind(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	counting := passing("count", 0)
	counting.Run = func(context.Context) []Check {
		count.Add(1)
		return []Check{{Name: "count", Status: Passed}}
	}
	checks := Run(t.Context(), []Section{
		{Jobs: []Job{counting, counting, counting}},
		{Finish: func(context.Context, []Check) []Check {
			return []Check{{Name: fmt.Sprintf("sum %d", count.Load()), Status: Passed}}
		}},
	}, 2, Observer{})
	require.Equal(t, []string{"count", "count", "count", "sum 3"}, names(checks))
}

func TestAPanicIsOneFailedCheck(t *testing.T) {
	t.Parallel()
	bad := Job{
		Name: "bad", Engine: EngineSim, Reproduce: "viewstamp verify",
		Run: func(context.Context) []Check { panic("op 3\nis gone") },
	}
	checks := Run(t.Context(), []Section{{Jobs: []Job{bad, passing("good", 0)}}}, 2, Observer{})
	require.Len(t, checks, 2)
	require.Equal(t, Failed, checks[0].Status)
	require.Equal(t, "panic: op 3 is gone", checks[0].Reason)
	require.Equal(t, "viewstamp verify", checks[0].Reproduce)
	require.Equal(t, Passed, checks[1].Status)
}

func TestWhatDidNotBeginIsUndecided(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	first := passing("first", 2)
	first.Run = func(context.Context) []Check {
		cancel(errors.New("enough"))
		return []Check{{Name: "first", Status: Passed}}
	}
	checks := Run(ctx, []Section{{Jobs: []Job{first, passing("second", 1)}}}, 1, Observer{})
	require.Equal(t, []string{"first", "second"}, names(checks))
	require.Equal(t, Undecided, checks[1].Status)
	require.Equal(t, "not begun: enough", checks[1].Reason)
	require.Equal(t, Undecided, Judge(checks))
}

func TestAnInterruptionHidesNoFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	failed, vacuous := Check{}, Check{}
	failed.fail("seed 3 failed")
	vacuous.failVacuous("traces")
	require.Equal(t, Failed, interrupted(ctx, failed, ctx.Err()).Status)
	require.Equal(t, Undecided, interrupted(ctx, vacuous, ctx.Err()).Status)
	require.Equal(t, Undecided, interrupted(ctx, Check{Status: Passed}, ctx.Err()).Status)
	require.Equal(t, Failed, interrupted(t.Context(), Check{}, errors.New("disk full")).Status)
}

func TestWorkWithoutAContextCanBeLeftBehind(t *testing.T) {
	t.Parallel()
	require.True(t, Within(t.Context(), func() {}))
	require.PanicsWithValue(t, "op 3 is gone", func() {
		Within(t.Context(), func() { panic("op 3 is gone") })
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	forever := make(chan struct{})
	defer close(forever)
	require.False(t, Within(ctx, func() { <-forever }))
	c := Interrupted(ctx, "a", EngineSim, "viewstamp verify")
	require.Equal(t, Undecided, c.Status)
	require.Equal(t, "ended before a verdict: context canceled", c.Reason)
}
