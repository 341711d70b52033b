package vsr

// Conformance follows recordings of any length. What all replicas have executed is history:
// until one of them restarts, nobody can act on it, and a state without it takes the same
// steps. This is no part of the spec.

// Settled returns the highest op n such that the first n ops are history: every replica has
// executed them and stores their bodies, every log that is held or under way begins with them and
// goes on, and no commit number under way is as low as n. Of the logs under way only those count
// that somebody can still adopt. It is 0 unless the state is one of the correct protocol.
func (s *State) Settled() Op {
	n := s.acknowledged.Head()
	logs := []Log{s.acknowledged}
	limit := func(log Log, commit Op) {
		n = min(n, commit, max(log.Head(), 1)-1) // What is projected has a head.
		logs = append(logs, log)
	}
	for r := range s.n {
		limit(s.headers[r], s.commitMin[r])
		if m := s.merged[r]; m != nil {
			limit(m.Log, m.Commit)
		}
		for _, answer := range s.answers[r] {
			limit(answer.Log, answer.Commit)
		}
		if len(s.pipeline[r]) > 0 {
			n = min(n, s.pipeline[r][0].Op-1)
		}
	}
	for _, m := range s.network {
		if m.commit > 0 {
			n = min(n, m.commit-1)
		}
		for _, vote := range m.votes {
			if vote != nil {
				limit(vote.Log, vote.Commit)
			}
		}
		if s.startViewUseful(m.view) {
			for _, start := range m.startViews {
				limit(start.Log, start.Commit)
			}
		}
	}
	return s.settledIn(logs, n)
}

// settledIn lowers n to where the logs are equal and their bodies stored everywhere.
func (s *State) settledIn(logs []Log, n Op) Op {
	for op := Op(1); op <= n; op++ {
		e := s.acknowledged[op-1]
		for _, log := range logs {
			if log[op-1] != e {
				return op - 1
			}
		}
		for r := range s.n {
			if !s.bodies[r].Has(e) {
				return op - 1
			}
		}
	}
	return n
}

// startViewUseful reports whether somebody can still adopt a StartView of view v: a backup
// that changes to v, or is below it. One that recovers asks for an answer of its own (R4).
func (s *State) startViewUseful(v View) bool {
	for r := range s.n {
		if s.view[r] < v || s.view[r] == v && s.status[r] == StatusViewChange {
			return true
		}
	}
	return false
}

// WithoutFirst returns the state without its first n ops, the others renumbered from 1. n is
// at most [State.Settled]. Messages of the network that only spoke of those ops are gone, and
// so is every StartView that nobody can adopt any more. [State.On] is the way back.
func (s *State) WithoutFirst(n Op) State {
	t := s.mapOps(func(log Log) Log { return log.lowered(n) },
		func(set EntrySet) EntrySet { return EntrySet(Log(set[set.after(n):]).lowerEach(n)) },
		func(commit Op) Op { return commit - min(n, commit) })
	for i, m := range t.network {
		if !s.startViewUseful(m.view) && len(m.startViews) > 0 {
			kept := *m
			kept.startViews = nil
			t.network[i] = &kept
		}
	}
	t.network = withoutEmpty(t.network)
	return t
}

// On returns the state whose logs begin with a base and go on with those of s: a state that
// s is without its first ops, up to messages that nobody can act on. Every replica stores and
// has executed the base.
func (s *State) On(base Log) State {
	n := base.Head()
	raised := func(log Log) Log {
		out := make(Log, 0, len(base)+len(log))
		out = append(out, base...)
		return append(out, log.raiseEach(n)...)
	}
	t := s.mapOps(raised,
		func(set EntrySet) EntrySet { return EntrySet(Log(set).raiseEach(n)) },
		func(commit Op) Op { return commit + n })
	for r := range t.n {
		t.bodies[r] = append(EntrySet(base[:n:n]), t.bodies[r]...)
	}
	for i, m := range t.network {
		if s.network[i].commit == 0 {
			m.commit = 0 // None was sent: it is not that of an op of the base.
		}
		for _, vote := range m.votes {
			if vote != nil {
				vote.Present = append(EntrySet(base[:n:n]), vote.Present...)
			}
		}
	}
	return t
}

// mapOps returns the state with every log, set of entries and commit number replaced. Its
// messages are copies.
func (s *State) mapOps(
	log func(Log) Log, set func(EntrySet) EntrySet, commit func(Op) Op,
) State {
	t := *s
	t.acknowledged = log(s.acknowledged)
	for r := range s.n {
		t.headers[r], t.bodies[r] = log(s.headers[r]), set(s.bodies[r])
		t.pipeline[r] = Log(set(EntrySet(s.pipeline[r])))
		t.commitMin[r], t.commitMax[r] = commit(s.commitMin[r]), commit(s.commitMax[r])
		if m := s.merged[r]; m != nil {
			t.merged[r] = &Merged{Log: log(m.Log), Commit: commit(m.Commit)}
		}
		t.answers[r] = nil
		for _, a := range s.answers[r] {
			t.answers[r] = append(t.answers[r], Answer{a.View, log(a.Log), commit(a.Commit)})
		}
	}
	t.network = nil
	for _, m := range s.network {
		fresh := *m
		fresh.commit, fresh.prepares, fresh.startViews = commit(m.commit), set(m.prepares), nil
		for r := range NMax {
			fresh.prepareOKs[r] = set(m.prepareOKs[r])
			if vote := m.votes[r]; vote != nil {
				fresh.votes[r] = &Vote{
					vote.Replica, vote.LogView, commit(vote.Commit), log(vote.Log), set(vote.Present),
				}
			}
		}
		for _, start := range m.startViews {
			fresh.startViews = append(fresh.startViews,
				StartView{Log: log(start.Log), Commit: commit(start.Commit)})
		}
		t.network = append(t.network, &fresh)
	}
	return t
}

// withoutEmpty drops the views without messages.
func withoutEmpty(network []*viewMessages) []*viewMessages {
	var kept []*viewMessages
	for _, m := range network {
		if !m.empty() {
			kept = append(kept, m)
		}
	}
	return kept
}

// lowered is the log without its first n entries, the others renumbered.
func (l Log) lowered(n Op) Log { return l.above(n).lowerEach(n) }

func (l Log) lowerEach(n Op) Log {
	var out Log
	for _, e := range l {
		out = append(out, e.Lowered(n))
	}
	return out
}

func (l Log) raiseEach(n Op) Log {
	var out Log
	for _, e := range l {
		out = append(out, e.Raised(n))
	}
	return out
}

// Lowered is the entry with an op that is lower by n.
func (e Entry) Lowered(n Op) Entry {
	e.Op -= n
	return e
}

// Raised is the entry with an op that is higher by n.
func (e Entry) Raised(n Op) Entry {
	e.Op += n
	return e
}

// after is where the entries above op n begin.
func (s EntrySet) after(n Op) int {
	i, _ := s.search(Entry{Op: n + 1})
	return i
}
