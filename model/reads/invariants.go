package reads

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Reads.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"ReadFresh", readFresh},
		{"ReadOrder", readOrder},
		{"ReadReal", readReal},
		{"SerializablePrefix", serializablePrefix},
		{"NoStall", m.noStall},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// eachRead visits the reads of a label, numbered from 1, until visit returns an error.
func (s *State) eachRead(label ReadLabel, visit func(i int, x *Read) error) error {
	for i := range int(s.ReadCount) {
		if x := &s.Reads[i]; x.Label == label {
			if err := visit(i+1, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFresh is Reads!ReadFresh: a linearizable read shows what was acknowledged when it
// arrived.
func readFresh(s *State) error {
	return s.eachRead(Linearizable, func(i int, x *Read) error {
		if x.Shown.Len < x.Floor {
			return fmt.Errorf("read %d shows the log up to op %d, and op %d was acknowledged "+
				"before it arrived", i, x.Shown.Len, x.Floor)
		}
		return nil
	})
}

// readOrder is Reads!ReadOrder: it shows what any linearizable read had shown.
func readOrder(s *State) error {
	return s.eachRead(Linearizable, func(i int, x *Read) error {
		if x.Shown.Len < x.Seen {
			return fmt.Errorf("read %d shows the log up to op %d, and a read had shown op %d "+
				"before it arrived", i, x.Shown.Len, x.Seen)
		}
		return nil
	})
}

// readReal is Reads!ReadReal: a linearizable read shows committed ops only.
func readReal(s *State) error { return s.eachRead(Linearizable, s.showsCommitted) }

// serializablePrefix is Reads!SerializablePrefix: so does a local read.
func serializablePrefix(s *State) error { return s.eachRead(Serializable, s.showsCommitted) }

func (s *State) showsCommitted(i int, x *Read) error {
	if !x.Shown.begins(s.Committed) {
		return fmt.Errorf("read %d shows %v, and committed is %v", i, x.Shown, s.Committed)
	}
	return nil
}

// noStall is Reads!NoStall: a read that waits at a primary which a replication quorum
// follows, or at a backup of that view, can be answered, or a step brings it nearer.
func (m *machine) noStall(s *State) error {
	err := s.eachRead(Indexed, func(i int, x *Read) error {
		at := int(x.At)
		if s.Status[at] != Normal || s.View[at] != x.View || m.canAnswer(s, i-1) ||
			canExecute(s, at) || m.canReceivePrepare(s, at) ||
			s.CommitMax[at] < s.Commits[x.View] {
			return nil
		}
		return fmt.Errorf("read %d waits for ever at backup %d for op %d", i, at, x.Index)
	})
	if err != nil {
		return err
	}
	return s.eachRead(Waiting, func(i int, x *Read) error {
		inView, moves := 0, false
		for r := range m.N {
			if s.Status[r] != Normal || s.View[r] != x.View {
				continue
			}
			inView++
			moves = moves || m.canConfirm(s, r, i-1) || m.canReceivePrepare(s, r)
		}
		at := int(x.At)
		if inView < m.replication() || moves || m.canAnswer(s, i-1) ||
			m.canAnswerIndex(s, i-1) || canExecute(s, at) || m.canCommit(s, at) {
			return nil
		}
		return fmt.Errorf("read %d waits for ever at replica %d, which %d replicas of %d follow",
			i, at, inView, m.N)
	})
}
