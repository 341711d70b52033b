package metadata

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// ErrDamaged means that bytes are not a snapshot that a machine wrote.
var ErrDamaged = errors.New("not a snapshot of a catalogue")

// groupMax bounds the ids of groups, so that they cannot run out.
const groupMax = 1 << 62

// Restore replaces the state by that of a snapshot, also its limits. The machine keeps nothing
// of the bytes. [Machine.TakeChanges] reports next what that changed.
//
// The bytes may come from anywhere: whatever they are, Restore does not panic and takes memory in
// proportion to their number. What it accepts, AppendSnapshot gives back to the byte.
//
// Errors: [ErrDamaged] with what is wrong and where; the state is as before then.
//
// Source: R17, R21.
func (m *Machine) Restore(snapshot []byte) error {
	restored := New(DefaultLimits())
	r := reader{left: snapshot}
	err := restored.restore(&r)
	if err == nil && !bytes.Equal(restored.AppendSnapshot(nil), snapshot) {
		err = damaged("other bytes than those of its content")
	}
	if err != nil {
		return fmt.Errorf("restore catalogue at byte %d of %d: %w",
			len(snapshot)-len(r.left), len(snapshot), err)
	}
	restored.feed, restored.figures = m.feed, m.figures
	*m = *restored
	m.touchAll()
	return nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

func (m *Machine) restore(r *reader) error {
	size := len(r.left)
	if size < snapshotHeaderBytes+snapshotChecksumBytes {
		return damaged("%d bytes, expected at least %d",
			size, snapshotHeaderBytes+snapshotChecksumBytes)
	}
	end := size - snapshotChecksumBytes
	tail := reader{left: r.left[end:]}
	want, got := wire.ChecksumOf(r.left[:end]), wire.Checksum{Lo: tail.u64(), Hi: tail.u64()}
	if magic := r.left[:len(snapshotMagic)]; string(magic) != snapshotMagic {
		return damaged("it begins with %q, expected %q", magic, snapshotMagic)
	}
	if got != want {
		return damaged("checksum %v, expected %v", got, want)
	}
	r.left = r.left[len(snapshotMagic):end]
	for _, limit := range m.limits.fields() {
		*limit = r.u32()
	}
	if err := m.limits.Validate(); err != nil {
		return damaged("%v", err)
	}
	m.nextGroup = wire.GroupID(r.u64())
	if m.nextGroup <= MetadataGroup || m.nextGroup > groupMax {
		return damaged("next group is %d, expected 1 to %d", m.nextGroup, uint64(groupMax))
	}
	users, streams := uint32(0), uint32(0)
	m.users, users = newNamed[*user](r.u32()), r.u32()
	m.streams, streams = newNamed[*stream](r.u32()), r.u32()
	if err := m.restoreUsers(r, users); err != nil {
		return err
	}
	if err := m.restoreStreams(r, streams); err != nil {
		return err
	}
	if len(r.left) > 0 {
		return damaged("%d bytes follow the last stream", len(r.left))
	}
	return nil
}

func (m *Machine) restoreUsers(r *reader, count uint32) error {
	if err := r.count("users", count, m.limits.Users, userBytesMin); err != nil {
		return err
	}
	for range count {
		u := &user{}
		if err := restoreLabel(r, &m.users, u, "user"); err != nil {
			return err
		}
		if err := m.restoreUser(r, u); err != nil {
			return fmt.Errorf("user %d: %w", u.id, err)
		}
	}
	root, found := m.users.byID(RootID)
	if !found || root.status != protocol.UserActive || root.permissions != nil {
		return damaged("no active root without permissions")
	}
	return nil
}

func (m *Machine) restoreUser(r *reader, u *user) error {
	u.status, u.hash = protocol.UserStatus(r.u8()), r.name()
	switch {
	case u.status != protocol.UserActive && u.status != protocol.UserInactive:
		return damaged("status is %d, expected 1 or 2", u.status)
	case !validHash(u.hash) && (u.hash != "" || u.id != RootID):
		return damaged("its password is not hashed")
	}
	if has := r.u8(); has == 1 {
		p, size := &protocol.Permissions{}, r.u32()
		if err := protocol.Decode(r.bytes(int64(size)), p); err != nil {
			return damaged("its permissions: %v", err)
		}
		if size > m.limits.PermissionBytes {
			return damaged("permissions of %d bytes, expected at most %d",
				size, m.limits.PermissionBytes)
		}
		u.permissions = p
	} else if has != 0 {
		return damaged("it has permissions %d times, expected 0 or 1", has)
	}
	count := r.u32()
	if err := r.count("tokens", count, m.limits.Tokens, tokenBytesMin); err != nil {
		return err
	}
	last := ""
	for range count {
		t := &token{user: u, created: r.u64(), expires: r.u64()}
		copy(t.digest[:], r.bytes(int64(len(t.digest))))
		t.name = r.name()
		if _, known := m.tokens[t.digest]; known || t.name <= last || !validName(t.name) {
			return damaged("token %q after %q, expected another digest, rising names",
				t.name, last)
		}
		last = t.name
		u.tokens = append(u.tokens, t)
		m.tokens[t.digest] = t
	}
	return nil
}

func (m *Machine) restoreStreams(r *reader, count uint32) error {
	if err := r.count("streams", count, m.limits.Streams, streamBytesMin); err != nil {
		return err
	}
	for range count {
		s := &stream{}
		if err := restoreLabel(r, &m.streams, s, "stream"); err != nil {
			return err
		}
		s.topics = newNamed[*topic](r.u32())
		topics := r.u32()
		if err := r.count("topics", topics, m.limits.Topics, topicBytesMin); err != nil {
			return fmt.Errorf("stream %d: %w", s.id, err)
		}
		for range topics {
			t := &topic{stream: s}
			err := restoreLabel(r, &s.topics, t, "topic")
			if err == nil {
				err = m.restoreTopic(r, t)
			}
			if err != nil {
				return fmt.Errorf("stream %d, topic %d: %w", s.id, t.id, err)
			}
		}
	}
	return nil
}

func (m *Machine) restoreTopic(r *reader, t *topic) error {
	t.options = restoreTopicOptions(r)
	given := r.u32()
	if err := r.count("options", given, limitMax, optionBytesBesides+2); err != nil {
		return err
	}
	for range given {
		o := protocol.Option{Key: r.name(), Kind: protocol.ValueKind(r.u8())}
		o.Value = []byte(r.name())
		t.given = append(t.given, o)
	}
	_, code := resolve(t.options, t.given, m.limits.OptionBytes, creating)
	if code != protocol.StatusOK || !t.options.valid() {
		return damaged("its options are out of range")
	}
	partitions := r.u32()
	t.consumers = newNamed[*consumerGroup](r.u32())
	consumers := r.u32()
	if err := r.count("partitions", partitions, m.room(0), partitionBytes); err != nil {
		return err
	}
	for i := range partitions {
		p := partition{group: wire.GroupID(r.u64()), created: r.u64(), purges: r.u64(), below: r.u64()}
		if _, taken := m.homes[p.group]; taken || p.group <= MetadataGroup || p.group >= m.nextGroup {
			return damaged("partition %d: group %d, expected another from 1 to %d",
				i, p.group, m.nextGroup-1)
		}
		m.homes[p.group] = home{topic: t, partition: i}
		t.partitions = append(t.partitions, p)
	}
	limit := m.limits.ConsumerGroups
	if err := r.count("consumer groups", consumers, limit, consumersBytesMin); err != nil {
		return err
	}
	for range consumers {
		g := &consumerGroup{}
		if err := restoreLabel(r, &t.consumers, g, "consumer group"); err != nil {
			return err
		}
		if err := m.restoreMembers(r, g); err != nil {
			return err
		}
	}
	return nil
}

func restoreTopicOptions(r *reader) TopicOptions {
	return TopicOptions{
		Compression: r.u8(), Expiry: r.u64(), MaxBytes: r.u64(), SegmentBytes: r.u64(),
		Durability: Durability(r.u8()), OffsetDurability: Durability(r.u8()),
		FlushMessages: r.u32(), FlushBytes: r.u64(),
		EnforceFsync: r.u8() == 1, Preallocate: r.u8() == 1,
	}
}

// restoreLabel reads the label of item and puts item into the set.
func restoreLabel[T labelled](r *reader, set *named[T], item T, what string) error {
	l := item.labelled()
	l.id, l.created, l.name = r.u32(), r.u64(), r.name()
	least := uint32(0)
	if n := len(set.items); n > 0 {
		least = set.items[n-1].labelled().id + 1
	}
	_, taken := set.byName(l.name)
	switch {
	case l.id < least || l.id >= set.next:
		return damaged("%s %d, expected %d to %d", what, l.id, least, int64(set.next)-1)
	case !validName(l.name):
		return damaged("%s %d: name of %d bytes, expected 1 to %d bytes of UTF-8",
			what, l.id, len(l.name), nameMaxBytes)
	case taken:
		return damaged("%s %d: name %q comes twice", what, l.id, l.name)
	}
	set.items = append(set.items, item)
	set.names[l.name] = item
	return nil
}

// reader takes a snapshot apart. Behind the end it reads zeros, which the last check of
// [Machine.Restore] finds, whatever they were taken for.
type reader struct{ left []byte }

func (r *reader) bytes(n int64) []byte {
	n = min(n, int64(len(r.left)))
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) number(size int64) uint64 {
	n := uint64(0)
	for i, b := range r.bytes(size) {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func (r *reader) u8() uint8    { return uint8(r.number(1)) }
func (r *reader) u32() uint32  { return uint32(r.number(4)) }
func (r *reader) u64() uint64  { return r.number(8) }
func (r *reader) name() string { return string(r.bytes(int64(r.u8()))) }

// count refuses a number of things above its limit or the bytes that are left.
func (r *reader) count(what string, n, limit uint32, bytesMin int64) error {
	if fits := int64(len(r.left)) / bytesMin; int64(n) > min(int64(limit), fits) {
		return damaged("%d %s in %d bytes, expected at most %d of %d bytes or more",
			n, what, len(r.left), min(limit, math.MaxUint32), bytesMin)
	}
	return nil
}
