package conform

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Report says how far the model explains a trace.
type Report struct {
	Path     string
	Events   int // explained
	Stutters int // of these
	Groups   int // whose events were seen
	// Compared are the fields of the states that the model was held against, of Fields.
	Compared, Fields int
	// States is the largest number of model states that explained a prefix at once: 1 means
	// that the trace left no choice.
	States int
	// Mismatch is the event that nothing explains, or nil: then the trace conforms.
	Mismatch *Mismatch
}

// Passed reports whether the model explains the whole trace.
func (r Report) Passed() bool { return r.Mismatch == nil }

// Checker takes the events of one trace in their order, each group for itself. Its memory does
// not grow with the length of the trace, only with its groups and the states that explain it.
// It is not safe for concurrent use.
type Checker struct {
	config vsr.Config
	path   string
	groups map[string]*checker
	report Report
}

// checker holds the explanations of one group's events so far.
type checker struct {
	config vsr.Config
	key    func(dst []byte, s vsr.State) []byte
	now    []explanation
	// incarnations are the boots of the replicas so far, by the last event of each (R4).
	incarnations map[int]string
}

// New returns a checker for the trace of a header. path stands for it in errors.
//
// Errors: a [traces.FormatError] if the trace cannot be checked at all, such as one of another
// number of replicas than the model has.
func New(header traces.Header, path string) (*Checker, error) {
	bad := func(got, want string) error {
		return &traces.FormatError{Path: path, Line: 1, Got: got, Want: want}
	}
	if header.Replicas != vsr.N {
		return nil, bad(fmt.Sprintf("%d replicas", header.Replicas),
			fmt.Sprintf("%d: the model has no other number", vsr.N))
	}
	quorum := traces.Quorum{
		Replication: vsr.Quorum, ViewChange: vsr.Quorum, Nack: vsr.Quorum,
	}
	if header.Quorum != (traces.Quorum{}) && header.Quorum != quorum {
		return nil, bad(fmt.Sprintf("quorums %+v", header.Quorum),
			fmt.Sprintf("%+v: the model has no others", quorum))
	}
	if len(header.Open) > 0 {
		return nil, bad(fmt.Sprintf("a trace that never says %v", header.Open),
			"all fields of the state: see traces/conform/partial")
	}
	drivers := vsr.Walk
	if header.CommitDrivers != "" {
		parsed, err := vsr.ParseDrivers(header.CommitDrivers)
		if err != nil {
			return nil, bad(err.Error(), "a shape of commit drivers that the model knows")
		}
		drivers = parsed
	}
	return &Checker{
		config: vsr.Config{
			MaxRequest: vsr.Unbounded, MaxView: vsr.Unbounded, MaxCrash: vsr.Unbounded,
			Drivers: drivers,
		},
		path: path, groups: map[string]*checker{}, report: Report{Path: path, States: 1},
	}, nil
}

// Add judges the next event and returns nil if something explains it. After a mismatch every
// call returns it again.
func (c *Checker) Add(e traces.Event) *Mismatch {
	if c.report.Mismatch != nil {
		return c.report.Mismatch
	}
	g := c.group(e.Group)
	next := g.explain(e)
	if boot := g.boot(e); len(next) == 0 || boot != "" {
		c.report.Mismatch = g.mismatch(e, boot)
		c.report.Mismatch.Path = c.path
		return c.report.Mismatch
	}
	g.now = next
	c.report.Events++
	c.report.States = max(c.report.States, len(next))
	c.report.Fields += traces.FieldsOfState
	c.report.Compared += compared(e)
	if e.Stutter {
		c.report.Stutters++
	}
	return nil
}

// compared is the number of fields of an event's state that the model was held against.
func compared(e traces.Event) int {
	n := traces.FieldsOfState - 2 // The model has neither incarnations nor doubt.
	if e.After.HeadChecksum == "" && e.After.OpHead > 0 {
		n--
	}
	if e.After.Stop == "" {
		n--
	}
	return n
}

// Report says how far the model explains the events so far.
func (c *Checker) Report() Report {
	report := c.report
	report.Groups = len(c.groups)
	return report
}

// group returns the checker of a group, which begins in the model's initial state.
func (c *Checker) group(id string) *checker {
	g := c.groups[id]
	if g == nil {
		start := explanation{state: vsr.Init(c.config), bound: newBinding()}
		g = &checker{
			config: c.config, key: vsr.Model(c.config).Key, now: []explanation{start},
			incarnations: map[int]string{},
		}
		c.groups[id] = g
	}
	return g
}

// Trace checks a whole trace in memory. The error is a trace that cannot be checked at all: see
// [New], or no event.
func Trace(t *traces.Trace) (Report, error) {
	c, err := New(t.Header, t.Path)
	if err != nil {
		return Report{Path: t.Path}, err
	}
	if len(t.Events) == 0 {
		return c.Report(), &traces.FormatError{
			Path: t.Path, Line: 1, Got: "no event", Want: "at least one: there is nothing to check",
		}
	}
	for _, e := range t.Events {
		if c.Add(e) != nil {
			break
		}
	}
	return c.Report(), nil
}

// boot says what is wrong with an event's incarnation, or nothing: it stays the same for as
// long as a replica runs and is another one after each Restart (R4). The model has none.
func (c *checker) boot(e traces.Event) string {
	now, last := e.After.Incarnation, c.incarnations[e.Replica]
	restarted := e.Action == traces.ActionRestart
	c.incarnations[e.Replica] = now
	switch {
	case now == "" || last == "":
		return ""
	case restarted && now == last:
		return fmt.Sprintf("a restart has a new incarnation, but it is %s as before", now)
	case !restarted && now != last:
		return fmt.Sprintf("incarnation want %s, got %s without a restart", last, now)
	}
	return ""
}
