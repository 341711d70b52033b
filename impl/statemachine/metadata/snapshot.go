package metadata

import (
	"encoding/binary"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The format is drawn in the package comment. These numbers belong to it and stay.
const (
	snapshotMagic = "VMD2"

	snapshotHeaderBytes   = 4 + 4*len(limitNames) + 8 + 4 + 4 + 4 + 4
	snapshotChecksumBytes = 16

	// The least that each thing takes, to bound counts before memory is taken.
	userBytesMin      = 4 + 8 + 1 + 2 + 1 + 4
	tokenBytesMin     = 8 + 8 + credentials.DigestBytes + 2
	streamBytesMin    = 4 + 8 + 2 + 4 + 4
	topicBytesMin     = 4 + 8 + 2 + optionsBytes + 4 + 4 + 4 + 4
	partitionBytes    = 8 + 8 + 8 + 8
	consumersBytesMin = 4 + 8 + 2 + 4 + 8 + 4
	memberBytes       = 4 + 16

	// optionBytesBesides is what an option takes beside its key and value.
	optionBytesBesides = 3

	// optionsBytes is the size of what holds for a topic.
	optionsBytes = 1 + 8 + 8 + 8 + 1 + 1 + 4 + 8 + 1 + 1
)

// Checksum covers the whole state: it is that of the snapshot.
func (m *Machine) Checksum() wire.Checksum {
	return wire.ChecksumOf(m.appendState(nil))
}

// AppendSnapshot appends the snapshot of the state and returns it. Equal states have equal
// snapshots, to the byte.
//
// Source: R17, R21.
func (m *Machine) AppendSnapshot(dst []byte) []byte {
	start := len(dst)
	dst = m.appendState(dst)
	sum := wire.ChecksumOf(dst[start:])
	dst = binary.LittleEndian.AppendUint64(dst, sum.Lo)
	return binary.LittleEndian.AppendUint64(dst, sum.Hi)
}

var (
	u32 = binary.LittleEndian.AppendUint32
	u64 = binary.LittleEndian.AppendUint64
)

func appendName(dst []byte, name string) []byte {
	return append(append(dst, byte(len(name))), name...)
}

func appendLabel(dst []byte, l *label) []byte {
	return appendName(u64(u32(dst, l.id), l.created), l.name)
}

func (m *Machine) appendState(dst []byte) []byte {
	dst = append(dst, snapshotMagic...)
	for _, limit := range m.limits.fields() {
		dst = u32(dst, *limit)
	}
	dst = u64(dst, uint64(m.nextGroup))
	dst = u32(u32(dst, m.users.next), uint32(len(m.users.items)))
	dst = u32(u32(dst, m.streams.next), uint32(len(m.streams.items)))
	for _, u := range m.users.items {
		dst = appendUser(dst, u)
	}
	for _, s := range m.streams.items {
		dst = appendStream(dst, s)
	}
	return dst
}

func appendUser(dst []byte, u *user) []byte {
	dst = appendLabel(dst, &u.label)
	dst = append(dst, byte(u.status))
	dst = appendName(dst, u.hash)
	if u.permissions == nil {
		dst = append(dst, 0)
	} else {
		permissions := protocol.MustAppend(nil, u.permissions)
		dst = append(u32(append(dst, 1), uint32(len(permissions))), permissions...)
	}
	dst = u32(dst, uint32(len(u.tokens)))
	for _, t := range u.tokens {
		dst = u64(u64(dst, t.created), t.expires)
		dst = append(dst, t.digest[:]...)
		dst = appendName(dst, t.name)
	}
	return dst
}

func appendStream(dst []byte, s *stream) []byte {
	dst = appendLabel(dst, &s.label)
	dst = u32(u32(dst, s.topics.next), uint32(len(s.topics.items)))
	for _, t := range s.topics.items {
		dst = appendTopic(dst, t)
	}
	return dst
}

func appendTopic(dst []byte, t *topic) []byte {
	dst = appendLabel(dst, &t.label)
	dst = appendTopicOptions(dst, &t.options)
	dst = u32(dst, uint32(len(t.given)))
	for _, o := range t.given {
		dst = append(appendName(dst, o.Key), byte(o.Kind))
		dst = appendName(dst, string(o.Value))
	}
	dst = u32(dst, uint32(len(t.partitions)))
	dst = u32(u32(dst, t.consumers.next), uint32(len(t.consumers.items)))
	for _, p := range t.partitions {
		dst = u64(u64(u64(u64(dst, uint64(p.group)), p.created), p.purges), p.below)
	}
	for _, g := range t.consumers.items {
		dst = g.appendMembers(appendLabel(dst, &g.label))
	}
	return dst
}

func appendTopicOptions(dst []byte, o *TopicOptions) []byte {
	dst = append(dst, o.Compression)
	dst = u64(u64(u64(dst, o.Expiry), o.MaxBytes), o.SegmentBytes)
	dst = append(dst, byte(o.Durability), byte(o.OffsetDurability))
	dst = u64(u32(dst, o.FlushMessages), o.FlushBytes)
	return append(dst, flagByte(o.EnforceFsync), flagByte(o.Preallocate))
}

func flagByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
