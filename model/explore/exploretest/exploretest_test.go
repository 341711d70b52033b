package exploretest_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
)

// add is the step by a number.
type add int

func (a add) Name() string   { return "Add" }
func (a add) String() string { return fmt.Sprintf("Add(%d)", int(a)) }

// clock counts to 5 by ones and twos.
var clock = explore.Model[int, add]{
	Name: "clock",
	Init: func() []int { return []int{0} },
	Next: func(s int, yield func(add, int)) {
		for by := 1; by <= 2 && s+by <= 5; by++ {
			yield(add(by), s+by)
		}
	},
	Key: func(dst []byte, s int) []byte { return append(dst, byte(s)) },
	Always: []explore.Property[int]{
		{Name: "Positive", Check: func(int) error { return nil }},
		{Name: "Bounded", Check: func(int) error { return nil }},
	},
}

// recorder takes note of how a test ends that must fail.
type recorder struct {
	testing.TB
	says string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.says = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// fails returns what a test says that must fail; empty if it does not.
func fails(t *testing.T, f func(testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.says
}

func TestAWalkTakesTheStepsOfItsLabels(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 0, exploretest.Walk(t, clock))
	assert.Equal(t, 3, exploretest.Walk(t, clock, "Add(2)", "Add(1)"))
	assert.Equal(t, 5, exploretest.WalkFrom(t, clock, 3, "Add(2)"))
	assert.Equal(t, []string{"Add(1)", "Add(2)"}, exploretest.Enabled(clock, 3))
	assert.Empty(t, exploretest.Enabled(clock, 5))
	assert.Equal(t, "no step Add(2) among [Add(1)]", fails(t, func(r testing.TB) {
		exploretest.WalkFrom(r, clock, 3, "Add(1)", "Add(2)")
	}))
}

func TestEachStateIsVisitedOnce(t *testing.T) {
	t.Parallel()
	var visited []int
	exploretest.Each(clock, func(s int) { visited = append(visited, s) })
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, visited)
}

func TestThereIsNoTestOfAnInvariantThatDoesNotExist(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Bounded", exploretest.Pick(t, clock, "Bounded")[0].Name)
	assert.Len(t, exploretest.Pick(t, clock, "Bounded", "Positive"), 2)
	assert.Equal(t, "clock has 1 invariants of [Bounded Round], expected all",
		fails(t, func(r testing.TB) { exploretest.Pick(r, clock, "Bounded", "Round") }))
}
