package metadata

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// Durability says when a partition acknowledges.
type Durability uint8

const (
	// Replicated: when a replication quorum has handed it to its operating system.
	Replicated Durability = iota + 1
	// Persisted: when a replication quorum has flushed it.
	Persisted
)

var durabilityNames = [...]string{Replicated: "replicated", Persisted: "persisted"}

// String returns the value of the option.
func (d Durability) String() string {
	if d == 0 || int(d) >= len(durabilityNames) {
		return fmt.Sprintf("durability(%d)", uint8(d))
	}
	return durabilityNames[d]
}

// Unlimited is the value of an expiry or a size without a bound. In a request 0 means the
// default, which is this.
const Unlimited = math.MaxUint64

// Bounds of the size of a segment, in bytes.
const (
	SegmentBytesMin = 1 << 20
	SegmentBytesMax = 1 << 30
)

// Algorithms that producers may say they compress with. The log does not look inside.
const (
	compressionNone = 1
	compressionGzip = 2
)

// TopicOptions is what holds for a topic's partitions: what its clients chose, and the defaults
// of the time of its creation for the rest. Options are comparable.
type TopicOptions struct {
	// Compression is 1 for none, 2 for gzip. Only clients use it.
	Compression uint8
	// Expiry is the age in microseconds from which messages may be dropped, or [Unlimited].
	Expiry uint64
	// MaxBytes is the size of the topic from which its oldest segments may be dropped, or
	// [Unlimited].
	MaxBytes uint64
	// SegmentBytes is the size at which a segment is full.
	SegmentBytes uint64
	// Durability is that of messages, OffsetDurability that of consumer offsets.
	Durability, OffsetDurability Durability
	// FlushMessages and FlushBytes bound what is not yet in segment files. With EnforceFsync
	// segment files are flushed as they are written, with Preallocate their bytes are reserved.
	FlushMessages             uint32
	FlushBytes                uint64
	EnforceFsync, Preallocate bool
}

// DefaultTopicOptions are those of a topic whose creator chose nothing. They are part of what
// an op means: a version with other ones would differ from its peers.
func DefaultTopicOptions() TopicOptions {
	return TopicOptions{
		Compression: compressionNone, Expiry: Unlimited, MaxBytes: Unlimited,
		SegmentBytes: SegmentBytesMax, Durability: Replicated, OffsetDurability: Replicated,
		FlushMessages: 1024, FlushBytes: 1 << 20,
	}
}

// change says what options are resolved for. Some can be chosen at creation only.
type change uint8

const (
	creating change = iota + 1
	changing
)

// resolve returns base with what the given options say.
//
// Refusals: [protocol.StatusInvalidFormat] for options that are too long together, for a key that
// is unknown, comes twice or cannot change any more, and for a value of another kind or out of
// its range; [protocol.StatusInvalidTopicSize] for a topic smaller than one segment.
func resolve(
	base TopicOptions, given []protocol.Option, bytesMax uint32, c change,
) (TopicOptions, protocol.Status) {
	if optionBytes(given) > bytesMax {
		return base, protocol.StatusInvalidFormat
	}
	for i, o := range given {
		if has(given[:i], o.Key) || !base.set(o, c) {
			return base, protocol.StatusInvalidFormat
		}
	}
	if base.MaxBytes < base.SegmentBytes {
		return base, protocol.StatusInvalidTopicSize
	}
	return base, protocol.StatusOK
}

func (t *TopicOptions) set(o protocol.Option, c change) bool {
	switch o.Key {
	case protocol.OptionCompression:
		return setCompression(&t.Compression, o)
	case protocol.OptionExpiry:
		return setNumber(&t.Expiry, o, protocol.ValueUint64, 0, Unlimited, Unlimited)
	case protocol.OptionMaxTopicSize:
		return setNumber(&t.MaxBytes, o, protocol.ValueUint64, 0, Unlimited, Unlimited)
	}
	if c == changing {
		return false
	}
	defaults := DefaultTopicOptions()
	switch o.Key {
	case protocol.OptionSegmentSize:
		return setNumber(&t.SegmentBytes, o, protocol.ValueUint64,
			SegmentBytesMin, SegmentBytesMax, defaults.SegmentBytes) && t.SegmentBytes%512 == 0
	case protocol.OptionEnforceFsync:
		return setBool(&t.EnforceFsync, o)
	case protocol.OptionMessagesToSave:
		n := uint64(0)
		ok := setNumber(&n, o, protocol.ValueUint32, 1, math.MaxUint32, 0) && n > 0
		t.FlushMessages = uint32(n)
		return ok
	case protocol.OptionBytesToSave:
		return setNumber(&t.FlushBytes, o, protocol.ValueUint64, 1, SegmentBytesMax, defaults.FlushBytes)
	case protocol.OptionPreallocate:
		return setBool(&t.Preallocate, o)
	case protocol.OptionDurability:
		return setDurability(&t.Durability, o)
	case protocol.OptionOffsetDurability:
		return setDurability(&t.OffsetDurability, o)
	}
	return false
}

// setNumber reads a number of that kind, or a text of it; 0 stands for the default.
func setNumber(
	n *uint64, o protocol.Option, kind protocol.ValueKind, least, most, byDefault uint64,
) bool {
	switch {
	case o.Kind == protocol.ValueUint64 && kind == protocol.ValueUint64 && len(o.Value) == 8:
		*n = binary.LittleEndian.Uint64(o.Value)
	case o.Kind == protocol.ValueUint32 && kind == protocol.ValueUint32 && len(o.Value) == 4:
		*n = uint64(binary.LittleEndian.Uint32(o.Value))
	case o.Kind == protocol.ValueText:
		parsed, err := strconv.ParseUint(string(o.Value), 10, 64)
		if err != nil {
			return false
		}
		*n = parsed
	default:
		return false
	}
	if *n == 0 {
		*n = byDefault
		return true
	}
	return *n >= least && *n <= most
}

func setBool(b *bool, o protocol.Option) bool {
	switch {
	case o.Kind == protocol.ValueBool && len(o.Value) == 1 && o.Value[0] <= 1:
		*b = o.Value[0] == 1
	case o.Kind == protocol.ValueText && (string(o.Value) == "true" || string(o.Value) == "false"):
		*b = string(o.Value) == "true"
	default:
		return false
	}
	return true
}

func setCompression(c *uint8, o protocol.Option) bool {
	switch {
	case o.Kind == protocol.ValueText && string(o.Value) == "none":
		*c = compressionNone
	case o.Kind == protocol.ValueText && string(o.Value) == "gzip":
		*c = compressionGzip
	case o.Kind == protocol.ValueUint8 && len(o.Value) == 1:
		*c = o.Value[0]
	default:
		return false
	}
	return *c == compressionNone || *c == compressionGzip
}

func setDurability(d *Durability, o protocol.Option) bool {
	at := slices.Index(durabilityNames[:], string(o.Value))
	if o.Kind != protocol.ValueText || at < 1 {
		return false
	}
	*d = Durability(at)
	return true
}

// optionBytes is the size of the options in a snapshot, which is bounded.
func optionBytes(given []protocol.Option) uint32 {
	sum := 0
	for _, o := range given {
		sum += optionBytesBesides + len(o.Key) + len(o.Value)
	}
	return uint32(min(sum, limitMax))
}

func has(options []protocol.Option, key string) bool {
	return slices.ContainsFunc(options, func(o protocol.Option) bool { return o.Key == key })
}

// merge returns the given options with the changed ones in their place or behind them. It shares
// no memory with the changed ones, which are parts of a frame.
func merge(given, changed []protocol.Option) []protocol.Option {
	merged := slices.Clone(given)
	for _, o := range changed {
		o.Value = slices.Clone(o.Value)
		at := slices.IndexFunc(merged, func(old protocol.Option) bool { return old.Key == o.Key })
		if at < 0 {
			merged = append(merged, o)
		} else {
			merged[at] = o
		}
	}
	return merged
}

// derived lists the options that clients did not set, with what holds for each.
func (t *topic) derived() []protocol.Option {
	o := t.options
	number := protocol.NumberOption
	flag := func(key string, b bool) protocol.Option {
		return protocol.Option{Key: key, Kind: protocol.ValueBool, Value: []byte{flagByte(b)}}
	}
	text := func(key string, d Durability) protocol.Option {
		return protocol.TextOption(key, d.String())
	}
	all := []protocol.Option{
		{Key: protocol.OptionCompression, Kind: protocol.ValueUint8, Value: []byte{o.Compression}},
		number(protocol.OptionExpiry, o.Expiry),
		number(protocol.OptionMaxTopicSize, o.MaxBytes),
		number(protocol.OptionSegmentSize, o.SegmentBytes),
		flag(protocol.OptionEnforceFsync, o.EnforceFsync),
		{
			Key: protocol.OptionMessagesToSave, Kind: protocol.ValueUint32,
			Value: binary.LittleEndian.AppendUint32(nil, o.FlushMessages),
		},
		number(protocol.OptionBytesToSave, o.FlushBytes),
		flag(protocol.OptionPreallocate, o.Preallocate),
		text(protocol.OptionDurability, o.Durability),
		text(protocol.OptionOffsetDurability, o.OffsetDurability),
	}
	return slices.DeleteFunc(all, func(o protocol.Option) bool {
		return has(t.given, o.Key)
	})
}

// valid says whether each value is one that resolve can come to.
func (t *TopicOptions) valid() bool {
	known := func(d Durability) bool { return d == Replicated || d == Persisted }
	return (t.Compression == compressionNone || t.Compression == compressionGzip) &&
		t.Expiry > 0 && t.MaxBytes >= t.SegmentBytes &&
		t.SegmentBytes >= SegmentBytesMin && t.SegmentBytes <= SegmentBytesMax &&
		t.SegmentBytes%512 == 0 && known(t.Durability) && known(t.OffsetDurability) &&
		t.FlushMessages > 0 && t.FlushBytes > 0 && t.FlushBytes <= SegmentBytesMax
}
