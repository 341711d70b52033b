package atomic

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// Image is the refinement mapping of spec/Refinement.tla: as what a state of package vsr
// at constants c is seen here. A replica has promised for the view that it changes to as
// soon as it is in it, whether or not its vote has left. Of what a new primary repairs
// before its start nothing is seen.
//
// c must be bounded.
func Image(c vsr.Config, s vsr.State) State {
	t := State{
		requests: s.Requests(), committed: s.Acknowledged(), views: make([]facts, c.MaxView+1),
	}
	for r := range N {
		t.status[r], t.view[r], t.logView[r] = s.Status(r), s.View(r), s.LogView(r)
		if c.LazyLogView {
			t.logViewDurable[r] = s.LogViewDurable(r)
		}
		t.log[r], t.executed[r] = s.Log(r), s.CommitMin(r)
		t.held[r] = heldOf(&s, r)
	}
	for i := range t.views {
		t.views[i] = factsOf(&s, &t, vsr.View(i))
	}
	return t
}

// voteOf is the vote that r has sent for the view that it is in, nil if none.
func voteOf(s *vsr.State, r int) *vsr.Vote {
	for _, vote := range s.Votes(s.View(r)) {
		if vote.Replica == r {
			return &vote
		}
	}
	return nil
}

// heldOf is Refinement!Held: of a new primary that repairs before its start the bodies
// that it had when it voted.
func heldOf(s *vsr.State, r int) ops {
	if vote := voteOf(s, r); s.Merged(r) != nil && vote != nil {
		return opsIn(s.Log(r), vote.Present)
	}
	var held ops
	for i, e := range s.Log(r) {
		if s.Bodies(r).Has(e) {
			held = held.with(vsr.Op(i + 1))
		}
	}
	return held
}

// opsIn is a set of entries as ops of a log.
func opsIn(l vsr.Log, entries vsr.EntrySet) ops {
	var found ops
	for _, e := range entries {
		if own, ok := l.At(e.Op); ok && own == e {
			found = found.with(e.Op)
		} else {
			found |= stray
		}
	}
	return found
}

// factsOf is what of view v is seen; t has the replicas' variables already.
func factsOf(s *vsr.State, t *State, v vsr.View) facts {
	f := facts{prepared: s.Prepares(v)}
	p := primaryOf(v)
	collects := s.View(p) < v || s.View(p) == v && s.Status(p) == vsr.StatusViewChange
	for _, vote := range s.Votes(v) {
		f.promises = withMember(f.promises, promise{
			replica: vote.Replica, logView: vote.LogView, commit: vote.Commit, log: vote.Log,
			present: opsIn(vote.Log, vote.Present),
		}, comparePromises)
	}
	for r := range N {
		f.oks[r] = s.PrepareOKs(v, r)
		if collects && s.Status(r) == vsr.StatusViewChange && s.View(r) == v &&
			voteOf(s, r) == nil {
			f.promises = withMember(f.promises, promise{
				replica: r, logView: t.logView[r], commit: t.executed[r], log: t.log[r],
				present: t.held[r],
			}, comparePromises)
		}
	}
	for _, start := range s.StartViews(v) {
		f.starts = withMember(f.starts, start.Log, compareLogs)
	}
	if v == 0 && slices.Contains(t.view[:], 0) {
		f.starts = withMember(f.starts, vsr.Log{}, compareLogs)
	}
	return f
}
