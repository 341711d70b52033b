package reads

import (
	"fmt"
	"math/bits"
)

// Status is what a replica does in its view.
type Status uint8

// The statuses.
const (
	// Normal: it has the log of its view.
	Normal Status = iota + 1
	// ViewChange: it has voted, and waits for the view to start.
	ViewChange
)

// String is the status as the module writes it.
func (s Status) String() string {
	switch s {
	case Normal:
		return "normal"
	case ViewChange:
		return "view_change"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Log is a sequence of entries. An entry is the view that prepared it: with the op,
// which is its place from 1, that names a prepare. Beyond Len all is zero.
type Log struct {
	Len   uint8
	Views [OpMax]uint8
}

// with is the log with one more entry.
func (l Log) with(view uint8) Log {
	l.Views[l.Len] = view
	l.Len++
	return l
}

// prefix is the log up to op n.
func (l Log) prefix(n uint8) Log {
	clear(l.Views[n:])
	l.Len = n
	return l
}

// begins reports whether l is a prefix of other.
func (l Log) begins(other Log) bool { return l.Len <= other.Len && l == other.prefix(l.Len) }

// Vote is a DoViewChange. Sent is false where there is none, and all else zero.
type Vote struct {
	Sent            bool
	LogView, Commit uint8
	Log             Log
}

// ReadLabel is what a read is called.
type ReadLabel uint8

// The labels of reads.
const (
	// Waiting at a primary for its round, or for the walk to reach its index.
	Waiting ReadLabel = iota + 1
	// Indexed: a backup has been told the index, and waits for its own walk to reach it.
	Indexed
	// Linearizable: answered, and as new as the label says.
	Linearizable
	// Serializable: answered, perhaps from an old state.
	Serializable
	// GivenUp: the replica has left its view; the client asks again.
	GivenUp
)

// String is the label as the module writes it.
func (l ReadLabel) String() string {
	switch l {
	case Waiting:
		return "waiting"
	case Indexed:
		return "indexed"
	case Linearizable:
		return "linearizable"
	case Serializable:
		return "serializable"
	case GivenUp:
		return "given_up"
	}
	return fmt.Sprintf("ReadLabel(%d)", uint8(l))
}

// Read is one read. Fields that its label has no more use for are zero.
type Read struct {
	Label ReadLabel
	// At is the replica where it waits, View that replica's view, Index the op that must
	// be executed there before it is answered.
	At, View, Index uint8
	// Asker is who answers it after the round: At itself, or a backup.
	Asker uint8
	// Confirmed are the others that have confirmed the view to it: bit r is replica r.
	Confirmed uint8
	// Floor is the highest op that was acknowledged when it arrived, Seen the highest op
	// that a linearizable read had shown.
	Floor, Seen uint8
	// Shown is the answer: the executed log.
	Shown Log
}

// State is a state of Reads.tla, variable by variable. Replica r uses element r, view v
// element v, read i element i-1; what is beyond the constants stays zero. It is a value:
// assignment copies it.
type State struct {
	Status    [ReplicasMax]Status
	View      [ReplicasMax]uint8
	LogView   [ReplicasMax]uint8
	Log       [ReplicasMax]Log
	CommitMin [ReplicasMax]uint8
	CommitMax [ReplicasMax]uint8

	// Started are the views that have started: bit v is view v.
	Started uint8
	// Prepares is the log of the view's primary as it was sent; it began with Inherited
	// ops. Commits is the highest commit number sent.
	Prepares           [viewsMax]Log
	Inherited, Commits [viewsMax]uint8
	// PrepareOKs say up to which op a replica has acknowledged in the view.
	PrepareOKs [viewsMax][ReplicasMax]uint8
	Votes      [viewsMax][ReplicasMax]Vote

	Reads     [ReadMax]Read
	ReadCount uint8
	Clock     [ReplicasMax]uint8

	// Acknowledged is the highest op acknowledged to its client, Committed the log that
	// is committed.
	Acknowledged uint8
	Committed    Log
}

// initial is Reads!Init.
func (m *machine) initial() []State {
	s := State{Started: 1}
	for r := range m.N {
		s.Status[r] = Normal
	}
	return []State{s}
}

// isPrimary is Reads!IsPrimary.
func (m *machine) isPrimary(s *State, r int) bool {
	return s.Status[r] == Normal && m.primary(s.View[r]) == r
}

// isBackup is Reads!IsBackup.
func (m *machine) isBackup(s *State, r int) bool {
	return s.Status[r] == Normal && m.primary(s.View[r]) != r
}

// seen is Reads!Seen: what any linearizable read has shown so far.
func (s *State) seen() uint8 {
	var highest uint8
	for _, x := range s.Reads[:s.ReadCount] {
		if x.Label == Linearizable {
			highest = max(highest, x.Shown.Len)
		}
	}
	return highest
}

// giveUpReads is Reads!GiveUpReads: r leaves its view, and what waits there is given up.
func (s *State) giveUpReads(r int) {
	for i := range s.Reads {
		if x := &s.Reads[i]; x.Label == Waiting && int(x.At) == r {
			*x = Read{Label: GivenUp}
		}
	}
}

// gc is Reads!Gc: it removes what nobody can act on.
func (m *machine) gc(s *State) {
	for v := range m.MaxView + 1 {
		p := m.primary(uint8(v))
		if !m.prepareOKUseful(s, uint8(v)) {
			clear(s.PrepareOKs[v][:])
		}
		if int(s.View[p]) > v || int(s.View[p]) == v && s.Status[p] != ViewChange {
			clear(s.Votes[v][:])
		}
	}
}

// prepareOKUseful is Reads!PrepareOKUseful.
func (m *machine) prepareOKUseful(s *State, view uint8) bool {
	p := m.primary(view)
	return s.Status[p] == Normal && s.View[p] == view
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	for r := range m.N {
		dst = append(dst, byte(s.Status[r]), s.View[r], s.LogView[r], s.CommitMin[r],
			s.CommitMax[r], s.Clock[r])
		dst = appendLog(dst, s.Log[r])
	}
	dst = append(dst, s.Started, s.Acknowledged)
	dst = appendLog(dst, s.Committed)
	for v := range m.MaxView + 1 {
		dst = append(dst, s.Inherited[v], s.Commits[v])
		dst = appendLog(dst, s.Prepares[v])
		dst = append(dst, s.PrepareOKs[v][:m.N]...)
		for r := range m.N {
			x := &s.Votes[v][r]
			if !x.Sent {
				dst = append(dst, 0)
				continue
			}
			dst = appendLog(append(dst, 1, x.LogView, x.Commit), x.Log)
		}
	}
	for _, x := range s.Reads[:s.ReadCount] {
		dst = append(dst, byte(x.Label), x.At, x.View, x.Index, x.Asker, x.Confirmed, x.Floor,
			x.Seen)
		dst = appendLog(dst, x.Shown)
	}
	return dst
}

func appendLog(dst []byte, l Log) []byte {
	return append(append(dst, l.Len), l.Views[:l.Len]...)
}

// count is the number of replicas in a set.
func count(set uint8) int { return bits.OnesCount8(set) }
