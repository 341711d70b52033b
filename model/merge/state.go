package merge

import (
	"encoding/binary"
	"fmt"
)

// Status is what a replica does.
type Status uint8

// The statuses of a replica.
const (
	Normal Status = iota + 1
	ViewChange
	Recovering
	// Wiped: it has lost its disk and takes no part until it holds a current log (R16).
	Wiped
)

// String is the status as the module writes it.
func (s Status) String() string {
	switch s {
	case Normal:
		return "normal"
	case ViewChange:
		return "view_change"
	case Recovering:
		return "recovering"
	case Wiped:
		return "wiped"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Merged is the log that a parked primary is about to start with.
type Merged struct {
	// Voters are those whose votes decided it.
	Voters ReplicaSet
	// Log has the kept headers. Its Bodies count only where the replica's own log has
	// another entry: Hollow, Stored, or Other in a mutant.
	Log    Log
	Commit uint8
}

// Replica is the state of one replica.
type Replica struct {
	Status        Status
	View, LogView uint8
	Log           Log
	// Adopted is the adopted head: headers up to it survive any crash.
	Adopted uint8
	// Commit is the commit number known.
	Commit  uint8
	Trusted bool
	// Parked says that Merged counts.
	Parked bool
	Merged Merged
}

// Votes are the votes sent for a view, sorted by key.
type Votes struct {
	Count uint8
	Votes [votesMax]Vote
}

// EntryViews is a set of pairs of views, of an entry and of a step: bit v*viewsMax+w.
type EntryViews uint32

func pairBit(v, w uint8) EntryViews { return 1 << (v*viewsMax + w) }

// rowBits are the pairs of an entry of view v.
func rowBits(v uint8) EntryViews { return (1<<viewsMax - 1) << (v * viewsMax) }

// Counts are what counts towards the bounds.
type Counts struct {
	Request, Rot, Restart, Power, Loss, Wipe uint8
}

// State is a state of Merge.tla. Replica r uses element r, op i element i-1; what is
// beyond the constants stays zero. It is a value: assignment copies it.
type State struct {
	Replicas [ReplicasMax]Replica
	Votes    [viewsMax]Votes
	// ViewLog is the log of each view as it is now, without Bodies; StartHead its length
	// when the view started, Started the views that have started: bit v.
	ViewLog   [viewsMax]Log
	StartHead [viewsMax]uint8
	Started   uint8
	// PrepareOKs are the acknowledgements of each replica for each op: the entry's view
	// and the view of the acknowledgement.
	PrepareOKs [ReplicasMax][OpMax]EntryViews
	// Committed has for each op the entry's view and the view of the commit.
	Committed [OpMax]EntryViews
	Count     Counts
}

func (s *State) hasStarted(v uint8) bool { return s.Started>>v&1 != 0 }

// eachPair visits the pairs of views in a set, ascending.
func (e EntryViews) eachPair(visit func(v, w uint8)) {
	for v := range uint8(viewsMax) {
		for w := range uint8(viewsMax) {
			if e&pairBit(v, w) != 0 {
				visit(v, w)
			}
		}
	}
}

// initial is Merge!Init.
func (m *machine) initial() []State {
	var s State
	for r := range m.N {
		s.Replicas[r] = Replica{Status: Normal, Trusted: true}
	}
	s.Started = 1
	return []State{s}
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	for r := range m.N {
		x := &s.Replicas[r]
		flags := byte(x.Status)
		if x.Trusted {
			flags |= 1 << 4
		}
		if x.Parked {
			flags |= 1 << 5
		}
		dst = append(dst, flags, x.View<<4|x.LogView, x.Adopted<<4|x.Commit)
		dst = appendLog(dst, &x.Log)
		if x.Parked {
			dst = append(dst, byte(x.Merged.Voters), x.Merged.Commit)
			dst = appendLog(dst, &x.Merged.Log)
		}
		for op := range m.MaxOp {
			dst = binary.AppendUvarint(dst, uint64(s.PrepareOKs[r][op]))
		}
	}
	for v := range m.MaxView + 1 {
		dst = append(dst, s.Votes[v].Count)
		for i := range s.Votes[v].Count {
			dst = appendVote(dst, &s.Votes[v].Votes[i])
		}
		dst = append(dst, s.StartHead[v])
		dst = appendLog(dst, &s.ViewLog[v])
	}
	for op := range m.MaxOp {
		dst = binary.AppendUvarint(dst, uint64(s.Committed[op]))
	}
	c := &s.Count
	return append(dst, s.Started, c.Request<<4|c.Rot, c.Restart<<4|c.Power, c.Loss<<4|c.Wipe)
}

func appendLog(dst []byte, l *Log) []byte {
	dst = append(dst, l.Length)
	for i := range l.Length {
		dst = append(dst, l.Headers[i]<<4|byte(l.Bodies[i]))
	}
	return dst
}

func appendVote(dst []byte, v *Vote) []byte {
	flags := v.Replica << 4
	if v.Trusted {
		flags |= 1
	}
	return appendLog(append(dst, flags, v.LogView<<4|v.Commit), &v.Log)
}
