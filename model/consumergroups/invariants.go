package consumergroups

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of ConsumerGroups.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"OneReader", m.oneReader},
		{"MembersLive", m.membersLive},
		{"EndsForAReason", endsForAReason},
		{"MemberOnce", m.memberOnce},
		{"IDsOnce", idsOnce},
		{"GroupsEqual", m.groupsEqual},
		{"GenerationTells", generationTells},
		{"GenerationRises", generationRises},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// oneReader is ConsumerGroups!OneReader: each partition is in the share of exactly one member.
func (m *machine) oneReader(s *State) error {
	for r := range m.N {
		g := &s.Group[r]
		d := m.shares(g, 0)
		for p := uint8(1); p <= g.Partitions && g.Count > 0; p++ {
			readers := 0
			for _, x := range d.Shares[:d.Count] {
				readers += int(x.Partitions >> (p - 1) & 1)
			}
			if readers != 1 {
				return fmt.Errorf("partition %d has %d readers at replica %d, expected one",
					p, readers, r)
			}
		}
	}
	return nil
}

// membersLive is ConsumerGroups!MembersLive: each member has a session.
func (m *machine) membersLive(s *State) error {
	for r := range m.N {
		for _, x := range s.Group[r].Members[:s.Group[r].Count] {
			if s.Table[r][x.Client-1].Session == 0 {
				return fmt.Errorf("client %d is a member at replica %d and has no session",
					x.Client, r)
			}
		}
	}
	return nil
}

// endsForAReason is ConsumerGroups!EndsForAReason: a member stays one until it leaves, logs out
// of its own session, or is evicted.
func endsForAReason(s *State) error {
	for op := uint8(1); op <= s.LogLength; op++ {
		for c := uint8(1); c <= ClientsMax; c++ {
			if s.Ended&(1<<(4*(op-1)+c)) == 0 {
				continue
			}
			x, reason := s.Log[op-1], false
			switch x.Kind {
			case RegisterKind:
				reason = x.Client != c
			case LeaveKind:
				reason = x.Client == c
			case LogoutKind:
				reason = x.Client == c
				for later := x.Number + 1; later <= op; later++ {
					reason = reason && !s.registered(c, later)
				}
			case JoinKind, ChangeKind:
			}
			if !reason {
				return fmt.Errorf("client %d is no member any more after op %d, %s", c, op, x)
			}
		}
	}
	return nil
}

// memberOnce is ConsumerGroups!MemberOnce: a client is a member at one place.
func (m *machine) memberOnce(s *State) error {
	for r := range m.N {
		var seen uint8
		for _, x := range s.Group[r].Members[:s.Group[r].Count] {
			if seen&(1<<x.Client) != 0 {
				return fmt.Errorf("client %d is a member twice at replica %d", x.Client, r)
			}
			seen |= 1 << x.Client
		}
	}
	return nil
}

// idsOnce is ConsumerGroups!IDsOnce: an id is given once.
func idsOnce(s *State) error {
	var seen uint8
	for op := range OpMax {
		given := uint8(s.IDs >> (8 * op))
		if seen&given != 0 {
			return fmt.Errorf("op %d gives an id of set %s again", op+1, canonicalBits(given>>1))
		}
		seen |= given
	}
	return nil
}

// agreed is ConsumerGroups!Agreed: what replicas have to agree on.
func (g *Group) agreed() Group {
	a := *g
	a.Known = 0
	return a
}

// groupsEqual is ConsumerGroups!GroupsEqual: equal ops, equal groups.
func (m *machine) groupsEqual(s *State) error {
	for q := range m.N {
		for r := range q {
			if s.CommitMin[r] == s.CommitMin[q] && s.Group[r].agreed() != s.Group[q].agreed() {
				return fmt.Errorf("at op %d replica %d has %s, replica %d has %s", s.CommitMin[r],
					r, canonicalGroup(&s.Group[r]), q, canonicalGroup(&s.Group[q]))
			}
		}
		c := &s.Checkpoint
		if c.Op == s.CommitMin[q] && c.Group.agreed() != s.Group[q].agreed() {
			return fmt.Errorf("at op %d the checkpoint has %s, replica %d has %s", c.Op,
				canonicalGroup(&c.Group), q, canonicalGroup(&s.Group[q]))
		}
	}
	return nil
}

// generationTells is ConsumerGroups!GenerationTells: in one generation there is one deal.
func generationTells(s *State) error {
	for i, a := range s.Dealt[:s.DealtCount] {
		for _, b := range s.Dealt[:i] {
			if a.Generation == b.Generation && (a.Count != b.Count || a.Shares != b.Shares) {
				return fmt.Errorf("generation %d has one deal after op %d and another after op %d",
					a.Generation, b.Op, a.Op)
			}
		}
	}
	return nil
}

// generationRises is ConsumerGroups!GenerationRises: later ops have no lower generation.
func generationRises(s *State) error {
	for _, a := range s.Dealt[:s.DealtCount] {
		for _, b := range s.Dealt[:s.DealtCount] {
			if a.Op <= b.Op && a.Generation > b.Generation {
				return fmt.Errorf("generation %d after op %d, and %d after op %d",
					a.Generation, a.Op, b.Generation, b.Op)
			}
		}
	}
	return nil
}
