package retention

import "fmt"

// Kind is what an op does.
type Kind uint8

// The kinds of ops.
const (
	// Send appends a message.
	Send Kind = iota + 1
	// Retain drops the oldest segments by age and size.
	Retain
	// Truncate drops the segments that end at or below an offset.
	Truncate
	// Purge drops everything, once in its generation.
	Purge
	// Store sets the offset of a consumer, Advance raises it.
	Store
	Advance
)

var kindNames = [...]string{
	Send: "send", Retain: "retain", Truncate: "truncate", Purge: "purge", Store: "store",
	Advance: "advance",
}

// String is the kind as the module writes it.
func (k Kind) String() string {
	if k < Send || k > Advance {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// ParseKind reads what [Kind.String] writes, of the kinds that a cfg may list.
func ParseKind(name string) (Kind, error) {
	for k := Retain; k <= Advance; k++ {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("Retention: op %q, expected one of %v", name, kindNames[Retain:])
}

// Op is a committed op. Number is the offset of a truncation, store or advance, and the
// generation of a purge. Fields that a kind has no use for are zero.
type Op struct {
	Kind             Kind
	Consumer, Number uint8
}

// Segment is one segment as ops count it: messages First to Next-1, the last sent at op Stamp.
type Segment struct{ First, Next, Stamp uint8 }

// Machine is what the log has made of the partition.
type Machine struct {
	// Start is the first offset that is kept, Next that of the next message.
	Start, Next uint8
	// Segments are from Start to Next; beyond Count all is zero.
	Segments [OpMax]Segment
	Count    uint8
	// Stored is the offset that each consumer reads next, 0 if it has stored none.
	Stored [ConsumersMax]uint8
	// Generation is that of the last purge.
	Generation uint8
}

// drop lets the oldest k segments go: Retention!Drop.
func (m *Machine) drop(k uint8) {
	if k == 0 {
		return
	}
	m.Start = m.Next
	if k < m.Count {
		m.Start = m.Segments[k].First
	}
	copy(m.Segments[:], m.Segments[k:])
	m.Count -= k
	clear(m.Segments[m.Count:])
}

// File is a segment in files: messages First to Next-1.
type File struct{ First, Next uint8 }

// Checkpoint is a machine at an op, with what was in files then.
type Checkpoint struct {
	Op, Filed uint8
	Machine   Machine
}

// State is a state of Retention.tla, variable by variable. What is beyond the constants stays
// zero. It is a value: assignment copies it.
type State struct {
	Log       [OpMax]Op
	LogLength uint8
	CommitMin [ReplicasMax]uint8
	Machine   [ReplicasMax]Machine

	// Files are the segments in files, of replica 0, dropped ones too; messages below Filed
	// are there, or were dropped before.
	Files     [filesMax]File
	FileCount uint8
	Filed     uint8
	// Pending is the snapshot that is not paired yet; its op is 0 if there is none.
	Pending, Checkpoint Checkpoint
	Restarts            uint8

	// Given are the offsets that replicas gave: bit 8*(op-1)+offset.
	Given uint64
	// Dropped is what went at an op, bits as above; element 1 is what some consumer had not
	// read.
	Dropped [2]uint64
	// Polled is the poll, if its op is not 0.
	Polled Polled
}

// Polled is a poll from an offset, and what it returned at an op: bit o is offset o.
type Polled struct {
	Op, From uint8
	Got      uint16
}

// bit is the place of an op and an offset in Given and Dropped.
func bit(op, offset uint8) uint64 { return 1 << (8*(op-1) + offset) }

// sends is Retention!Sends: how many messages the ops up to k have sent.
func (s *State) sends(k uint8) uint8 {
	var n uint8
	for _, x := range s.Log[:k] {
		if x.Kind == Send {
			n++
		}
	}
	return n
}

// sentAt is Retention!SentAt: the op that sent the message of an offset.
func (s *State) sentAt(offset uint8) uint8 {
	for op := uint8(1); op <= s.LogLength; op++ {
		if s.Log[op-1].Kind == Send && s.sends(op) == offset+1 {
			return op
		}
	}
	panic(fmt.Sprintf("retention: no op has sent offset %d", offset))
}

// inFiles reports whether the message of an offset is in a file.
func (s *State) inFiles(offset uint8) bool {
	for _, f := range s.Files[:s.FileCount] {
		if f.First <= offset && offset < f.Next {
			return true
		}
	}
	return false
}

// inMemory reports whether replica r has the message of an offset in memory.
func (s *State) inMemory(r int, offset uint8) bool {
	from := s.Machine[r].Start
	if r == 0 {
		from = s.Filed
	}
	return from <= offset && offset < s.Machine[r].Next
}

// appendKey appends a compact injective encoding of the state.
func (m *machine) appendKey(dst []byte, s *State) []byte {
	dst = append(dst, s.LogLength)
	for _, x := range s.Log[:s.LogLength] {
		dst = append(dst, byte(x.Kind), x.Consumer, x.Number)
	}
	for r := range m.N {
		dst = s.Machine[r].appendKey(append(dst, s.CommitMin[r]))
	}
	dst = append(dst, s.FileCount)
	for _, f := range s.Files[:s.FileCount] {
		dst = append(dst, f.First, f.Next)
	}
	dst = append(dst, s.Filed, s.Restarts)
	for _, c := range []*Checkpoint{&s.Pending, &s.Checkpoint} {
		dst = c.Machine.appendKey(append(dst, c.Op, c.Filed))
	}
	dst = append(dst, s.Polled.Op, s.Polled.From, byte(s.Polled.Got), byte(s.Polled.Got>>8))
	for _, set := range []uint64{s.Given, s.Dropped[0], s.Dropped[1]} {
		for shift := 0; shift < 64; shift += 8 {
			dst = append(dst, byte(set>>shift))
		}
	}
	return dst
}

func (m *Machine) appendKey(dst []byte) []byte {
	dst = append(dst, m.Start, m.Next, m.Generation, m.Count)
	for _, x := range m.Segments[:m.Count] {
		dst = append(dst, x.First, x.Next, x.Stamp)
	}
	return append(dst, m.Stored[:]...)
}
