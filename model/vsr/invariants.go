package vsr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
)

// InvariantNames lists the invariants in the order of VSR.tla.
func InvariantNames() []string {
	var names []string
	for _, property := range Invariants(Config{}) {
		names = append(names, property.Name)
	}
	return names
}

// Invariants returns every invariant for a search at the given constants, in the
// order of VSR.tla.
func Invariants(c Config) []explore.Property[State] {
	property := func(name string, check func(State) error) explore.Property[State] {
		return explore.Property[State]{Name: name, Check: check}
	}
	// Each function calls its invariant by name, not through a table: so the compiler
	// sees that the state's address goes nowhere and keeps the state off the heap.
	return []explore.Property[State]{
		property("TypeOK", func(s State) error { return TypeOK(&c, &s) }),
		property("PipelineBacked", func(s State) error { return PipelineBacked(&c, &s) }),
		property("PipelineAhead", func(s State) error { return PipelineAhead(&c, &s) }),
		property("Agreement", func(s State) error { return Agreement(&c, &s) }),
		property("CommitAgree", func(s State) error { return CommitAgree(&c, &s) }),
		property("AckedDurable", func(s State) error { return AckedDurable(&c, &s) }),
		property("PrepareOKBacked", func(s State) error { return PrepareOKBacked(&c, &s) }),
		property("OneStart", func(s State) error { return OneStart(&c, &s) }),
		property("CommitOrder", func(s State) error { return CommitOrder(&c, &s) }),
		property("NoStall", func(s State) error { return NoStall(&c, &s) }),
	}
}

// InvariantsNamed returns the invariants of the given names, in the spec's order.
// Errors: a name that no invariant has.
func InvariantsNamed(c Config, names ...string) ([]explore.Property[State], error) {
	for _, name := range names {
		if !slices.Contains(InvariantNames(), name) {
			return nil, fmt.Errorf("invariant %q: expected one of %s", name,
				strings.Join(InvariantNames(), ", "))
		}
	}
	return slices.DeleteFunc(Invariants(c), func(p explore.Property[State]) bool {
		return !slices.Contains(names, p.Name)
	}), nil
}

// TypeOK is VSR!TypeOK: numbers are within the bounds, log_view <= view, and entries
// lie at their op. No mutant breaks it: it guards the model against slips.
func TypeOK(c *Config, s *State) error {
	for r := range s.n {
		switch {
		case s.status[r] < StatusNormal || s.status[r] > StatusRecovering:
			return fmt.Errorf("r%d: status is %v", r, s.status[r])
		case s.logView[r] > s.view[r]:
			return fmt.Errorf("r%d: log_view %d is above view %d", r, s.logView[r], s.view[r])
		case int(s.view[r]) > c.MaxView:
			return fmt.Errorf("r%d: view %d is above MaxView", r, s.view[r])
		case int(s.commitMin[r]) > c.MaxRequest || int(s.commitMax[r]) > c.MaxRequest:
			return fmt.Errorf("r%d: commit_min %d or commit_max %d is above MaxRequest",
				r, s.commitMin[r], s.commitMax[r])
		}
		for _, e := range s.bodies[r] {
			if !c.valid(e) {
				return fmt.Errorf("r%d: the journal holds %v, which is no entry", r, e)
			}
		}
		for i, e := range s.headers[r] {
			if e.Op != Op(i+1) || !c.valid(e) {
				return fmt.Errorf("op %d: the log of r%d has %v", i+1, r, e)
			}
		}
	}
	return nil
}

// valid reports whether e is in the spec's set Entry.
func (c *Config) valid(e Entry) bool {
	return e.Op >= 1 && int(e.Op) <= c.MaxRequest && int(e.View) <= c.MaxView &&
		e.Request >= 1 && int(e.Request) <= c.MaxRequest
}

// PipelineBacked is VSR!PipelineBacked: what is in a pipeline is in the log and its
// body in the journal. Mutants stall_is_pipeline and start_hollow break it.
func PipelineBacked(c *Config, s *State) error {
	for r := range s.n {
		for _, e := range s.pipeline[r] {
			if !s.headers[r].has(e) {
				return fmt.Errorf("op %d: the pipeline of r%d has %v, its log %s",
					e.Op, r, e, entryText(s.headers[r], e.Op))
			}
			if !s.stored(c, r, e) {
				return fmt.Errorf("op %d: the pipeline of r%d has %v, its journal no body",
					e.Op, r, e)
			}
		}
	}
	return nil
}

// PipelineAhead is VSR!PipelineAhead: the pipeline lies above what was executed, so
// that no op has two owners. Mutant walk_takes_pipeline breaks it.
func PipelineAhead(_ *Config, s *State) error {
	for r := range s.n {
		if len(s.pipeline[r]) > 0 && s.pipeline[r][0].Op <= s.commitMin[r] {
			return fmt.Errorf("op %d: heads the pipeline of r%d, which executed up to %d",
				s.pipeline[r][0].Op, r, s.commitMin[r])
		}
	}
	return nil
}

// Agreement is VSR!Agreement: what a replica executed is what was acknowledged, with
// the right body. Mutants volatile_view, send_first, dvc_drops_hollow,
// headers_volatile and stall_truncates break it.
func Agreement(_ *Config, s *State) error {
	for r := range s.n {
		for op := Op(1); op <= s.commitMin[r]; op++ {
			acknowledged, found := s.acknowledged.At(op)
			if !found || !s.headers[r].has(acknowledged) {
				return fmt.Errorf("op %d: executed r%d has %s, acknowledged is %s", op, r,
					entryText(s.headers[r], op), entryText(s.acknowledged, op))
			}
			if !s.bodies[r].Has(acknowledged) {
				return fmt.Errorf("op %d: executed r%d has no body of %v", op, r, acknowledged)
			}
		}
	}
	return nil
}

// CommitAgree is VSR!CommitAgree: nothing but what was acknowledged is ever known as
// committed. Mutants volatile_view, longest_log and stall_is_pipeline break it, given
// two requests.
func CommitAgree(_ *Config, s *State) error {
	for r := range s.n {
		for op := Op(1); op <= s.commitMax[r]; op++ {
			acknowledged, found := s.acknowledged.At(op)
			if e, reaches := s.headers[r].At(op); !found || reaches && e != acknowledged {
				return fmt.Errorf("op %d: r%d has %s, acknowledged is %s", op, r,
					entryText(s.headers[r], op), entryText(s.acknowledged, op))
			}
		}
	}
	return nil
}

// AckedDurable is VSR!AckedDurable: an acknowledged op is in the logs and journals of
// a replication quorum, whatever happens. Mutants send_first, volatile_view, headers_volatile,
// dvc_drops_hollow and longest_log break it.
func AckedDurable(c *Config, s *State) error {
	for _, e := range s.acknowledged {
		var holders ReplicaSet
		for r := range s.n {
			if s.holds(r, e) {
				holders |= 1 << r
			}
		}
		if holders.Len() < quorumsOf[c.N].Replication {
			return fmt.Errorf("op %d: acknowledged %v is held by %v only", e.Op, e, holders)
		}
	}
	return nil
}

// PrepareOKBacked is VSR!PrepareOKBacked: a PrepareOK of the log's view vouches for
// that very body and its place in the log (R3). Mutants no_nonce, stale_body,
// same_view_sv and ack_over_hole break it.
func PrepareOKBacked(_ *Config, s *State) error {
	for _, m := range s.network {
		for r, vouched := range m.prepareOKs {
			if s.logView[r] != m.view || s.status[r] == StatusRecovering {
				continue
			}
			for _, e := range vouched {
				if !s.headers[r].has(e) {
					return fmt.Errorf("op %d: r%d acknowledged %v in view %d, its log has %s",
						e.Op, r, e, m.view, entryText(s.headers[r], e.Op))
				}
				if !s.bodies[r].Has(e) {
					return fmt.Errorf("op %d: r%d acknowledged %v in view %d, it has no body",
						e.Op, r, e, m.view)
				}
			}
		}
	}
	return nil
}

// OneStart is VSR!OneStart: a view starts once, with one log. Mutant volatile_view
// breaks it.
func OneStart(_ *Config, s *State) error {
	for _, m := range s.network {
		if n := len(m.startViews); n > 1 {
			return fmt.Errorf("view %d has started with %d logs", m.view, n)
		}
	}
	return nil
}

// CommitOrder is VSR!CommitOrder: nothing is executed that is not known to be
// committed. No mutant breaks it.
func CommitOrder(_ *Config, s *State) error {
	for r := range s.n {
		if s.commitMin[r] > s.commitMax[r] {
			return fmt.Errorf("r%d: commit_min %d is above commit_max %d",
				r, s.commitMin[r], s.commitMax[r])
		}
	}
	return nil
}

// NoStall is VSR!NoStall: when no fair step is left, everybody under a stable primary
// has caught up, and a view change that a quorum and its primary have entered has
// ended, unless the primary starves (R9, R10, R13). Mutants narrow_repair,
// fill_is_duplicate, prepare_ok_once, commit_number_not_sent, repair_only_when_normal and
// join_is_silent break it.
func NoStall(c *Config, s *State) error {
	// Whether something lags is cheap to see, and most states where nothing lags are
	// not quiet; whether a fair step is enabled is the expensive half.
	lag := s.lagging(c)
	if lag == (lagging{}) || !quiet(c, s) {
		return nil
	}
	if lag.unstarted {
		return fmt.Errorf("no fair step is left and r%d has not started view %d, "+
			"which a quorum has entered", lag.primary, s.view[lag.primary])
	}
	return fmt.Errorf("no fair step is left and r%d executed up to %d, "+
		"the log of primary r%d reaches to %d", lag.replica, s.commitMin[lag.replica],
		lag.primary, s.headers[lag.primary].Head())
}

// quiet is VSR!Quiet: no replica has a fair step.
func quiet(c *Config, s *State) bool {
	for r := range s.n {
		if fairStepEnabled(c, s, r) {
			return false
		}
	}
	return true
}

// lagging is what a quiet state must not leave undone. The zero value is nothing.
type lagging struct {
	behind    bool // replica has not executed the log of stable primary.
	unstarted bool // primary has not started the view that a quorum has entered.
	primary   int
	replica   int
}

// lagging finds something that a quiet state must not leave undone.
func (s *State) lagging(c *Config) lagging {
	for p := range s.n {
		if s.stable(c, p) {
			if r := s.behind(p); r >= 0 {
				return lagging{behind: true, primary: p, replica: r}
			}
		}
		if s.changing(c, p) && !s.starved(c, p) {
			return lagging{unstarted: true, primary: p}
		}
	}
	return lagging{}
}

// starved is VSR!Starved: new primary p waits for a body that only crashed replicas
// hold.
func (s *State) starved(c *Config, p int) bool {
	if s.merged[p] == nil {
		return false
	}
	for _, e := range s.merged[p].Log {
		if !s.stored(c, p, e) && s.onlyCrashedHold(e) {
			return true
		}
	}
	return false
}

func (s *State) onlyCrashedHold(e Entry) bool {
	for r := range s.n {
		if s.bodies[r].Has(e) && s.status[r] != StatusRecovering {
			return false
		}
	}
	return true
}

// entryText is what a log has at op, in words.
func entryText(l Log, op Op) string {
	if e, found := l.At(op); found {
		return e.String()
	}
	return "nothing"
}
