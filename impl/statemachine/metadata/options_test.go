package metadata_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
)

// Kinds of the values of options.
const (
	kindText   = 2
	kindBool   = 3
	kindUint8  = 9
	kindUint32 = 11
	kindUint64 = 12
)

func TestOptionsOfANewTopic(t *testing.T) {
	t.Parallel()
	with := func(change func(*metadata.TopicOptions)) metadata.TopicOptions {
		o := metadata.DefaultTopicOptions()
		change(&o)
		return o
	}
	for name, tc := range map[string]struct {
		given []byte
		want  metadata.TopicOptions // zero: refused
		code  uint32
	}{
		"nothing chosen": {nil, metadata.DefaultTopicOptions(), 0},
		"all chosen": {
			body(
				option("compression_algorithm", kindText, text("gzip")),
				option("message_expiry", kindUint64, uint64(5)),
				option("max_topic_size", kindUint64, uint64(1<<30)),
				option("segment_size", kindUint64, uint64(1<<20)),
				option("enforce_fsync", kindBool, uint8(1)),
				option("messages_required_to_save", kindUint32, uint32(7)),
				option("size_of_messages_required_to_save", kindUint64, uint64(8)),
				option("preallocate_segments", kindBool, uint8(1)),
				option("durability", kindText, text("persisted")),
				option("consumer_offset_durability", kindText, text("persisted"))),
			metadata.TopicOptions{
				Compression: 2, Expiry: 5, MaxBytes: 1 << 30, SegmentBytes: 1 << 20,
				EnforceFsync: true, FlushMessages: 7, FlushBytes: 8, Preallocate: true,
				Durability: metadata.Persisted, OffsetDurability: metadata.Persisted,
			},
			0,
		},
		"all chosen as texts": {
			body(
				option("message_expiry", kindText, text("5")),
				option("enforce_fsync", kindText, text("true")),
				option("messages_required_to_save", kindText, text("7"))),
			with(func(o *metadata.TopicOptions) {
				o.Expiry, o.EnforceFsync, o.FlushMessages = 5, true, 7
			}), 0,
		},
		"0 is the default": {
			body(
				option("message_expiry", kindUint64, uint64(0)),
				option("max_topic_size", kindUint64, uint64(0)),
				option("segment_size", kindUint64, uint64(0)),
				option("size_of_messages_required_to_save", kindUint64, uint64(0))),
			metadata.DefaultTopicOptions(), 0,
		},
		"a number of compression": {
			option("compression_algorithm", kindUint8, uint8(2)),
			with(func(o *metadata.TopicOptions) { o.Compression = 2 }), 0,
		},
		"an unknown key":       {given: option("color", kindText, text("red")), code: 4},
		"an unknown algorithm": {given: option("compression_algorithm", kindUint8, uint8(3)), code: 4},
		"an unknown durability": {
			given: option("durability", kindText, text("memory")), code: 4,
		},
		"a durability as a number": {given: option("durability", kindUint8, uint8(1)), code: 4},
		"a number of another kind": {
			given: option("message_expiry", kindUint32, uint32(5)), code: 4,
		},
		"a number cut short": {
			given: option("message_expiry", kindUint64, uint32(5)), code: 4,
		},
		"a text that is no number": {
			given: option("message_expiry", kindText, text("soon")), code: 4,
		},
		"neither true nor false": {given: option("enforce_fsync", kindBool, uint8(2)), code: 4},
		"0 messages to save": {
			given: option("messages_required_to_save", kindUint32, uint32(0)), code: 4,
		},
		"too many messages to save": {
			given: option("messages_required_to_save", kindText, text("4294967296")), code: 4,
		},
		"too small a segment": {
			given: option("segment_size", kindUint64, uint64(1<<20-512)), code: 4,
		},
		"too large a segment": {
			given: option("segment_size", kindUint64, uint64(1<<30+512)), code: 4,
		},
		"a segment of half sectors": {
			given: option("segment_size", kindUint64, uint64(1<<20+1)), code: 4,
		},
		"a topic smaller than a segment": {
			given: option("max_topic_size", kindUint64, uint64(1<<30-1)), code: 1019,
		},
		"a key twice": {given: body(
			option("enforce_fsync", kindBool, uint8(1)),
			option("enforce_fsync", kindBool, uint8(1))), code: 4},
		"more bytes than there may be": {given: body(
			option("message_expiry", kindText, text(strings.Repeat("0", 90)+"1"))), code: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := smallLimits
			limits.OptionBytes = 310
			if strings.HasPrefix(name, "more bytes") {
				limits.OptionBytes = 100
			}
			m := metadata.New(limits)
			run(t, m, 1, opCreateStream, body("s"))
			code, payload := run(t, m, 2, opCreateTopic, body(id(1), uint32(1), "t", tc.given))
			require.Equal(t, tc.code, code)
			if tc.code != 0 {
				require.Empty(t, m.Groups())
				return
			}
			require.Equal(t, tc.want, m.Groups()[0].Options)
			topic := (&parts{t: t, left: payload}).topic()
			assert.Equal(t, string(tc.given), topic.given)
			assert.Equal(t, tc.want.Expiry, topic.expiry)
			assert.Equal(t, tc.want.MaxBytes, topic.maxBytes)
			assert.Equal(t, tc.want.Compression, topic.compression)
			restored := metadata.New(limits)
			require.NoError(t, restored.Restore(m.AppendSnapshot(nil)))
			assert.Equal(t, m.Groups(), restored.Groups())
		})
	}
}

func TestGivenAndDerivedOptionsAreAll(t *testing.T) {
	t.Parallel()
	topic := defaults(t)
	assert.Empty(t, topic.given)
	derived := topic.derived
	for range 10 {
		keyBytes := derived[1]
		key := derived[5 : 5+int(keyBytes)]
		assert.NotEmpty(t, key)
		valueBytes := derived[5+int(keyBytes)+1]
		whole := 5 + int(keyBytes) + 5 + int(valueBytes)
		m := metadata.New(metadata.DefaultLimits())
		run(t, m, 1, opCreateStream, body("s"))
		code, payload := run(t, m, 2, opCreateTopic,
			body(named("s"), uint32(1), "t", text(derived[:whole])))
		require.Zero(t, code, "the default of %s can be chosen", key)
		require.Equal(t, metadata.DefaultTopicOptions(), m.Groups()[0].Options)
		chosen := (&parts{t: t, left: payload}).topic()
		assert.Equal(t, derived[:whole], chosen.given)
		assert.NotContains(t, chosen.derived, derived[:whole])
		derived = derived[whole:]
	}
	assert.Empty(t, derived)
}

func TestSomeOptionsCanChange(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	run(t, m, 1, opCreateStream, body("s"))
	code, _ := run(t, m, 2, opCreateTopic, body(id(1), uint32(2), "t",
		option("message_expiry", kindUint64, uint64(5)),
		option("durability", kindText, text("persisted"))))
	require.Zero(t, code)
	m.TakeChanges()
	update := func(parts ...any) uint32 {
		code, _ := run(t, m, 3, opUpdateTopic,
			body(append([]any{id(1), id(1), "t"}, parts...)...))
		return code
	}
	for _, fixed := range [][]byte{
		option("durability", kindText, text("replicated")),
		option("consumer_offset_durability", kindText, text("replicated")),
		option("segment_size", kindUint64, uint64(1<<20)),
		option("enforce_fsync", kindBool, uint8(0)),
		option("messages_required_to_save", kindUint32, uint32(1)),
		option("size_of_messages_required_to_save", kindUint64, uint64(1)),
		option("preallocate_segments", kindBool, uint8(0)),
	} {
		assert.Equal(t, uint32(4), update(fixed))
	}
	assert.Empty(t, m.TakeChanges())
	require.Zero(t, update(option("message_expiry", kindUint64, uint64(6)),
		option("compression_algorithm", kindText, text("gzip"))))
	changes := m.TakeChanges()
	require.Len(t, changes, 2, "one for each partition")
	for _, c := range changes {
		assert.Equal(t, metadata.GroupChanged, c.Kind)
		assert.Equal(t, uint64(6), c.Group.Options.Expiry)
		assert.Equal(t, uint8(2), c.Group.Options.Compression)
		assert.Equal(t, metadata.Persisted, c.Group.Options.Durability)
	}
	topic := ask(t, m, codeGetTopic, body(id(1), id(1))).topic()
	assert.Equal(t, string(body(
		option("message_expiry", kindUint64, uint64(6)),
		option("durability", kindText, text("persisted")),
		option("compression_algorithm", kindText, text("gzip")))), topic.given)
	require.Equal(t, uint32(4), update(
		option("max_topic_size", kindText, bytes.Repeat([]byte("9"), 19))), "too many bytes")
	require.Zero(t, update())
	assert.Empty(t, m.TakeChanges(), "nothing changed")
}

func TestStreamsHaveNoOptions(t *testing.T) {
	t.Parallel()
	m := metadata.New(smallLimits)
	some := option("durability", kindText, text("persisted"))
	code, _ := run(t, m, 1, opCreateStream, body("s", some))
	assert.Equal(t, uint32(4), code)
	run(t, m, 1, opCreateStream, body("s"))
	code, _ = run(t, m, 1, opUpdateStream, body(named("s"), "r", some))
	assert.Equal(t, uint32(4), code)
}

func TestWordsOfOptions(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "replicated", metadata.Replicated.String())
	assert.Equal(t, "persisted", metadata.Persisted.String())
	assert.Equal(t, "durability(9)", metadata.Durability(9).String())
	assert.Equal(t, protocol.OptionDurability, "durability")
}
