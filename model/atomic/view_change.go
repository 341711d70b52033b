package atomic

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// eachFetched visits the sets of ops that r may be found to hold of its log when it stops
// doing what it did: a replica that leads a view change may have fetched bodies for the
// start that it did not get to. It is the module's Fetched.
func (s *State) eachFetched(r int, visit func(held ops)) {
	high := s.held[r]
	if s.status[r] == vsr.StatusViewChange && primaryOf(s.view[r]) == r {
		high |= upTo(s.log[r].Head())
	}
	eachBetween(s.held[r], high, visit)
}

// eachLeft yields t, and t without r's promise for the view that it was in, which may not
// have reached anybody: the module's Left and Facts.
func eachLeft(before *State, r int, a Action, t State, yield yield) {
	t.views = slices.Clone(t.views)
	kept := t.views[before.view[r]].promises
	t.forget()
	yield(a, t)
	mine := func(m promise) bool { return m.replica == r }
	if !slices.ContainsFunc(kept, mine) {
		return
	}
	f := t.editView(before.view[r])
	f.promises = slices.DeleteFunc(slices.Clone(f.promises), mine)
	yield(a, t)
}

// leave is Leave(r, v): r leaves its view for a higher one and promises its log.
func (m *machine) leave(s *State, r int, v vsr.View, yield yield) {
	if v <= s.view[r] {
		return
	}
	s.eachFetched(r, func(held ops) {
		t := *s
		t.view[r], t.status[r], t.held[r] = v, vsr.StatusViewChange, held
		f := t.editView(v)
		f.promises = withMember(f.promises, promise{
			replica: r, logView: s.logView[r], commit: s.executed[r], log: s.log[r], present: held,
		}, comparePromises)
		eachLeft(s, r, Action{Kind: Leave, Replica: r, Arg: int(v)}, t, yield)
	})
}

// decisions are the logs that a view can start with by some promises: of those of the
// highest log view the longest log, up to the first entry that none of them holds, unless
// it was executed. It is the module's Decides; R12.
func decisions(promises []promise) []vsr.Log {
	var logs []vsr.Log
	executed := vsr.Op(0)
	for _, m := range promises {
		executed = max(executed, m.commit)
	}
	for _, m := range promises {
		better := func(n promise) bool {
			return n.logView > m.logView ||
				n.logView == m.logView && n.log.Head() > m.log.Head()
		}
		if slices.ContainsFunc(promises, better) {
			continue
		}
		n := vsr.Op(0)
		for n < m.log.Head() && (n < executed || someHolds(promises, m.log[n])) {
			n++
		}
		logs = append(logs, m.log[:n:n])
	}
	return logs
}

func someHolds(promises []promise, e vsr.Entry) bool {
	return slices.ContainsFunc(promises, func(m promise) bool {
		own, found := m.log.At(e.Op)
		return found && own == e && m.present.has(e.Op)
	})
}

// startView is StartView(p, S): with the promises of a quorum the new primary decides the
// log of its view, holds all of it and leads.
func (m *machine) startView(s *State, p int, q vsr.ReplicaSet, yield yield) {
	v := s.view[p]
	if s.status[p] != vsr.StatusViewChange || primaryOf(v) != p || !q.Has(p) {
		return
	}
	var promises []promise
	var by vsr.ReplicaSet
	for _, promised := range s.views[v].promises {
		if q.Has(promised.replica) {
			promises = append(promises, promised)
			by |= 1 << promised.replica
		}
	}
	if by != q && !(m.bug(PromiseAlone) && by.Has(p)) {
		return
	}
	for _, l := range decisions(promises) {
		yield(Action{Kind: StartView, Replica: p, Arg: int(q)}, m.lead(s, p, v, l))
	}
}

// lead is the module's Lead: p leads view v with log l, all of which it holds.
func (m *machine) lead(s *State, p int, v vsr.View, l vsr.Log) State {
	t := *s
	t.status[p] = vsr.StatusNormal
	t.logView[p] = v
	if m.LazyLogView {
		t.logViewDurable[p] = v
	}
	t.log[p], t.held[p] = l, upTo(l.Head())
	f := t.editView(v)
	f.starts = withMember(f.starts, l, compareLogs)
	t.forget()
	return t
}

// startAgain is StartAgain(p), which only a mutant takes: a primary that has crashed
// starts its view again.
func (m *machine) startAgain(s *State, p int, yield yield) {
	v := s.view[p]
	if m.bug(StartAgainBug) && s.status[p] == vsr.StatusRecovering && primaryOf(v) == p &&
		s.held[p] == upTo(s.log[p].Head()) {
		yield(Action{Kind: StartAgain, Replica: p}, m.lead(s, p, v, s.log[p]))
	}
}

// logsOf are the logs that view v has had: the one that it started with, and what was
// added. It is the module's LogsOf.
func (s *State) logsOf(v vsr.View) []vsr.Log {
	var logs []vsr.Log
	f := &s.views[v]
	for n := vsr.Op(0); ; n++ {
		for _, l := range f.starts {
			for op := l.Head() + 1; op <= l.Head()+n; op++ {
				i := slices.IndexFunc(f.prepared, func(e vsr.Entry) bool { return e.Op == op })
				if i < 0 {
					return logs
				}
			}
		}
		if len(f.starts) == 0 {
			return nil
		}
		for _, l := range f.starts {
			grown := l
			for op := l.Head() + 1; op <= l.Head()+n; op++ {
				i := slices.IndexFunc(f.prepared, func(e vsr.Entry) bool { return e.Op == op })
				grown = extended(grown, f.prepared[i])
			}
			logs = append(logs, grown)
		}
	}
}

// adopt is Adopt(r, v): a replica takes the log of view v, as it was at the start or later.
func (m *machine) adopt(s *State, r int, v vsr.View, yield yield) {
	if primaryOf(v) == r || v < s.view[r] || s.status[r] == vsr.StatusNormal && v == s.view[r] {
		return
	}
	for _, l := range s.logsOf(v) {
		keepsAll := true // That r took of v before it crashed.
		for _, e := range s.log[r] {
			keepsAll = keepsAll && (e.View != v || slices.Contains(l, e))
		}
		if keepsAll {
			m.eachHeld(s, r, l, func(held ops) { m.adoptLog(s, r, v, l, held, yield) })
		}
	}
}

// eachHeld visits what r may hold of a log that it adopts: the module's HeldOf.
func (m *machine) eachHeld(s *State, r int, l vsr.Log, visit func(held ops)) {
	before := sharedOps(l, s.log[r], s.held[r])
	if !m.LazyLogView {
		eachBetween(before, upTo(l.Head()), visit)
		return
	}
	for n := before.unbroken(); n <= l.Head(); n++ {
		visit(upTo(n))
	}
}

// adoptLog yields the adoption of a log of which r then holds held, with each choice of
// what it acknowledges.
func (m *machine) adoptLog(s *State, r int, v vsr.View, l vsr.Log, held ops, yield yield) {
	t := *s
	t.log[r], t.held[r] = l, held
	if m.LazyLogView && held == upTo(l.Head()) {
		t.logViewDurable[r] = v
	}
	t.view[r], t.logView[r], t.status[r] = v, v, vsr.StatusNormal
	eachBetween(0, held, func(acknowledged ops) {
		u := t
		for i, e := range l {
			if acknowledged.has(vsr.Op(i + 1)) {
				u.acknowledge(r, v, e)
			}
		}
		eachLeft(s, r, Action{Kind: Adopt, Replica: r, Arg: int(v)}, u, yield)
	})
}

// crash is Crash(r): r crashes and comes back with its log, what it holds of it, its view
// and its log view; under LazyLogView with less.
func (m *machine) crash(s *State, r int, yield yield) {
	s.eachFetched(r, func(held ops) {
		t := *s
		t.status[r], t.executed[r], t.held[r] = vsr.StatusRecovering, 0, held
		if m.LazyLogView {
			n := min(held.unbroken(), s.log[r].Head())
			t.log[r], t.held[r] = s.log[r][:n:n], upTo(n)
			t.logView[r] = s.logViewDurable[r]
		}
		eachLeft(s, r, Action{Kind: Crash, Replica: r}, t, yield)
	})
}
