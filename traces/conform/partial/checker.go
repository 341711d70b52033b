package partial

import (
	"fmt"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/iggysim"
)

// Checker takes the events of one trace in their order. It is not safe for concurrent use.
type Checker struct {
	header traces.Header
	path   string
	total  bool // The order of events of different replicas means something.
	groups map[string]*group

	events, gaps int
	said         int // Fields of after that events said.
	held, open   [invariantEnd]int
	rejection    *Rejection
}

// New returns a checker for the trace of a header. path stands for it in rejections.
func New(header traces.Header, path string) *Checker {
	return &Checker{
		header: header, path: path, total: header.Order != traces.OrderReplica,
		groups: map[string]*group{},
	}
}

// Add judges the next event: nil, or the invariant that it breaks. After a rejection every call
// returns it again.
func (c *Checker) Add(e traces.Event) *Rejection {
	if c.rejection != nil {
		return c.rejection
	}
	s := &step{c: c, e: e}
	switch e.Action {
	case iggysim.ActionGap:
		c.gaps++
		for id, g := range c.groups {
			if e.Group == "" || e.Group == id {
				g.forget()
			}
		}
	case iggysim.ActionRestarted:
		for id, g := range c.groups {
			if e.Group == "" || e.Group == id {
				g.restart(g.replica(e.Replica))
			}
		}
	default:
		c.said += traces.FieldsOfState - len(c.header.Open) - openOfState(e)
		s.g = c.group(e.Group)
		s.r = s.g.replica(e.Replica)
		s.judge()
	}
	if c.rejection == nil {
		c.events++
	}
	return c.rejection
}

func (c *Checker) group(id string) *group {
	g := c.groups[id]
	if g == nil {
		g = newGroup(c.plane(id), c.header.Quorum.Replication)
		c.groups[id] = g
	}
	return g
}

func (c *Checker) plane(id string) string {
	for _, g := range c.header.Groups {
		if g.ID == id {
			return g.Plane
		}
	}
	return ""
}

// step is the judgement of one event.
type step struct {
	c *Checker
	e traces.Event
	g *group
	r *replica
}

// judge checks what every event says, then what its kind says.
func (s *step) judge() {
	if s.e.Says("status") {
		recovering := s.e.After.Status == traces.StatusRecovering
		if recovering && !s.r.recovering {
			s.g.restart(s.r)
		}
		s.r.recovering = recovering
	}
	before := s.r.view
	s.views()
	s.commitPoint()
	switch s.e.Action {
	case iggysim.ActionPrepareQueued:
		s.queued()
	case iggysim.ActionPrepareAcked:
		s.acknowledged()
	case iggysim.ActionCommitted:
		s.committed()
	case iggysim.ActionReplyEmitted:
		s.replied()
	case iggysim.ActionViewChange:
		s.viewChange(before)
	case iggysim.ActionPrimaryElected:
		s.acts()
	case iggysim.ActionMessageScheduled:
		s.scheduled()
	}
	s.r.last = s.place()
}

// ok reports whether no invariant has been broken yet.
func (s *step) ok() bool { return s.c.rejection == nil }

// leave counts a check that the trace does not allow.
func (s *step) leave(i Invariant) { s.c.open[i]++ }

// require checks one field of the event. want says what was expected of it, because what was
// known that makes it so.
func (s *step) require(i Invariant, holds bool, field, want, because string) bool {
	if !s.ok() {
		return false
	}
	if holds {
		s.c.held[i]++
		return true
	}
	s.c.rejection = s.reject(i, field, want, because)
	return false
}

// equal is require for a field that must have one value.
func equal[T comparable](s *step, i Invariant, field string, got, want T, because string) bool {
	return s.require(i, got == want, field, fmt.Sprint(want), because)
}
