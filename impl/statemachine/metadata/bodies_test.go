package metadata_test

import (
	"encoding/binary"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/credentials"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Bodies are made and read here byte by byte, as client-protocol.md section 9 has them, and not
// with the codecs that the machine uses: so a mistake of these is found.

const (
	opCreateStream     wire.Operation = 128
	opUpdateStream     wire.Operation = 129
	opDeleteStream     wire.Operation = 130
	opPurgeStream      wire.Operation = 131
	opCreateTopic      wire.Operation = 132
	opUpdateTopic      wire.Operation = 133
	opDeleteTopic      wire.Operation = 134
	opPurgeTopic       wire.Operation = 135
	opCreatePartitions wire.Operation = 136
	opDeletePartitions wire.Operation = 137
	opDeleteSegments   wire.Operation = 138
	opCreateGroup      wire.Operation = 139
	opDeleteGroup      wire.Operation = 140
	opCreateUser       wire.Operation = 141
	opUpdateUser       wire.Operation = 142
	opDeleteUser       wire.Operation = 143
	opChangePassword   wire.Operation = 144
	opPermissions      wire.Operation = 145
	opCreateToken      wire.Operation = 146
	opDeleteToken      wire.Operation = 147
	opJoinGroup        wire.Operation = 148
)

const (
	codeGetUser    = 31
	codeListUsers  = 32
	codeListTokens = 41
	codeGetStream  = 200
	codeListStream = 201
	codeGetTopic   = 300
	codeListTopics = 301
	codeGetGroup   = 600
	codeListGroups = 601
)

// hashes of the passwords "one" and "two", made once: they take their time.
const (
	hashOne = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$" +
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"
	hashTwo = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$" +
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI"
)

// body joins numbers, names and bytes: uint8, uint32, uint64; string, after one byte of length;
// []byte as it is; id and named as identifiers.
type (
	id    uint32
	named string
)

func body(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch p := part.(type) {
		case uint8:
			b = append(b, p)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, p)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, p)
		case string:
			b = append(append(b, byte(len(p))), p...)
		case named:
			b = append(append(b, 2, byte(len(p))), p...)
		case id:
			b = binary.LittleEndian.AppendUint32(append(b, 1, 4), uint32(p))
		case credentials.Digest:
			b = append(b, p[:]...)
		case []byte:
			b = append(b, p...)
		default:
			panic(fmt.Sprintf("body of %T", part))
		}
	}
	return b
}

// option is one option of a topic: a key and a value of some kind.
func option(key string, kind uint8, value ...any) []byte {
	v := body(value...)
	return body(uint8(2), uint32(len(key)), []byte(key), kind, uint32(len(v)), v)
}

func text(s string) []byte { return []byte(s) }

// run executes one op as the root at a time and returns its result code and payload.
func run(
	t require.TestingT, m *metadata.Machine, now uint64, op wire.Operation, body []byte,
) (uint32, []byte) {
	return runAs(t, m, metadata.RootID, now, op, body)
}

func runAs(
	t require.TestingT, m *metadata.Machine, user uint32, now uint64, op wire.Operation,
	body []byte,
) (uint32, []byte) {
	reply := m.Execute(&wire.Prepare{
		Header: wire.PrepareHeader{Operation: op, Timestamp: now, UserID: user}, Body: body,
	})
	return result(t, reply)
}

// result splits a framed reply: count 0 and the payload, or count 1, index 0 and a code.
func result(t require.TestingT, reply []byte) (uint32, []byte) {
	require.GreaterOrEqual(t, len(reply), 4)
	if binary.LittleEndian.Uint32(reply) == 0 {
		return 0, reply[4:]
	}
	require.Len(t, reply, 12)
	require.Equal(t, body(uint32(1), uint32(0)), reply[:8])
	return binary.LittleEndian.Uint32(reply[8:]), nil
}

// parts takes a payload apart, from the front.
type parts struct {
	t    require.TestingT
	left []byte
}

func (p *parts) bytes(n int) []byte {
	require.GreaterOrEqual(p.t, len(p.left), n)
	b := p.left[:n]
	p.left = p.left[n:]
	return b
}

func (p *parts) u8() uint8    { return p.bytes(1)[0] }
func (p *parts) u32() uint32  { return binary.LittleEndian.Uint32(p.bytes(4)) }
func (p *parts) u64() uint64  { return binary.LittleEndian.Uint64(p.bytes(8)) }
func (p *parts) name() string { return string(p.bytes(int(p.u8()))) }
func (p *parts) long() []byte { return p.bytes(int(p.u32())) }

type streamSeen struct {
	id      uint32
	created uint64
	topics  uint32
	size    uint64
	count   uint64
	name    string
}

func (p *parts) stream() streamSeen {
	s := streamSeen{
		id: p.u32(), created: p.u64(), topics: p.u32(), size: p.u64(), count: p.u64(),
		name: p.name(),
	}
	require.Empty(p.t, p.long(), "options")
	return s
}

type topicSeen struct {
	id             uint32
	created        uint64
	partitions     uint32
	expiry         uint64
	compression    uint8
	maxBytes       uint64
	size           uint64
	count          uint64
	name           string
	given, derived string
}

func (p *parts) topic() topicSeen {
	return topicSeen{
		id: p.u32(), created: p.u64(), partitions: p.u32(), expiry: p.u64(),
		compression: p.u8(), maxBytes: p.u64(), size: p.u64(), count: p.u64(),
		name: p.name(), given: string(p.long()), derived: string(p.long()),
	}
}

type partitionSeen struct {
	id       uint32
	created  uint64
	segments uint32
	offset   uint64
	size     uint64
	count    uint64
}

func (p *parts) partition() partitionSeen {
	return partitionSeen{
		id: p.u32(), created: p.u64(), segments: p.u32(), offset: p.u64(), size: p.u64(),
		count: p.u64(),
	}
}

type groupSeen struct {
	id, partitions, members uint32
	name                    string
}

func (p *parts) group() groupSeen {
	return groupSeen{id: p.u32(), partitions: p.u32(), members: p.u32(), name: p.name()}
}

type userSeen struct {
	id      uint32
	created uint64
	status  uint8
	name    string
}

func (p *parts) user() userSeen {
	return userSeen{id: p.u32(), created: p.u64(), status: p.u8(), name: p.name()}
}

type tokenSeen struct {
	name    string
	expires uint64
}

func (p *parts) token() tokenSeen { return tokenSeen{name: p.name(), expires: p.u64()} }
