package partial

import "fmt"

// commitPoint checks the commit point that every event says.
func (s *step) commitPoint() {
	if !s.e.Says("commit_max") {
		s.leave(CommitInOrder)
		return
	}
	commit, r := s.e.After.CommitMax, s.r
	if r.commitKnown {
		s.require(CommitInOrder, commit >= r.commit, "commit_max", fmt.Sprintf("at least %d", r.commit),
			"the replica's commit point so far, at "+r.last)
	}
	risen := !r.commitKnown || commit > r.commit
	r.commit, r.commitKnown = commit, true
	if risen && commit > 0 {
		s.covered(commit)
	}
}

// covered checks that every op up to a commit point has reached its quorum.
func (s *step) covered(commit uint64) {
	if !s.c.total {
		s.leave(QuorumFirst)
		return
	}
	first, place := uint64(0), ""
	for op, at := range s.g.waiting {
		if op <= commit && (first == 0 || op < first) {
			first, place = op, at
		}
	}
	if first > 0 {
		s.require(QuorumFirst, false, "commit_max", fmt.Sprintf("at most %d", first-1),
			fmt.Sprintf("op %d, queued at %s, has no quorum yet", first, place))
		return
	}
	if !s.g.whole {
		s.leave(QuorumFirst)
		return
	}
	s.require(QuorumFirst, commit <= s.g.head, "commit_max", fmt.Sprintf("at most %d", s.g.head),
		"the highest op that was queued")
}

// committed checks an op that a replica has executed.
func (s *step) committed() {
	if !s.e.Says("args.op") {
		s.leave(CommitInOrder)
		s.r.executedKnown = false
		s.blind()
		return
	}
	op, r := s.e.Args.Op, s.r
	if s.e.Says("commit_max") {
		s.require(CommitInOrder, op <= s.e.After.CommitMax, "args.op",
			fmt.Sprintf("at most %d", s.e.After.CommitMax), "the replica's commit point")
	}
	s.next(op)
	s.decided(op)
	s.sameRequest(op)
	if !s.ok() {
		return
	}
	r.executed, r.executedKnown, r.executedView = op, true, s.e.After.View
	s.g.executed.put(op, s.request())
	if r.pipeline.known {
		delete(r.pipeline.entries, op)
		r.pipeline.done = max(r.pipeline.done, op)
	}
}

// next checks that an op is executed after the one before.
func (s *step) next(op uint64) {
	r := s.r
	known := r.executedKnown
	if s.g.metadata {
		known = known && s.e.Says("view") && r.executedView == s.e.After.View
	}
	switch {
	case known:
		equal(s, CommitInOrder, "args.op", op, r.executed+1,
			"the replica has executed all up to the op before, but not this one")
	case s.g.whole && s.c.total && !r.lost && !s.g.metadata:
		equal(s, CommitInOrder, "args.op", op, 1, "the replica has executed none")
	default:
		s.leave(CommitInOrder)
	}
}

// decided checks that an op has its quorum when it is executed.
func (s *step) decided(op uint64) {
	if e := s.r.pipeline.entries[op]; e != nil && s.e.Says("view") &&
		s.r.pipeline.view == s.e.After.View {
		s.require(QuorumFirst, e.reached, "args.op", "one with a quorum", fmt.Sprintf(
			"op %d, in the pipeline since %s, is acknowledged by replicas %v and %d more", op, e.since,
			e.votes, e.uncounted))
		return
	}
	if _, reached := s.g.reached.get(op); reached && s.c.total {
		s.require(QuorumFirst, true, "", "", "")
		return
	}
	if at, waits := s.g.waiting[op]; waits && s.c.total {
		s.require(QuorumFirst, false, "args.op", "one with a quorum",
			fmt.Sprintf("op %d, queued at %s, has none yet", op, at))
		return
	}
	s.leave(QuorumFirst)
}

// sameRequest checks that an op executes what it was queued for, and the same everywhere.
func (s *step) sameRequest(op uint64) {
	if e := s.r.pipeline.entries[op]; e != nil && e.request.place != "" {
		s.same(e.request, "queued")
	} else if before, known := s.g.executed.get(op); known {
		s.same(before, "executed")
	} else {
		s.leave(SameOutcome)
	}
}

func (s *step) same(want request, did string) {
	because := fmt.Sprintf("this op was %s for it at %s", did, want.place)
	if want.client != "" && s.e.Says("args.client") {
		equal(s, SameOutcome, "args.client", s.e.Args.Client, want.client, because)
	}
	if want.numbered && s.e.Says("args.request") {
		equal(s, SameOutcome, "args.request", s.e.Args.Request, want.number, because)
	}
	if want.operation != "" && s.e.Says("args.operation") {
		equal(s, SameOutcome, "args.operation", s.e.Args.Operation, want.operation, because)
	}
}

// replied checks a reply to a client.
func (s *step) replied() {
	if !s.e.Says("args.op") || !s.r.executedKnown {
		s.leave(CommitFirst)
		return
	}
	op := s.e.Args.Op
	s.require(CommitFirst, op <= s.r.executed, "args.op", fmt.Sprintf("at most %d", s.r.executed),
		"the last op that the replica has executed")
	if before, known := s.g.executed.get(op); known {
		s.same(before, "executed")
	}
}
