package verify

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Job is a piece of work that one core does. Its checks are known only afterwards.
type Job struct {
	// Name and Engine stand for its checks where it never began.
	Name, Engine string
	// Reproduce is the command that does it alone.
	Reproduce string
	// Cost is about how many seconds it takes. Of the jobs of TLC the dearest begin
	// first.
	Cost float64
	// Run does the work. It gets a context that may end at any time.
	Run func(ctx context.Context) []Check
}

// Section is jobs that are reported together.
type Section struct {
	Jobs []Job
	// Finish, if not nil, turns the checks of the section's jobs into those that are
	// reported. It is called once all earlier sections are reported, so it may use
	// what their jobs left behind.
	Finish func(ctx context.Context, checks []Check) []Check
}

// Observer watches a [Run]. Its functions may be nil; they are called from one
// goroutine at a time.
type Observer struct {
	// Begun is called when a job begins, with the numbers of jobs done and in all.
	Begun func(name string, done, total int)
	// Reported is called for each check, in the order of the result.
	Reported func(c Check)
}

// Run does all jobs of all sections, at most workers at a time, and returns their
// checks in the order of the sections. Where ctx ends, jobs that have not begun are
// reported as undecided.
func Run(ctx context.Context, sections []Section, workers int, o Observer) []Check {
	r := run{ctx: ctx, observer: o, started: make(chan int), ended: make(chan ended)}
	for i, s := range sections {
		for _, job := range s.Jobs {
			r.jobs = append(r.jobs, job)
			r.sections = append(r.sections, i)
		}
	}
	go r.work(max(workers, 1))
	return r.collect(sections)
}

type run struct {
	ctx      context.Context
	observer Observer
	jobs     []Job
	sections []int // By job.
	started  chan int
	ended    chan ended
}

type ended struct {
	job    int
	checks []Check
}

// work runs the jobs. Every other worker prefers those of TLC, which take longest: the
// dearest of them first, so that no core is idle at the end. The others take the rest in
// the order of the plan, so that there is something to read from the beginning.
func (r *run) work(workers int) {
	q := newQueues(r.jobs)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i, ok := q.next(worker%2 == 1); ok; i, ok = q.next(worker%2 == 1) {
				r.started <- i
				r.ended <- ended{i, r.jobs[i].do(r.ctx)}
			}
		})
	}
	group.Wait()
	close(r.ended)
}

// queues are the jobs that have not begun, by index.
type queues struct {
	mutex     sync.Mutex
	tlc, rest []int
}

func newQueues(jobs []Job) *queues {
	q := &queues{}
	for i := range jobs {
		if jobs[i].Engine == EngineTLC {
			q.tlc = append(q.tlc, i)
		} else {
			q.rest = append(q.rest, i)
		}
	}
	slices.SortStableFunc(q.tlc, func(a, b int) int { return cmp.Compare(jobs[b].Cost, jobs[a].Cost) })
	return q
}

// next takes a job, one of TLC if that is preferred and there is one; false if no job
// is left.
func (q *queues) next(preferTLC bool) (job int, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	from := &q.rest
	if len(q.rest) == 0 || preferTLC && len(q.tlc) > 0 {
		from = &q.tlc
	}
	if len(*from) == 0 {
		return 0, false
	}
	job = (*from)[0]
	*from = (*from)[1:]
	return job, true
}

// collect waits for the jobs and reports each section as soon as all earlier ones
// are reported.
func (r *run) collect(sections []Section) []Check {
	results := make([][]Check, len(r.jobs))
	waiting := make([]int, len(sections))
	for _, section := range r.sections {
		waiting[section]++
	}
	var all []Check
	next, done := 0, 0
	report := func() {
		for ; next < len(sections) && waiting[next] == 0; next++ {
			for _, c := range r.finish(sections[next], next, results) {
				all = append(all, c)
				if r.observer.Reported != nil {
					r.observer.Reported(c)
				}
			}
		}
	}
	report()
	for {
		select {
		case i := <-r.started:
			if r.observer.Begun != nil {
				r.observer.Begun(r.jobs[i].Name, done, len(r.jobs))
			}
		case e, open := <-r.ended:
			if !open {
				return all
			}
			done++
			results[e.job] = e.checks
			waiting[r.sections[e.job]]--
			report()
		}
	}
}

func (r *run) finish(s Section, at int, results [][]Check) []Check {
	var checks []Check
	for job, section := range r.sections {
		if section == at {
			checks = append(checks, results[job]...)
		}
	}
	if s.Finish != nil {
		checks = s.Finish(r.ctx, checks)
	}
	for i := range checks {
		if checks[i].Figures == nil {
			checks[i].Figures = Figures{}
		}
	}
	return checks
}

// do runs the job. A panic in it is one failed check; how long it took is noted in
// its first check, if that has not done so itself.
func (j Job) do(ctx context.Context) (checks []Check) {
	one := j.empty()
	if ctx.Err() != nil {
		one.Status, one.NotBegun = Undecided, true
		one.Reason = OneLine(fmt.Sprintf("not begun: %v", context.Cause(ctx)))
		return []Check{one}
	}
	begin := time.Now()
	defer func() {
		if reason := recover(); reason != nil {
			one.fail("panic: %v", reason)
			one.Detail = Stack()
			checks = []Check{one}
		}
		if len(checks) > 0 && checks[0].Seconds == 0 {
			checks[0].Seconds = time.Since(begin).Seconds()
		}
	}()
	return j.Run(ctx)
}

// empty is a check of the job that has found nothing yet.
func (j Job) empty() Check {
	return Check{Name: j.Name, Engine: j.Engine, Reproduce: j.Reproduce, Figures: Figures{}}
}

// Interrupted is the undecided check of work that the end of ctx kept from its end.
func Interrupted(ctx context.Context, name, engine, reproduce string) Check {
	return Check{
		Name: name, Engine: engine, Status: Undecided, Figures: Figures{}, Reproduce: reproduce,
		Reason: OneLine(fmt.Sprintf("ended before a verdict: %v", context.Cause(ctx))),
	}
}

// Within does work that knows nothing of contexts, and returns false if ctx ends before
// it does. The work then goes on by itself: the caller must not touch what it uses.
// A panic in it is one of the caller.
func Within(ctx context.Context, work func()) bool {
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		work()
	}()
	select {
	case reason := <-ended:
		if reason != nil {
			panic(reason)
		}
		return true
	case <-ctx.Done():
		return false
	}
}

// EnvDebug is the environment variable that, set to anything, adds stacks to what a
// panic prints.
const EnvDebug = "VIEWSTAMP_DEBUG"

// Stack is the stack of the caller if [EnvDebug] is set, else empty. It is for
// programmers: what went wrong is in the reason.
func Stack() string {
	if os.Getenv(EnvDebug) == "" {
		return ""
	}
	return string(debug.Stack())
}
