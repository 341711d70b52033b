package atomic

import (
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
)

// machine is the module under a configuration.
type machine struct{ Config }

type yield func(Action, State)

// Model returns the model of AtomicViewChange.tla under c. With c.Bugs empty all
// invariants hold; each mutant breaks the ones that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	m := &machine{c}
	return explore.Model[State, Action]{
		Name:      "AtomicViewChange",
		Init:      func() []State { return []State{m.initial()} },
		Next:      func(s State, yield func(Action, State)) { m.next(&s, yield) },
		Key:       func(dst []byte, s State) []byte { return s.appendKey(dst) },
		Canonical: func(dst []byte, s State) []byte { return s.appendCanonical(dst) },
		Always:    invariants(),
		Sometimes: goals(c),
		Format:    func(s State) []string { return s.format() },
	}
}

func (m *machine) initial() State {
	var s State
	for r := range N {
		s.status[r] = vsr.StatusNormal
	}
	s.views = make([]facts, m.MaxView+1)
	s.views[0].starts = []vsr.Log{{}}
	return s
}

func (m *machine) next(s *State, yield yield) {
	for r := range N {
		m.prepare(s, r, yield)
		m.accept(s, r, yield)
		m.fill(s, r, yield)
		m.acknowledgeLate(s, r, yield)
		m.commit(s, r, yield)
		m.execute(s, r, yield)
		for v := range s.views {
			m.leave(s, r, vsr.View(v), yield)
		}
		for _, q := range quorums {
			m.startView(s, r, q, yield)
		}
		m.startAgain(s, r, yield)
		for v := range s.views {
			m.adopt(s, r, vsr.View(v), yield)
		}
		m.crash(s, r, yield)
	}
}

// prepare is Prepare(p): the primary adds a request to the log of its view.
func (m *machine) prepare(s *State, p int, yield yield) {
	if !s.leads(p) || int(s.requests) >= m.MaxRequest {
		return
	}
	v := s.view[p]
	e := vsr.Entry{Op: s.log[p].Head() + 1, View: v, Request: s.requests + 1}
	t := *s
	t.log[p] = extended(s.log[p], e)
	t.held[p] = s.held[p].with(e.Op)
	f := t.editView(v)
	f.prepared = withMember(f.prepared, e, compareEntries)
	t.requests++
	yield(Action{Kind: Prepare, Replica: p}, t)
}

// accept is Accept(r): a backup takes the next entry that its view's primary added.
func (m *machine) accept(s *State, r int, yield yield) {
	if !s.follows(r) || m.LazyLogView && s.held[r] != upTo(s.log[r].Head()) {
		return
	}
	v := s.view[r]
	for _, e := range s.views[v].prepared {
		if e.Op != s.log[r].Head()+1 {
			continue
		}
		t := *s
		t.log[r] = extended(s.log[r], e)
		t.held[r] = s.held[r].with(e.Op)
		yield(Action{Kind: Accept, Replica: r}, t)
		t.acknowledge(r, v, e)
		yield(Action{Kind: Accept, Replica: r}, t)
	}
}

// acknowledge adds an acknowledgement.
func (s *State) acknowledge(r int, v vsr.View, e vsr.Entry) {
	f := s.editView(v)
	f.oks[r] = withMember(f.oks[r], e, compareEntries)
}

// fill is Fill(r): a backup gets a body that its log lacks, and may acknowledge it.
func (m *machine) fill(s *State, r int, yield yield) {
	if !s.follows(r) {
		return
	}
	for i, e := range s.log[r] {
		op := vsr.Op(i + 1)
		if s.held[r].has(op) || m.LazyLogView && op != s.held[r].unbroken()+1 {
			continue
		}
		t := *s
		t.held[r] = s.held[r].with(op)
		if m.LazyLogView && t.held[r] == upTo(s.log[r].Head()) {
			t.logViewDurable[r] = s.logView[r]
		}
		yield(Action{Kind: Fill, Replica: r}, t)
		t.acknowledge(r, s.view[r], e)
		yield(Action{Kind: Fill, Replica: r}, t)
	}
}

// acknowledgeLate is AcknowledgeLate(r), which only a mutant takes: a replica that has
// left a view acknowledges in it.
func (m *machine) acknowledgeLate(s *State, r int, yield yield) {
	if !m.bug(AckAfterLeaving) || s.status[r] != vsr.StatusViewChange {
		return
	}
	v := s.logView[r]
	for _, e := range s.views[v].prepared {
		if e.Op == s.log[r].Head()+1 {
			t := *s
			t.log[r] = extended(s.log[r], e)
			t.held[r] = s.held[r].with(e.Op)
			t.acknowledge(r, v, e)
			yield(Action{Kind: AcknowledgeLate, Replica: r}, t)
		}
	}
}

// commit is Commit(p): the next entry is acknowledged by a quorum, so it is committed.
func (m *machine) commit(s *State, p int, yield yield) {
	op := s.committed.Head() + 1
	e, found := s.log[p].At(op)
	if !found || !s.leads(p) {
		return
	}
	by := 0
	for r := range N {
		if r == p || contains(s.views[s.view[p]].oks[r], e) {
			by++
		}
	}
	if by < quorum {
		return
	}
	t := *s
	t.committed = extended(s.committed, e)
	yield(Action{Kind: Commit, Replica: p}, t)
	if s.executed[p] == op-1 {
		t.executed[p] = op
		yield(Action{Kind: Commit, Replica: p}, t)
	}
}

func contains(entries []vsr.Entry, e vsr.Entry) bool {
	for _, other := range entries {
		if other == e {
			return true
		}
	}
	return false
}

// execute is Execute(r): a replica executes the next committed entry, which is in its log
// and which it holds.
func (m *machine) execute(s *State, r int, yield yield) {
	op := s.executed[r] + 1
	e, found := s.log[r].At(op)
	c, committed := s.committed.At(op)
	if s.status[r] != vsr.StatusNormal || !found || !s.held[r].has(op) ||
		!(committed && e == c || m.bug(ExecutesUncommitted)) {
		return
	}
	t := *s
	t.executed[r] = op
	yield(Action{Kind: Execute, Replica: r}, t)
}
