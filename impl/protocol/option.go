package protocol

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// ValueKind says what an option's value is. Kinds that are not listed are passed on.
type ValueKind uint8

// The kinds of values.
const (
	ValueBytes  ValueKind = 1
	ValueText   ValueKind = 2
	ValueBool   ValueKind = 3
	ValueUint8  ValueKind = 9
	ValueUint32 ValueKind = 11
	ValueUint64 ValueKind = 12
)

// Keys of the options of a topic.
const (
	// OptionCompression: "none" or "gzip"; only clients use it.
	OptionCompression = "compression_algorithm"
	// OptionExpiry is the age in microseconds at which messages may go.
	OptionExpiry = "message_expiry"
	// OptionMaxTopicSize is the size in bytes from which the oldest messages may go.
	OptionMaxTopicSize = "max_topic_size"
	// OptionSegmentSize is the size in bytes at which a segment is full.
	OptionSegmentSize = "segment_size"
	// OptionEnforceFsync: segments are flushed as they are written.
	OptionEnforceFsync = "enforce_fsync"
	// OptionMessagesToSave and OptionBytesToSave bound what is not in segments yet.
	OptionMessagesToSave = "messages_required_to_save"
	OptionBytesToSave    = "size_of_messages_required_to_save"
	// OptionPreallocate: the bytes of a segment are reserved when it begins.
	OptionPreallocate = "preallocate_segments"
	// OptionDurability is "persisted" or "replicated": when a send is acknowledged.
	OptionDurability = "durability"
	// OptionOffsetDurability is the same for stored offsets.
	OptionOffsetDurability = "consumer_offset_durability"
)

const (
	// OptionsMax is how many options a body may have.
	OptionsMax = 1024
	// OptionsBytesMax is how many bytes they may have together.
	OptionsBytesMax = 100_000
)

// Option is one setting.
type Option struct {
	// Key has 1 to 255 bytes, and is there once.
	Key string
	// Kind says how to read Value, which has 1 to 255 bytes.
	Kind  ValueKind
	Value []byte
}

// TextOption returns an option of kind text.
func TextOption(key, value string) Option {
	return Option{Key: key, Kind: ValueText, Value: []byte(value)}
}

// NumberOption returns an option of eight bytes.
func NumberOption(key string, value uint64) Option {
	return Option{Key: key, Kind: ValueUint64, Value: binary.LittleEndian.AppendUint64(nil, value)}
}

// String returns the option for people: key=value.
func (o Option) String() string {
	switch {
	case o.Kind == ValueText:
		return o.Key + "=" + string(o.Value)
	case o.Kind == ValueBool && len(o.Value) == 1:
		return o.Key + "=" + strconv.FormatBool(o.Value[0] != 0)
	case o.Kind == ValueUint8 && len(o.Value) == 1:
		return fmt.Sprintf("%s=%d", o.Key, o.Value[0])
	case o.Kind == ValueUint32 && len(o.Value) == 4:
		return fmt.Sprintf("%s=%d", o.Key, binary.LittleEndian.Uint32(o.Value))
	case o.Kind == ValueUint64 && len(o.Value) == 8:
		return fmt.Sprintf("%s=%d", o.Key, binary.LittleEndian.Uint64(o.Value))
	}
	return fmt.Sprintf("%s=%x", o.Key, o.Value)
}

// options are those up to the end of the body, or of the part that they stand in.
func (c *coder) options(all *[]Option) {
	start := c.offset()
	seen := map[string]bool{}
	toEnd(c, all, func(c *coder, o *Option) {
		at := c.offset()
		c.option(o)
		switch {
		case c.refused != nil:
		case seen[o.Key]:
			c.refuseAt(at, "option_key", fmt.Sprintf("%q again", o.Key), "each key once")
		case len(seen) == OptionsMax:
			c.refuseAt(at, "options", "more", fmt.Sprintf("at most %d", OptionsMax))
		case c.offset()-start > OptionsBytesMax:
			c.refuseAt(at, "options", "more", fmt.Sprintf("at most %d bytes", OptionsBytesMax))
		}
		seen[o.Key] = true
	})
}

func (c *coder) option(o *Option) {
	at, key, kind := c.offset(), []byte(o.Key), uint8(ValueText)
	c.u8("option_key_kind", &kind)
	if c.refused == nil && kind != uint8(ValueText) {
		c.refuseAt(at, "option_key_kind", fmt.Sprint(kind), "2, a text")
	}
	at = c.offset()
	c.field("option_key", &key)
	if c.refused == nil && !utf8.Valid(key) {
		c.refuseAt(at, "option_key", fmt.Sprintf("%q", key), "UTF-8")
	}
	kind = uint8(o.Kind)
	c.u8("option_value_kind", &kind)
	if c.decoding {
		o.Key, o.Kind = string(key), ValueKind(kind)
	}
	c.field("option_value", &o.Value)
}

// field is 1 to 255 bytes behind a length of four.
func (c *coder) field(name string, v *[]byte) {
	at, n := c.offset(), uint32(len(*v))
	c.u32(name, &n)
	if c.refused == nil && (n < 1 || n > nameBytesMax) {
		c.refuseAt(at, name, fmt.Sprintf("%d bytes", n), "1 to 255")
	}
	c.raw(name, v, int(n))
}
