package check

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// precision says how much of a run is determined by the cfg.
type precision uint8

const (
	// exact: depth and length of a counterexample are those of shortest paths.
	exact precision = iota + 1
	// loose: TLC with several workers may go a step deeper than needed.
	loose
)

// judge compares what was found with what the manifest says of cfg.
func judge(cfg spec.Cfg, f found, p precision) (Status, string) {
	if f.counterexample != nil {
		return judgeViolation(cfg, f.counterexample, p)
	}
	switch {
	case !f.complete:
		return Undecided, f.unfinished()
	case !cfg.IsClean():
		return Failed, fmt.Sprintf("mutant %s is not caught: %d states and no violation, "+
			"expected one of %s", cfg.Mutant, f.distinct, strings.Join(cfg.Expect, ", "))
	case f.distinct != cfg.Distinct:
		return Failed, fmt.Sprintf("%d distinct states, the manifest says %d",
			f.distinct, cfg.Distinct)
	case f.depth != cfg.Depth && p == exact:
		return Failed, fmt.Sprintf("depth %d, the manifest says %d", f.depth, cfg.Depth)
	}
	return Passed, ""
}

// unfinished says how far an undecided search came and what would help.
func (f found) unfinished() string {
	reason := fmt.Sprintf("ended after %d states of depth %d, before all were visited",
		f.distinct, f.depth)
	if f.stop == 0 { // TLC does not say.
		return reason
	}
	reason = fmt.Sprintf("ended by %v %s; %d states wait", f.stop,
		strings.TrimPrefix(reason, "ended "), f.waiting)
	switch {
	case f.saved:
		reason += "; it goes on with --resume"
	case f.stop == explore.StopMemory:
		reason += "; more --memory or a smaller cfg would help, --save keeps what is done"
	}
	return reason
}

func judgeViolation(cfg spec.Cfg, c *Counterexample, p precision) (Status, string) {
	what := fmt.Sprintf("%s is violated in %d states", c.Property, c.States)
	if c.Reason != "" {
		what += " (" + c.Reason + ")"
	}
	switch {
	case cfg.IsClean():
		return Failed, what + ", expected no violation"
	case !cfg.Accepts(c.Property):
		return Failed, fmt.Sprintf("%s, expected a violation of %s",
			what, strings.Join(cfg.Expect, " or "))
	case c.States < cfg.Counterexample, c.States > cfg.Counterexample && p == exact:
		return Failed, fmt.Sprintf("%s, the manifest says %d", what, cfg.Counterexample)
	}
	return Passed, ""
}

// tellSilentBug says of a mutant that was switched on in place of the cfg's own, and that
// breaks nothing there, that it does not: a passed check must not look as if the mutant
// had been caught.
func (o *Outcome) tellSilentBug(cfg spec.Cfg, bug string, f found) {
	if bug == "" || f.counterexample != nil || !f.complete {
		return
	}
	switch {
	case o.Status == Passed:
		o.Detail = fmt.Sprintf("mutant %s shows nothing at cfg %s: it breaks no property there, "+
			"and states and depth are those without it\n", bug, cfg.Name) + o.Detail
	case cfg.IsClean():
		o.Reason = fmt.Sprintf("mutant %s breaks no property at cfg %s, it only shows otherwise: %s",
			bug, cfg.Name, o.Reason)
	default:
		o.Reason = fmt.Sprintf("mutant %s breaks no property at cfg %s, %d states; expected one of %s",
			bug, cfg.Name, f.distinct, strings.Join(cfg.Expect, ", "))
	}
}
