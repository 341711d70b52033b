package transfer

import (
	"fmt"
	"math/bits"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Transfer.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"Agreement", m.agreement},
		{"NoRewind", m.noRewind},
		{"AckedDurable", m.ackedDurable},
		{"LogSpeaks", m.logSpeaks},
		{"Bootable", m.bootable},
		{"CommitKnown", m.commitKnown},
		{"FetchFollows", m.fetchFollows},
		{"SnapshotExecuted", m.snapshotExecuted},
		{"Admission", m.admission},
		{"NoStall", m.noStall},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// agreement is Transfer!Agreement: what a replica has executed, or holds in a snapshot,
// is what was committed, in order.
func (m *machine) agreement(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		if !m.prefix(x.Executed, s.Committed) {
			return fmt.Errorf("r%d executed %s, committed is %s",
				r, m.text(x.Executed), m.text(s.Committed))
		}
		if !m.prefix(x.Snapshot, s.Committed) {
			return fmt.Errorf("r%d has a snapshot of %s, committed is %s",
				r, m.text(x.Snapshot), m.text(s.Committed))
		}
	}
	return nil
}

// noRewind is Transfer!NoRewind: only a restart takes commit min back.
func (m *machine) noRewind(s *State) error {
	if s.Rewound {
		return fmt.Errorf("an install took a replica's commit min back")
	}
	return nil
}

// ackedDurable is Transfer!AckedDurable: a committed entry is in the logs, or covered
// by the snapshots, of a replication quorum.
func (m *machine) ackedDurable(s *State) error {
	for op := 1; op <= int(m.length[s.Committed]); op++ {
		e := m.cut[s.Committed][op]
		var holders ReplicaSet
		for r := range m.N {
			if m.holds(&s.Replicas[r], op, e) {
				holders |= 1 << r
			}
		}
		if bits.OnesCount8(uint8(holders)) < m.replicationQuorum() {
			return fmt.Errorf("op %d was committed as %s, only replicas %s hold it",
				op, m.text(e), holders)
		}
	}
	return nil
}

// holds is Transfer!Holds.
func (m *machine) holds(x *Replica, op int, e Entry) bool {
	if int(m.length[x.Snapshot]) >= op {
		return true
	}
	at := x.Headers.at(op)
	return x.Bodies.has(e) && op <= int(x.Headers.Length) && (at == 0 || at == e)
}

// logSpeaks is Transfer!LogSpeaks: the log view speaks for the log (R2).
func (m *machine) logSpeaks(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		for op := 1; op <= int(x.Headers.Length); op++ {
			e, log := x.Headers.at(op), s.ViewLogs[x.LogView]
			if e != 0 && e != m.cut[log][op] {
				return fmt.Errorf("r%d has log view %d, whose log is %s, and %s at op %d",
					r, x.LogView, m.text(log), m.text(e), op)
			}
		}
	}
	return nil
}

// bootable is Transfer!Bootable: a crash now leaves what a boot can start from.
func (m *machine) bootable(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		snapshot := m.length[x.Snapshot]
		if x.Base > snapshot || m.length[x.Pairing] > snapshot {
			return fmt.Errorf("r%d has a snapshot of op %d, the superblock names op %d, "+
				"the log is released up to %d", r, snapshot, m.length[x.Pairing], x.Base)
		}
	}
	return nil
}

// commitKnown is Transfer!CommitKnown: nothing executes that is not known as committed,
// and nothing is known as committed that is not.
func (m *machine) commitKnown(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		if m.commitMin(x) > int(x.CommitMax) || x.CommitMax > m.length[s.Committed] {
			return fmt.Errorf("r%d: commit min %d, commit max %d, committed up to %d",
				r, m.commitMin(x), x.CommitMax, m.length[s.Committed])
		}
	}
	return nil
}

// fetchFollows is Transfer!FetchFollows: who fetches has adopted the log of the target.
func (m *machine) fetchFollows(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Transfer.Stage == stageFetch && !m.isBackup(s, r) && !m.isMerged(s, r) {
			return fmt.Errorf("r%d fetches a checkpoint in view %d, and has not adopted the log of "+
				"that view", r, x.View)
		}
	}
	return nil
}

// snapshotExecuted is Transfer!SnapshotExecuted: memory is behind the snapshot in an
// install only.
func (m *machine) snapshotExecuted(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		if !x.installing() && int(m.length[x.Snapshot]) > m.commitMin(x) {
			return fmt.Errorf("r%d has executed up to op %d and has a snapshot of op %d",
				r, m.commitMin(x), m.length[x.Snapshot])
		}
	}
	return nil
}

// admission is Transfer!Admission: a primary prepares nothing of its view before it has
// executed what it booted with.
func (m *machine) admission(s *State) error {
	for r := range m.N {
		x := &s.Replicas[r]
		if x.Status == Recovering && x.Barrier != x.Headers.Length {
			return fmt.Errorf("r%d booted with head %d and barrier %d", r, x.Headers.Length, x.Barrier)
		}
		if !m.isPrimary(s, r) || int(x.Barrier) <= m.commitMin(x) {
			continue
		}
		views := m.views[x.Headers.tip()]
		if n := len(views); n > 0 && views[n-1] == x.View {
			return fmt.Errorf("r%d prepared op %d of view %d with op %d executed, it booted with op %d",
				r, x.Headers.Length, x.View, m.commitMin(x), x.Barrier)
		}
	}
	return nil
}

// noStall is Transfer!NoStall: where a quorum follows a primary and somebody has not
// caught up, or an elect has merged and all are there, some fair step can be taken.
func (m *machine) noStall(s *State) error {
	for p := range m.N {
		switch {
		case m.followed(s, p) && !m.caughtUp(s, p):
			if !m.canStep(s) {
				return fmt.Errorf("r%d is followed by a quorum, not all have caught up, "+
					"and nobody can take a step", p)
			}
			return nil
		case m.starting(s, p):
			if !m.canStep(s) {
				return fmt.Errorf("r%d has merged and cannot start, all replicas are there, "+
					"and nobody can take a step", p)
			}
			return nil
		}
	}
	return nil
}

// followed is Transfer!Followed.
func (m *machine) followed(s *State, p int) bool {
	if !m.isPrimary(s, p) {
		return false
	}
	count := 0
	for r := range m.N {
		if x := &s.Replicas[r]; x.Status == Normal && x.View == s.Replicas[p].View {
			count++
		}
	}
	return count >= m.replicationQuorum()
}

// caughtUp is Transfer!CaughtUp.
func (m *machine) caughtUp(s *State, p int) bool {
	primary := &s.Replicas[p]
	if int(primary.Barrier) > m.commitMin(primary) {
		return false
	}
	for r := range m.N {
		x := &s.Replicas[r]
		if !x.live() || x.View > primary.View {
			continue
		}
		if x.Status != Normal || x.View != primary.View || x.Transfer.Stage != stageNone ||
			x.Headers.tip() != primary.Headers.tip() ||
			m.commitMin(x) != int(primary.Headers.Length) {
			return false
		}
	}
	return true
}

// starting is Transfer!Starting.
func (m *machine) starting(s *State, p int) bool {
	if !m.isMerged(s, p) {
		return false
	}
	for r := range m.N {
		if x := &s.Replicas[r]; !x.live() || x.View > s.Replicas[p].View {
			return false
		}
	}
	return true
}
