package transfer

import (
	"encoding/binary"
	"fmt"
)

// Status is a replica's status.
type Status uint8

// The statuses.
const (
	Normal Status = iota + 1
	ViewChange
	// Recovering is down, or back and asking.
	Recovering
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
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Stages of a state transfer: none, fetching, and before each durable step of the
// install.
const (
	stageNone = iota
	stageFetch
	stageFirst
	stageSecond
	stageLast
)

// Transfer is a state transfer; the zero value is none.
type Transfer struct {
	Stage, Sender uint8
	Target        Entry
	// Chunks holds, for each chunk that has come, the checkpoint of which it is one.
	Chunks     [ChunksMax]Entry
	ChunkCount uint8
}

// StartView is what a new primary sends; the zero value is none.
type StartView struct {
	Headers   Log
	CommitMax uint8
	Sent      bool
}

// Replica is what a replica has, in memory and on disk.
type Replica struct {
	// PrepareOKs holds, at the primary of its view, what each replica acknowledged.
	PrepareOKs [ReplicasMax]EntrySet
	Bodies     EntrySet

	Status            Status
	View, LogView     uint8
	Headers           Log
	Executed          Entry
	CommitMax         uint8
	Snapshot, Pairing Entry
	Base              uint8
	Barrier           uint8
	Transfer          Transfer
}

// State is a state of Transfer.tla. Replica r is element r; what is beyond the
// constants stays zero. It is a value: assignment copies it.
type State struct {
	Replicas   [ReplicasMax]Replica
	StartViews [ViewMax + 1]StartView

	Requests, Crashes, Checkpoints uint8

	// ViewLogs is the head of each view's log, Committed the newest committed entry.
	ViewLogs  [ViewMax + 1]Entry
	Committed Entry
	// Rewound is true once a replica executed an op again without a restart.
	Rewound bool
}

// initial is Transfer!Init.
func (m *machine) initial() []State {
	var s State
	for r := range m.N {
		s.Replicas[r].Status = Normal
	}
	return []State{s}
}

func (m *machine) commitMin(x *Replica) int { return int(m.length[x.Executed]) }

// primary is Transfer!Primary.
func (m *machine) primary(view uint8) int { return int(view) % m.N }

func (m *machine) isPrimary(s *State, r int) bool {
	x := &s.Replicas[r]
	return x.Status == Normal && m.primary(x.View) == r
}

func (m *machine) isBackup(s *State, r int) bool {
	x := &s.Replicas[r]
	return x.Status == Normal && m.primary(x.View) != r
}

// isMerged is Transfer!IsMerged: an elect that has the log of its view and has not
// started it.
func (m *machine) isMerged(s *State, r int) bool {
	x := &s.Replicas[r]
	return x.Status == ViewChange && m.primary(x.View) == r && x.LogView == x.View
}

// primaryOf returns the primary that backup r has, if it is there: Transfer!Primaries.
func (m *machine) primaryOf(s *State, r int) (*Replica, bool) {
	p := m.primary(s.Replicas[r].View)
	if p == r || !m.isPrimary(s, p) || s.Replicas[p].View != s.Replicas[r].View {
		return nil, false
	}
	return &s.Replicas[p], true
}

func (x *Replica) live() bool { return x.Status != Recovering }

func (x *Replica) installing() bool { return x.Transfer.Stage > stageFetch }

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	for r := range m.N {
		x := &s.Replicas[r]
		dst = append(dst, byte(x.Status)|x.View<<2|x.LogView<<4, byte(x.Executed), x.CommitMax,
			byte(x.Snapshot), byte(x.Pairing), x.Base, x.Barrier, x.Headers.Length)
		dst = appendEntries(dst, x.Headers.Entries[:x.Headers.Length])
		dst = binary.AppendUvarint(dst, uint64(x.Bodies))
		for _, acknowledged := range x.PrepareOKs[:m.N] {
			dst = binary.AppendUvarint(dst, uint64(acknowledged))
		}
		t := &x.Transfer
		dst = append(dst, t.Stage)
		if t.Stage != stageNone {
			dst = append(dst, t.Sender, byte(t.Target), t.ChunkCount)
			dst = appendEntries(dst, t.Chunks[:t.ChunkCount])
		}
	}
	if m.LateStartViews {
		for v := range m.MaxView + 1 {
			w := &s.StartViews[v]
			dst = append(dst, w.CommitMax<<1|b2i(w.Sent), w.Headers.Length)
			dst = appendEntries(dst, w.Headers.Entries[:w.Headers.Length])
		}
	}
	dst = append(dst, s.Requests, s.Crashes<<4|s.Checkpoints, byte(s.Committed), b2i(s.Rewound))
	return appendEntries(dst, s.ViewLogs[:m.MaxView+1])
}

func appendEntries(dst []byte, entries []Entry) []byte {
	for _, e := range entries {
		dst = append(dst, byte(e))
	}
	return dst
}

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}
