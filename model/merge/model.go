package merge

import "github.com/viewstamp/viewstamp/model/explore"

// machine is a configuration with what the steps look up all the time.
type machine struct {
	Config
	rules Rules
	bug   bugSwitches
	// voting are the sets of replicas that may vote in one step.
	voting []ReplicaSet
}

// newMachine panics on a configuration that Validate refuses: that is the caller's bug.
func newMachine(c Config) *machine {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	m := &machine{Config: c, rules: NewRules(c.N, c.Policy, c.Bugs...), bug: switches(c.Bugs)}
	for set := ReplicaSet(1); set < 1<<c.N; set++ {
		if set.size() == 1 || m.together() && set.size() == m.rules.Quorums.ViewChange {
			m.voting = append(m.voting, set)
		}
	}
	return m
}

// Model returns the model of Merge.tla under c: view changes whose votes tell of lost
// bodies, of doubt and of lost disks. With c.Bugs empty all invariants hold; each mutant
// breaks the one that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Model(c Config) explore.Model[State, Action] {
	m := newMachine(c)
	return explore.Model[State, Action]{
		Name:      "Merge",
		Init:      m.initial,
		Next:      m.next,
		Key:       func(dst []byte, s State) []byte { return m.appendKey(dst, &s) },
		Canonical: func(dst []byte, s State) []byte { return m.appendCanonical(dst, &s) },
		Always:    m.invariants(),
		Sometimes: m.goals(),
		Format:    func(s State) []string { return m.format(&s) },
	}
}

// together reports whether the first votes of a view are those of a quorum, in one step.
func (m *machine) together() bool { return m.Together && !m.bug.voteBeforeQuorum }

// yielder takes the steps out of a state.
type yielder = func(Action, State)

// next yields the steps out of s: Merge!Next.
func (m *machine) next(s State, yield func(Action, State)) {
	for r := range uint8(m.N) {
		m.clientRequest(&s, r, yield)
		m.receivePrepare(&s, r, yield)
		m.primaryCommit(&s, r, yield)
		m.receiveCommit(&s, r, yield)
		m.becomePrimary(&s, r, yield)
		m.restart(&s, r, yield)
		m.wipe(&s, r, yield)
		for op := uint8(1); op <= s.Replicas[r].Log.Length; op++ {
			m.repairPrepare(&s, r, op, yield)
		}
		m.repairMerged(&s, r, yield)
		m.rot(&s, r, yield)
		m.powerLoss(&s, r, yield)
		for v := range uint8(m.MaxView + 1) {
			m.receiveStartView(&s, r, v, yield)
		}
		m.mergeVotes(&s, r, yield)
	}
	for v := uint8(1); int(v) <= m.MaxView; v++ {
		m.sendDoViewChange(&s, v, yield)
	}
}

// primary is the replica that leads view v.
func (m *machine) primary(v uint8) uint8 { return v % uint8(m.N) }

func (m *machine) isPrimary(s *State, r uint8) bool {
	x := &s.Replicas[r]
	return x.Status == Normal && m.primary(x.View) == r
}

func (m *machine) isBackup(s *State, r uint8) bool {
	x := &s.Replicas[r]
	return x.Status == Normal && m.primary(x.View) != r
}

// canFetch reports whether a replica other than r holds the entry: Merge!CanFetch.
func (m *machine) canFetch(s *State, r, op, view uint8) bool {
	for other := range uint8(m.N) {
		if other != r && s.Replicas[other].Log.holds(op, view) {
			return true
		}
	}
	return false
}

// acknowledge adds r's acknowledgement of an entry in view w.
func (s *State) acknowledge(r, op, view, w uint8) {
	s.PrepareOKs[r][op-1] |= pairBit(view, w)
}
