package superblock

import (
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// Version is the only version of the record that this package writes and reads.
	Version = 1
	// GroupsMax bounds the groups of a record.
	GroupsMax = 1 << 16

	magic          = "VSSB"
	headerBytes    = 64
	groupBytes     = 72
	recordBytesMax = headerBytes + GroupsMax*groupBytes

	offsetVersion  = 4
	offsetSequence = 8
	offsetCluster  = 16
	offsetGroups   = 32
	offsetReserved = 36
	offsetChecksum = 48
	offsetState    = 8 // In a group.
)

// GroupState is the state of the replica of one group.
type GroupState struct {
	Group wire.GroupID
	VsrState
}

// Record is the content of a superblock: one update.
type Record struct {
	// Sequence counts the updates from 1.
	Sequence uint64
	Cluster  wire.ClusterID
	// Groups rise by Group.
	Groups []GroupState
}

// Find returns the state of a group, and whether it is there.
func (r Record) Find(group wire.GroupID) (VsrState, bool) {
	i, found := slices.BinarySearchFunc(r.Groups, group, compareGroup)
	if !found {
		return VsrState{}, false
	}
	return r.Groups[i].VsrState, true
}

func compareGroup(s GroupState, group wire.GroupID) int {
	switch {
	case s.Group < group:
		return -1
	case s.Group > group:
		return 1
	}
	return 0
}

// encode returns the bytes of the record.
func (r Record) encode() []byte {
	b := make([]byte, headerBytes, headerBytes+len(r.Groups)*groupBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint16(b[offsetVersion:], Version)
	binary.LittleEndian.PutUint64(b[offsetSequence:], r.Sequence)
	appendUint128(b[:offsetCluster], wire.Uint128(r.Cluster))
	binary.LittleEndian.PutUint32(b[offsetGroups:], uint32(len(r.Groups)))
	for _, g := range r.Groups {
		b = binary.LittleEndian.AppendUint64(b, uint64(g.Group))
		b = append(g.append(b), make([]byte, groupBytes-offsetState-StateBytes)...)
	}
	appendUint128(b[:offsetChecksum], wire.Uint128(checksum(b)))
	return b
}

// checksum covers all of a record but the checksum itself.
func checksum(b []byte) wire.Checksum {
	covered := slices.Concat(b[:offsetChecksum], b[headerBytes:])
	return wire.ChecksumOf(covered)
}

// decode reads a record. Unless why is zero, version is what the bytes say of themselves,
// 0 if they do not say it, and the record is empty.
func decode(b []byte) (r Record, version uint16, why Why) {
	if len(b) == 0 {
		return Record{}, 0, WhyEmptyFile
	}
	if len(b) < headerBytes {
		version, why := torn(b)
		return Record{}, version, why
	}
	if string(b[:len(magic)]) != magic {
		return Record{}, 0, WhyForeign
	}
	version = binary.LittleEndian.Uint16(b[offsetVersion:])
	if why := checkBytes(b, version); why != 0 {
		return Record{}, version, why
	}
	r = Record{
		Sequence: binary.LittleEndian.Uint64(b[offsetSequence:]),
		Cluster:  wire.ClusterID(getUint128(b[offsetCluster:])),
	}
	for at := headerBytes; at < len(b); at += groupBytes {
		g := GroupState{Group: wire.GroupID(binary.LittleEndian.Uint64(b[at:]))}
		state := b[at+offsetState:][:StateBytes]
		if g.UnmarshalBinary(state) != nil || g.Cluster != r.Cluster ||
			len(r.Groups) > 0 && r.Groups[len(r.Groups)-1].Group >= g.Group ||
			!zero(b[at+offsetState+StateBytes:at+groupBytes]) {
			return Record{}, version, WhyInvalid
		}
		r.Groups = append(r.Groups, g)
	}
	return r, version, 0
}

// torn says what is wrong with a file that is shorter than a header: it begins as ours do and is
// cut off, or it is something else. Where the cut leaves a version, it counts as ever: a newer
// program may have gone on from here (R16).
func torn(b []byte) (version uint16, why Why) {
	if n := min(len(b), len(magic)); string(b[:n]) != magic[:n] {
		return 0, WhyForeign
	}
	if len(b) < offsetVersion+2 {
		return 0, WhyDamaged
	}
	version = binary.LittleEndian.Uint16(b[offsetVersion:])
	if version != Version {
		return version, WhyOtherVersion
	}
	return version, WhyDamaged
}

// checkBytes verifies what can be said without looking at the groups.
func checkBytes(b []byte, version uint16) Why {
	if version != Version {
		// A version of its own, or a damaged one? With ours in its place it may verify.
		ours := slices.Clone(b)
		binary.LittleEndian.PutUint16(ours[offsetVersion:], Version)
		if checkBytes(ours, Version) != WhyDamaged {
			return WhyDamaged
		}
		return WhyOtherVersion
	}
	groups := binary.LittleEndian.Uint32(b[offsetGroups:])
	switch {
	case wire.Checksum(getUint128(b[offsetChecksum:])) != checksum(b):
		return WhyDamaged
	case groups > GroupsMax || len(b) != headerBytes+int(groups)*groupBytes:
		return WhyInvalid
	case !zero(b[offsetVersion+2 : offsetSequence]), !zero(b[offsetReserved:offsetChecksum]):
		return WhyInvalid
	case binary.LittleEndian.Uint64(b[offsetSequence:]) == 0:
		return WhyInvalid
	}
	return 0
}

func zero(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c != 0 })
}
