package protocol

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Code says what a client asks for. The numbers are upstream's, but for those whose comment
// says otherwise.
type Code uint32

// The codes. Those that have an operation enter the log; the others are questions.
const (
	CodePing              Code = 1
	CodeStats             Code = 10
	CodeClusterMetadata   Code = 12
	CodeGetUser           Code = 31
	CodeListUsers         Code = 32
	CodeCreateUser        Code = 33
	CodeDeleteUser        Code = 34
	CodeUpdateUser        Code = 35
	CodeUpdatePermissions Code = 36
	CodeChangePassword    Code = 37
	CodeLogout            Code = 39
	CodeLogin             Code = 40
	CodeListTokens        Code = 41
	CodeCreateToken       Code = 42
	CodeDeleteToken       Code = 43
	CodeLoginWithToken    Code = 45
	CodePoll              Code = 100
	CodeSend              Code = 101
	CodeGetOffset         Code = 120
	CodeStoreOffset       Code = 121
	CodeDeleteOffset      Code = 122
	CodeGetStream         Code = 200
	CodeListStreams       Code = 201
	CodeCreateStream      Code = 202
	CodeDeleteStream      Code = 203
	CodeUpdateStream      Code = 204
	CodePurgeStream       Code = 205
	CodeGetTopic          Code = 300
	CodeListTopics        Code = 301
	CodeCreateTopic       Code = 302
	CodeDeleteTopic       Code = 303
	CodeUpdateTopic       Code = 304
	CodePurgeTopic        Code = 305
	CodeCreatePartitions  Code = 402
	CodeDeletePartitions  Code = 403
	CodeDeleteSegments    Code = 503
	CodeGetGroup          Code = 600
	CodeListGroups        Code = 601
	CodeCreateGroup       Code = 602
	CodeDeleteGroup       Code = 603
	CodeJoinGroup         Code = 604
	CodeLeaveGroup        Code = 605
	CodeSyncGroup         Code = 606

	// CodeFindPrimary asks where the primary of a partition's group is: [FindPrimary],
	// answered by [PrimaryFound]. It is ours; upstream's numbers stay below 10,000.
	CodeFindPrimary Code = 0x4000_0001
)

// codeLinearizable is the bit that [Code.Linearizable] sets.
const codeLinearizable = 0x8000_0000

// Operations of the state machines, as they stand in headers of requests and prepares.
const (
	OperationCreateStream      wire.Operation = 128
	OperationUpdateStream      wire.Operation = 129
	OperationDeleteStream      wire.Operation = 130
	OperationPurgeStream       wire.Operation = 131
	OperationCreateTopic       wire.Operation = 132
	OperationUpdateTopic       wire.Operation = 133
	OperationDeleteTopic       wire.Operation = 134
	OperationPurgeTopic        wire.Operation = 135
	OperationCreatePartitions  wire.Operation = 136
	OperationDeletePartitions  wire.Operation = 137
	OperationDeleteSegments    wire.Operation = 138
	OperationCreateGroup       wire.Operation = 139
	OperationDeleteGroup       wire.Operation = 140
	OperationCreateUser        wire.Operation = 141
	OperationUpdateUser        wire.Operation = 142
	OperationDeleteUser        wire.Operation = 143
	OperationChangePassword    wire.Operation = 144
	OperationUpdatePermissions wire.Operation = 145
	OperationCreateToken       wire.Operation = 146
	OperationDeleteToken       wire.Operation = 147
	OperationJoinGroup         wire.Operation = 148
	OperationLeaveGroup        wire.Operation = 149
	OperationSend              wire.Operation = 160
	OperationStoreOffset       wire.Operation = 161
	OperationDeleteOffset      wire.Operation = 162
)

// Plane says whose log an operation enters.
type Plane uint8

// The planes.
const (
	// PlaneNone: no log; a question, or nothing that is known.
	PlaneNone Plane = iota + 1
	// PlaneMetadata: that of the metadata group.
	PlaneMetadata
	// PlanePartition: that of a partition's group.
	PlanePartition
)

// PlaneOf returns the plane of an operation.
func PlaneOf(o wire.Operation) Plane {
	switch {
	case o == wire.OperationRegister, o == wire.OperationLogout,
		o >= OperationCreateStream && o <= OperationLeaveGroup:
		return PlaneMetadata
	case o >= OperationSend && o <= OperationDeleteOffset:
		return PlanePartition
	}
	return PlaneNone
}

type codeRow struct {
	name      string
	operation wire.Operation
}

const asked = wire.OperationNonReplicated

var codeRows = map[Code]codeRow{
	CodePing:              {"ping", asked},
	CodeStats:             {"stats", asked},
	CodeClusterMetadata:   {"cluster_metadata", asked},
	CodeGetUser:           {"get_user", asked},
	CodeListUsers:         {"list_users", asked},
	CodeCreateUser:        {"create_user", OperationCreateUser},
	CodeDeleteUser:        {"delete_user", OperationDeleteUser},
	CodeUpdateUser:        {"update_user", OperationUpdateUser},
	CodeUpdatePermissions: {"update_permissions", OperationUpdatePermissions},
	CodeChangePassword:    {"change_password", OperationChangePassword},
	CodeLogout:            {"logout", wire.OperationLogout},
	CodeLogin:             {"login", wire.OperationRegister},
	CodeListTokens:        {"list_tokens", asked},
	CodeCreateToken:       {"create_token", OperationCreateToken},
	CodeDeleteToken:       {"delete_token", OperationDeleteToken},
	CodeLoginWithToken:    {"login_with_token", wire.OperationRegister},
	CodePoll:              {"poll", asked},
	CodeSend:              {"send", OperationSend},
	CodeGetOffset:         {"get_offset", asked},
	CodeStoreOffset:       {"store_offset", OperationStoreOffset},
	CodeDeleteOffset:      {"delete_offset", OperationDeleteOffset},
	CodeGetStream:         {"get_stream", asked},
	CodeListStreams:       {"list_streams", asked},
	CodeCreateStream:      {"create_stream", OperationCreateStream},
	CodeDeleteStream:      {"delete_stream", OperationDeleteStream},
	CodeUpdateStream:      {"update_stream", OperationUpdateStream},
	CodePurgeStream:       {"purge_stream", OperationPurgeStream},
	CodeGetTopic:          {"get_topic", asked},
	CodeListTopics:        {"list_topics", asked},
	CodeCreateTopic:       {"create_topic", OperationCreateTopic},
	CodeDeleteTopic:       {"delete_topic", OperationDeleteTopic},
	CodeUpdateTopic:       {"update_topic", OperationUpdateTopic},
	CodePurgeTopic:        {"purge_topic", OperationPurgeTopic},
	CodeCreatePartitions:  {"create_partitions", OperationCreatePartitions},
	CodeDeletePartitions:  {"delete_partitions", OperationDeletePartitions},
	CodeDeleteSegments:    {"delete_segments", OperationDeleteSegments},
	CodeGetGroup:          {"get_group", asked},
	CodeListGroups:        {"list_groups", asked},
	CodeCreateGroup:       {"create_group", OperationCreateGroup},
	CodeDeleteGroup:       {"delete_group", OperationDeleteGroup},
	CodeJoinGroup:         {"join_group", OperationJoinGroup},
	CodeLeaveGroup:        {"leave_group", OperationLeaveGroup},
	CodeSyncGroup:         {"sync_group", asked},
	CodeFindPrimary:       {"find_primary", asked},
}

// Operation returns the operation that carries the code: [wire.OperationNonReplicated] for a
// question, 0 for a code that is unknown.
func (c Code) Operation() wire.Operation { return codeRows[c.Query()].operation }

// Linearizable returns the code of the same question, to be answered with what was committed
// when it arrived (R19). It is ours: the highest bit is set.
func (c Code) Linearizable() Code { return c | codeLinearizable }

// IsLinearizable reports whether the code is one that [Code.Linearizable] returned.
func (c Code) IsLinearizable() bool { return c&codeLinearizable != 0 }

// Query returns the code without its level.
func (c Code) Query() Code { return c &^ codeLinearizable }

// String returns the name in snake_case, or "code(N)" for an unknown one.
func (c Code) String() string {
	row, known := codeRows[c.Query()]
	switch {
	case !known:
		return fmt.Sprintf("code(%d)", uint32(c))
	case c.IsLinearizable():
		return row.name + "(linearizable)"
	}
	return row.name
}

// OperationName returns the name of an operation in snake_case.
func OperationName(o wire.Operation) string {
	if name, known := operationNames[o]; known {
		return name
	}
	return o.String()
}

// operationNames has those of the state machines; the protocol's own name themselves.
var operationNames = func() map[wire.Operation]string {
	names := make(map[wire.Operation]string)
	for _, row := range codeRows {
		if row.operation > wire.OperationLogout {
			names[row.operation] = row.name
		}
	}
	return names
}()
