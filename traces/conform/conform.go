package conform

import (
	"fmt"
	"strings"

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
	// Checkpoints and Installs count the checkpoints that were taken and put in place of a log's
	// beginning: of these only op, checksum, agreement and commit are compared.
	Checkpoints, Installs int
	// States is the largest number of model states that explained a prefix at once: 1 means
	// that the trace left no choice.
	States int
	// Mismatch is the event that nothing explains, or nil: then the trace conforms.
	Mismatch *Mismatch
}

// Passed reports whether the model explains the whole trace.
func (r Report) Passed() bool { return r.Mismatch == nil }

// Checker takes the events of one trace in their order, each group for itself. What an event
// costs does not grow with the length of the trace, only with the ops that some replica of the
// group has not executed. Of older ops it keeps the checksums, some 50 bytes an op,
// until all replicas have a checkpoint of them.
// It is not safe for concurrent use.
type Checker struct {
	config vsr.Config
	path   string
	// compact is the header's Checkpoints.
	compact bool
	// every is how many ops must have settled before they are put aside; 0: none ever are.
	every  vsr.Op
	groups map[string]*checker
	report Report
}

// checker holds the explanations of one group's events so far.
type checker struct {
	config vsr.Config
	// compact says that replicas take checkpoints: see checkpoint.go and hole.go.
	compact bool
	key     func(dst []byte, s vsr.State) []byte
	now     []explanation
	// incarnations are the boots of the replicas so far, by the last event of each (R4).
	incarnations map[int]string
	seen         checkpoints
	// past are the ops that now has no longer: see there, also for every.
	past  history
	every vsr.Op
}

// New returns a checker for the trace of a header. path stands for it in errors.
//
// Errors: a [traces.FormatError] if the trace cannot be checked at all, such as one of another
// number of replicas than the model has.
func New(header traces.Header, path string) (*Checker, error) {
	bad := func(got, want string) error {
		return &traces.FormatError{Path: path, Line: 1, Got: got, Want: want}
	}
	if n := header.Replicas; n < 1 || n > vsr.NMax {
		return nil, bad(fmt.Sprintf("%d replicas", n),
			fmt.Sprintf("1 to %d: the model has no other number", vsr.NMax))
	}
	config := vsr.Config{
		N: header.Replicas, Drivers: vsr.Walk,
		MaxRequest: vsr.Unbounded, MaxView: vsr.Unbounded, MaxCrash: vsr.Unbounded,
	}
	if err := Quorums(header, path); err != nil {
		return nil, err
	}
	if len(header.Open) > 0 {
		return nil, bad(fmt.Sprintf("a trace that never says %v", header.Open),
			"all fields of the state: see traces/conform/partial")
	}
	if header.CommitDrivers != "" {
		parsed, err := vsr.ParseDrivers(header.CommitDrivers)
		if err != nil {
			return nil, bad(err.Error(), "a shape of commit drivers that the model knows")
		}
		config.Drivers = parsed
	}
	return &Checker{
		config: config, path: path, compact: header.Checkpoints,
		groups: map[string]*checker{}, every: settleEvery,
		report: Report{Path: path, States: 1},
	}, nil
}

// Quorums returns what is wrong with the quorums of a header, a [*traces.FormatError], or nil.
// Such a trace is well formed: its replicas decide as no replicas of the model do (R12), in
// whatever events it has. The number of replicas must be one that the model has.
func Quorums(header traces.Header, path string) error {
	sizes := (&vsr.Config{N: header.Replicas}).Quorums()
	quorum := traces.Quorum{
		Replication: sizes.Replication, ViewChange: sizes.ViewChange, Nack: sizes.Nack,
	}
	if header.Quorum == (traces.Quorum{}) || header.Quorum == quorum {
		return nil
	}
	return &traces.FormatError{
		Path: path, Line: 1, Got: fmt.Sprintf("quorums %+v", header.Quorum),
		Want: fmt.Sprintf("%+v: the model has no others", quorum),
	}
}

// Add judges the next event and returns nil if something explains it. After a mismatch every
// call returns it again.
func (c *Checker) Add(e traces.Event) *Mismatch {
	if c.report.Mismatch != nil {
		return c.report.Mismatch
	}
	g := c.group(e.Group)
	next := g.take(e)
	if boot := g.boot(e); len(next) == 0 || boot != "" {
		g.bringBackAll()
		c.report.Mismatch = g.mismatch(e, boot)
		c.report.Mismatch.Path = c.path
		return c.report.Mismatch
	}
	g.now = next
	g.seen.see(e)
	g.settled()
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

// Judge is [Checker.Add] for whoever wants one line: what is wrong with the event, or nothing.
func (c *Checker) Judge(e traces.Event) string {
	if m := c.Add(e); m != nil {
		line, _, _ := strings.Cut(m.String(), "\n")
		return line
	}
	return ""
}

// Report says how far the model explains the events so far.
func (c *Checker) Report() Report {
	report := c.report
	report.Groups = len(c.groups)
	for _, g := range c.groups {
		report.Checkpoints += g.seen.taken
		report.Installs += g.seen.installed
	}
	return report
}

// group returns the checker of a group, which begins in the model's initial state.
func (c *Checker) group(id string) *checker {
	g := c.groups[id]
	if g == nil {
		start := explanation{state: vsr.Init(c.config), bound: newBinding()}
		g = &checker{
			config: c.config, compact: c.compact, key: vsr.Model(c.config).Key, now: []explanation{start},
			incarnations: map[int]string{}, every: c.every,
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
