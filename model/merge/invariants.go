package merge

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Merge.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"TypeOK", m.typeOK},
		{"CommittedKept", m.committedKept},
		{"OneCommit", m.oneCommit},
		{"NackTrue", m.nackTrue},
		{"NoBlock", m.noBlock},
		{"NoWait", m.noWait},
		{"PrimaryWhole", m.primaryWhole},
		{"BodyTrue", m.bodyTrue},
		{"LogMatching", m.logMatching},
		{"KnownKept", m.knownKept},
		{"QuorumDecides", m.quorumDecides},
		{"DoubtEnds", m.doubtEnds},
		{"DoubtWide", m.doubtWide},
		{"SlotTrue", m.slotTrue},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// typeOK is Merge!TypeOK.
func (m *machine) typeOK(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		switch {
		case x.LogView > x.View:
			return fmt.Errorf("r%d: log view %d is above view %d", r, x.LogView, x.View)
		case int(x.Log.Length) > m.MaxOp || x.Adopted > x.Log.Length:
			return fmt.Errorf("r%d: adopted head %d, head %d", r, x.Adopted, x.Log.Length)
		case x.Status == Normal && x.LogView != x.View:
			return fmt.Errorf("r%d: normal in view %d with log view %d", r, x.View, x.LogView)
		case x.Log.base() > x.Commit || x.Log.base() > 0 && !m.Bases:
			return fmt.Errorf("r%d: base %d, commit %d", r, x.Log.base(), x.Commit)
		case x.Parked && x.Status != ViewChange:
			return fmt.Errorf("r%d: parked, but %s", r, x.Status)
		}
	}
	for v := range uint8(m.MaxView + 1) {
		if !s.hasStarted(v) && (s.ViewLog[v].Length > 0 || s.StartHead[v] > 0) {
			return fmt.Errorf("view %d has a log but no start", v)
		}
	}
	return nil
}

// committedKept is Merge!CommittedKept: what was committed is in the log of each view
// that starts later.
func (m *machine) committedKept(s *State) error {
	for i := range uint8(m.MaxOp) {
		for rest := s.Committed[i]; rest != 0; rest &= rest - 1 {
			bit := uint8(bits.TrailingZeros32(uint32(rest)))
			v, w := bit/viewsMax, bit%viewsMax
			for later := w; int(later) <= m.MaxView; later++ {
				if s.hasStarted(later) && !s.ViewLog[later].has(i+1, v) {
					return fmt.Errorf("op %d of view %d, committed in view %d, is not in the log "+
						"of view %d", i+1, v, w, later)
				}
			}
		}
	}
	return nil
}

// oneCommit is Merge!OneCommit: one op, one committed entry.
func (m *machine) oneCommit(s *State) error {
	for i, set := range s.Committed {
		if set == 0 {
			continue
		}
		v := uint8(bits.TrailingZeros32(uint32(set)) / viewsMax)
		if set&^rowBits(v) != 0 {
			return fmt.Errorf("op %d is committed with the entries of two views", i+1)
		}
	}
	return nil
}

// nackTrue is Merge!NackTrue: no commit counted the acknowledgement of a replica whose
// vote would nack the op.
func (m *machine) nackTrue(s *State) error {
	committed := false
	for _, set := range s.Committed {
		committed = committed || set != 0
	}
	if !committed {
		return nil
	}
	for r := range uint8(m.N) {
		if s.Replicas[r].Status == Wiped {
			continue
		}
		vote := m.voteOf(s, r)
		for other := range m.N {
			x := &s.Replicas[other]
			if x.LogView < vote.LogView {
				continue
			}
			for i := range x.Log.Length {
				v := x.Log.Headers[i]
				w, ok := m.countedCommit(s, r, i+1, v)
				if ok && m.rules.WhatVoteSays(&vote, i+1, v).Nacks {
					return fmt.Errorf("r%d would nack op %d of view %d, which it acknowledged "+
						"and view %d committed", r, i+1, v, w)
				}
			}
		}
	}
	return nil
}

// countedCommit returns a view whose commit of the entry counted r's acknowledgement.
func (m *machine) countedCommit(s *State, r, op, v uint8) (uint8, bool) {
	for w := range uint8(m.MaxView + 1) {
		if s.Committed[op-1]&pairBit(v, w) != 0 && m.counts(s, r, op, v, w) {
			return w, true
		}
	}
	return 0, false
}

// allVotes is Merge!AllVotes: what the replicas would vote now. The second result tells
// whether one of them is wiped.
func (m *machine) allVotes(s *State) ([ReplicasMax]Vote, bool) {
	var votes [ReplicasMax]Vote
	wiped := false
	for r := range uint8(m.N) {
		votes[r] = m.voteOf(s, r)
		wiped = wiped || s.Replicas[r].Status == Wiped
	}
	return votes, wiped
}

// noBlock is Merge!NoBlock: were all replicas to vote now, each op would be decided.
func (m *machine) noBlock(s *State) error {
	votes, wiped := m.allVotes(s)
	if wiped {
		return nil
	}
	if d := m.rules.Decide(votes[:m.N], nil); d.Outcome == Blocked {
		return fmt.Errorf("were all to vote now, ops %v would be blocked", d.Open.Ops())
	}
	return nil
}

// noWait is Merge!NoWait: a parked primary to which all votes were sent has the log that
// they decide, or may merge again.
func (m *machine) noWait(s *State) error {
	for p := range uint8(m.N) {
		x := &s.Replicas[p]
		if !x.Parked || m.primary(x.View) != p {
			continue
		}
		var err error
		m.eachChoice(s, p, x.View, func(set ReplicaSet, votes []Vote) {
			if len(votes) < m.N {
				return
			}
			decided, may := m.mayMerge(x, set, votes)
			if !may && decided.Log.Headers != x.Merged.Log.Headers ||
				!may && decided.Log.Length != x.Merged.Log.Length {
				err = fmt.Errorf("r%d is parked with %d ops of the votes of %s, while all votes "+
					"decide on %d", p, x.Merged.Log.Length, x.Merged.Voters, decided.Log.Length)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// primaryWhole is Merge!PrimaryWhole: a primary has a body for each op it starts with.
func (m *machine) primaryWhole(s *State) error {
	for p := range uint8(m.N) {
		x := &s.Replicas[p]
		for i, body := range x.Log.Bodies[:x.Log.Length] {
			if m.isPrimary(s, p) && (body == Hollow || body == Doubtful) {
				return fmt.Errorf("r%d is the primary of view %d without the body of op %d",
					p, x.View, i+1)
			}
		}
	}
	return nil
}

// bodyTrue is Merge!BodyTrue: a body is the one that its header names.
func (m *machine) bodyTrue(s *State) error {
	for r := range m.N {
		for i, body := range s.Replicas[r].Log.Bodies {
			if body == Other {
				return fmt.Errorf("r%d has another entry's body at op %d", r, i+1)
			}
		}
	}
	return nil
}

// logMatching is Merge!LogMatching: an entry determines what lies below it.
func (m *machine) logMatching(s *State) error {
	var logs [ReplicasMax + viewsMax]*Log
	n := 0
	for r := range m.N {
		logs[n] = &s.Replicas[r].Log
		n++
	}
	for v := range uint8(m.MaxView + 1) {
		if s.hasStarted(v) {
			logs[n] = &s.ViewLog[v]
			n++
		}
	}
	for i, a := range logs[:n] {
		for _, b := range logs[:i] {
			same := true
			for op := int(min(a.Length, b.Length)) - 1; op >= 0; op-- {
				equal := a.Headers[op] == b.Headers[op]
				if !equal && !same {
					return fmt.Errorf("two logs agree at an op above op %d, and not there", op+1)
				}
				same = !equal
			}
		}
	}
	return nil
}

// eachSet visits each set of the votes that is not empty. The slice is reused.
func (m *machine) eachSet(votes []Vote, visit func(votes []Vote)) {
	var buffer [ReplicasMax]Vote
	for mask := uint32(1); mask < 1<<len(votes); mask++ {
		chosen := buffer[:0]
		for i := range votes {
			if mask>>i&1 != 0 {
				chosen = append(chosen, votes[i])
			}
		}
		visit(chosen)
	}
}

// knownKept is Merge!KnownKept: no merge drops what its votes know to be committed.
func (m *machine) knownKept(s *State) error {
	var votes [ReplicasMax]Vote
	n := 0
	for r := range uint8(m.N) {
		if s.Replicas[r].Status != Wiped {
			votes[n] = m.voteOf(s, r)
			n++
		}
	}
	var err error
	m.eachSet(votes[:n], func(votes []Vote) {
		if err != nil || !m.rules.HasQuorum(votes) {
			return
		}
		d := m.rules.Decide(votes, nil)
		if d.Kept < min(d.Commit, d.Kept+d.Dropped) {
			err = fmt.Errorf("a merge of %d votes drops op %d, though one knows commit number %d",
				len(votes), d.Kept+1, d.Commit)
		}
	})
	return err
}

var errUndecided = errors.New("nothing was lost, yet a quorum does not decide and prove each op")

// quorumDecides is Merge!QuorumDecides: where nothing was lost, any quorum proves what
// it keeps.
func (m *machine) quorumDecides(s *State) error {
	if s.Count.Rot > 0 || s.Count.Power > 0 || s.Count.Wipe > 0 {
		return nil
	}
	all, _ := m.allVotes(s)
	var err error
	m.eachSet(all[:m.N], func(votes []Vote) {
		if err != nil || len(votes) < m.rules.Quorums.ViewChange {
			return
		}
		d := m.rules.Decide(votes, nil)
		if d.Open != 0 {
			err = fmt.Errorf("ops %v: %w", d.Open.Ops(), errUndecided)
		}
		for op := uint8(1); op <= d.Kept; op++ {
			proved := false
			for i := range votes {
				proved = proved || m.rules.WhatVoteSays(&votes[i], op, d.Headers[op-1]).Proves
			}
			if !proved {
				err = fmt.Errorf("op %d: %w", op, errUndecided)
			}
		}
	})
	return err
}
