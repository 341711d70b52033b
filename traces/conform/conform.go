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
	// States is the largest number of model states that explained a prefix at once: 1 means
	// that the trace left no choice.
	States int
	// Mismatch is the event that nothing explains, or nil: then the trace conforms.
	Mismatch *Mismatch
}

// Passed reports whether the model explains the whole trace.
func (r Report) Passed() bool { return r.Mismatch == nil }

// checker holds the explanations of a trace so far.
type checker struct {
	config vsr.Config
	key    func(dst []byte, s vsr.State) []byte
	now    []explanation
	// incarnations are the boots of the replicas so far, by the last event of each (R4).
	incarnations map[int]string
}

// Trace checks a trace of one group. The error is a trace that cannot be checked at all:
// another number of replicas than the model has, several groups, no event.
func Trace(t *traces.Trace) (Report, error) {
	report := Report{Path: t.Path, States: 1}
	c, err := newChecker(t)
	if err != nil {
		return report, err
	}
	for _, e := range t.Events {
		next := c.explain(e)
		boot := c.boot(e)
		if len(next) == 0 || boot != "" {
			report.Mismatch = c.mismatch(e, boot)
			return report, nil
		}
		c.now = next
		report.Events++
		report.States = max(report.States, len(next))
		if e.Stutter {
			report.Stutters++
		}
	}
	return report, nil
}

func newChecker(t *traces.Trace) (*checker, error) {
	bad := func(got, want string) error {
		return &traces.FormatError{Path: t.Path, Line: 1, Got: got, Want: want}
	}
	if n := t.Header.Replicas; n < 1 || n > vsr.NMax {
		return nil, bad(fmt.Sprintf("%d replicas", n),
			fmt.Sprintf("1 to %d: the model has no other number", vsr.NMax))
	}
	config := vsr.Config{
		N: t.Header.Replicas, Drivers: vsr.Walk,
		MaxRequest: vsr.Unbounded, MaxView: vsr.Unbounded, MaxCrash: vsr.Unbounded,
	}
	sizes := config.Quorums()
	quorum := traces.Quorum{
		Replication: sizes.Replication, ViewChange: sizes.ViewChange, Nack: sizes.Nack,
	}
	if t.Header.Quorum != (traces.Quorum{}) && t.Header.Quorum != quorum {
		return nil, bad(fmt.Sprintf("quorums %+v", t.Header.Quorum),
			fmt.Sprintf("%+v: the model has no others", quorum))
	}
	if len(t.Events) == 0 {
		return nil, bad("no event", "at least one: there is nothing to check")
	}
	for _, e := range t.Events {
		if e.Group != t.Events[0].Group {
			return nil, &traces.FormatError{
				Path: t.Path, Line: e.Line(), Got: fmt.Sprintf("group %q", e.Group),
				Want: fmt.Sprintf("group %q, that of the first event", t.Events[0].Group),
			}
		}
	}
	if t.Header.CommitDrivers != "" {
		parsed, err := vsr.ParseDrivers(t.Header.CommitDrivers)
		if err != nil {
			return nil, bad(err.Error(), "a shape of commit drivers that the model knows")
		}
		config.Drivers = parsed
	}
	start := explanation{state: vsr.Init(config), bound: newBinding()}
	return &checker{
		config: config, key: vsr.Model(config).Key, now: []explanation{start},
		incarnations: map[int]string{},
	}, nil
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
