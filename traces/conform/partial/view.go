package partial

import (
	"fmt"

	"github.com/viewstamp/viewstamp/traces"
)

// views checks view, log view and role.
func (s *step) views() {
	after, r := s.e.After, s.r
	if s.e.Says("view") {
		if r.viewKnown {
			s.require(MonotoneViews, after.View >= r.view, "view",
				fmt.Sprintf("at least %d", r.view), "the replica's view so far")
		}
		r.view, r.viewKnown = after.View, true
	} else {
		s.leave(MonotoneViews)
	}
	if s.e.Says("log_view") {
		if r.logViewKnown {
			s.require(MonotoneViews, after.LogView >= r.logView, "log_view",
				fmt.Sprintf("at least %d", r.logView), "the replica's log view so far")
		}
		r.logView, r.logViewKnown = after.LogView, true
	}
	if s.e.Says("view") && s.e.Says("log_view") {
		s.require(MonotoneViews, after.LogView <= after.View, "log_view",
			fmt.Sprintf("at most %d", after.View), "the view of the same event")
		if s.e.Says("status") && after.Status == traces.StatusNormal {
			equal(s, MonotoneViews, "log_view", after.LogView, after.View,
				"the view of the same event, in normal status")
		}
	}
	s.role()
}

func (s *step) role() {
	if !s.e.Says("view") || !s.e.Says("args.role") {
		s.leave(OnePrimary)
		return
	}
	want := "backup"
	if s.primary() == s.e.Replica {
		want = "primary"
	}
	equal(s, OnePrimary, "role", s.e.Args.Role, want, s.primaryText())
}

// primary is the replica that the event's view names.
func (s *step) primary() int {
	return int(uint64(s.e.After.View) % uint64(max(1, s.c.header.Replicas)))
}

func (s *step) primaryText() string {
	return fmt.Sprintf("replica %d is the primary of view %d of %d replicas", s.primary(),
		s.e.After.View, s.c.header.Replicas)
}

// acts checks that the replica may act as a primary, and reports whether the event says in
// which view it does.
func (s *step) acts() bool {
	if !s.e.Says("view") {
		s.leave(OnePrimary)
		s.blind()
		return false
	}
	equal(s, OnePrimary, "replica", s.e.Replica, s.primary(), s.primaryText())
	if s.e.Says("status") {
		equal(s, OnePrimary, "status", s.e.After.Status, traces.StatusNormal,
			"only in this status a replica acts as a primary")
	}
	view := uint64(s.e.After.View)
	if who, known := s.g.primaries.get(view); known {
		equal(s, OnePrimary, "replica", s.e.Replica, who, "who acted as primary of this view before")
	} else if s.ok() {
		s.g.primaries.put(view, s.e.Replica)
	}
	return s.ok()
}

// viewChange checks the event of a replica that leaves view before.
func (s *step) viewChange(before uint32) {
	args, after := s.e.Args, s.e.After
	if s.e.Says("args.view") && s.e.Says("view") {
		equal(s, MonotoneViews, "args.view", args.View, after.View, "the replica's view")
	}
	if s.e.Says("args.view") && s.e.Says("args.old_view") {
		s.require(MonotoneViews, args.OldView < args.View, "args.old_view",
			fmt.Sprintf("below %d", args.View), "the new view")
	}
	if s.e.Says("args.old_view") && s.r.last != "" {
		s.require(MonotoneViews, args.OldView >= before, "args.old_view",
			fmt.Sprintf("at least %d", before), "the replica's view before")
	}
}

// scheduled checks the address of a message that speaks for a view.
func (s *step) scheduled() {
	if !s.e.Says("args.message") || !s.e.Says("view") {
		s.leave(OnePrimary)
		return
	}
	switch s.e.Args.Message {
	case "send_do_view_change", "send_prepare_ok":
		if s.e.Args.To == nil {
			s.leave(OnePrimary)
			return
		}
		equal(s, OnePrimary, "args.to", *s.e.Args.To, s.primary(), s.primaryText())
	case "send_start_view":
		s.acts()
	}
	if s.e.Args.Message == "send_do_view_change" && s.e.Says("args.commit") &&
		s.e.Says("commit_max") {
		equal(s, CommitInOrder, "args.commit", s.e.Args.Commit, s.e.After.CommitMax,
			"the replica's own commit point")
	}
}
