package protocol

import "strings"

func ptr[T any](v T) *T { return &v }

var (
	sampleVersion = Version{Protocol: ProtocolVersion, Library: "viewstamp", Release: "1"}
	sampleOptions = []Option{
		NumberOption(OptionExpiry, 100), TextOption(OptionDurability, "persisted"),
	}
	sampleTopic = TopicHeader{
		ID: 1, Created: 2, Partitions: 3, Expiry: 4, Compression: 1, MaxBytes: 5, Bytes: 6,
		Messages: 7, Name: "orders", Options: sampleOptions,
		Derived: []Option{TextOption(OptionCompression, "none")},
	}
	sampleStream = StreamHeader{
		ID: 1, Created: 2, Topics: 3, Bytes: 4, Messages: 5, Name: "shop", Options: sampleOptions,
	}
	samplePermissions = &Permissions{
		GlobalPermissions: GlobalPermissions{ReadStreams: true, Poll: true},
		Streams: []StreamPermissions{
			{Stream: 1, ReadStream: true},
			{Stream: 2, Send: true, Topics: []TopicPermissions{
				{Topic: 5, ManageTopic: true}, {Topic: 3, Poll: true},
			}},
		},
	}
	sampleOffset = GetOffset{
		Consumer: Consumer{Kind: Group, ID: Named("billing")}, Stream: Named("shop"), Topic: ID(7),
		Partition: InPartition(3),
	}
	sampleUser  = UserHeader{ID: 1, Created: 2, Status: UserInactive, Name: "ada"}
	sampleGroup = GroupHeader{ID: 1, Partitions: 2, Members: 1, Name: "billing"}
)

type sample struct {
	name string
	body Body
	zero func() Body
}

func of[B any, P interface {
	*B
	Body
}](name string, body B,
) sample {
	return sample{name: name, body: P(&body), zero: func() Body { return P(new(B)) }}
}

// samples has at least one body of each type, with every field set somewhere.
func samples() []sample {
	return append(samplesOfCatalogue(), samplesOfRest()...)
}

func samplesOfCatalogue() []sample {
	return []sample{
		of("create_stream", CreateStream{Name: "shop", Options: sampleOptions}),
		of("stream_by_id", StreamRef{Stream: ID(7)}),
		of("stream_by_name", StreamRef{Stream: Named("shop")}),
		of("update_stream", UpdateStream{Stream: ID(7), Name: "shop", Options: sampleOptions}),
		of("stream_header", sampleStream),
		of("stream_details", StreamDetails{
			StreamHeader: sampleStream, Headers: []TopicHeader{sampleTopic, sampleTopic},
		}),
		of("stream_list", StreamList{Streams: []StreamHeader{sampleStream, sampleStream}}),
		of("create_topic", CreateTopic{
			Stream: Named("shop"), Partitions: 3, Name: "orders", Options: sampleOptions,
		}),
		of("topic", TopicRef{Stream: Named("shop"), Topic: ID(1)}),
		of("update_topic", UpdateTopic{
			Stream: ID(7), Topic: ID(1), Name: "orders", Options: sampleOptions,
		}),
		of("topic_header", sampleTopic),
		of("topic_details", TopicDetails{TopicHeader: sampleTopic, States: []PartitionState{
			{ID: 1, Created: 2, Segments: 3, Current: 4, Bytes: 5, Messages: 6}, {ID: 2},
		}}),
		of("topic_list", TopicList{Topics: []TopicHeader{sampleTopic, sampleTopic}}),
		of("change_partitions", ChangePartitions{Stream: ID(7), Topic: ID(1), Count: 2}),
		of("delete_segments", DeleteSegments{
			Stream: ID(7), Topic: ID(1), Partition: 2, Segments: 3,
		}),
		of("create_group", CreateGroup{Stream: ID(7), Topic: ID(1), Name: "billing"}),
		of("group", GroupRef{Stream: ID(7), Topic: ID(1), Group: Named("billing")}),
		of("group_header", sampleGroup),
		of("group_details", GroupDetails{
			GroupHeader: sampleGroup, Assignments: []GroupMember{{ID: 4, Partitions: []uint32{1, 2}}},
		}),
		of("group_list", GroupList{Groups: []GroupHeader{sampleGroup, sampleGroup}}),
		of("assignment", Assignment{Generation: 9, Partitions: []uint32{1, 2}}),
	}
}

func samplesOfRest() []sample {
	return []sample{
		of("version", sampleVersion),
		of("login", Login{Version: sampleVersion, User: "ada", Password: "secret", Context: "x"}),
		of("login_with_token", LoginWithToken{Version: sampleVersion, Token: "t0k3n"}),
		of("login_reply", LoginReply{
			UserID: 1, Session: 2, ServerProtocol: ProtocolVersion, ServerVersion: "dev",
		}),
		of("login_reply_numbered", LoginReply{
			UserID: 1, Session: 2, ServerVersion: "dev", Standing: &Standing{Born: 2, Watermark: 9},
		}),
		of("roster", Roster{Name: "cluster", Members: []Member{
			{
				Name: "n0", Address: "10.0.0.1", TCP: 1, QUIC: 2, HTTP: 3, WebSocket: 4,
				Role: RolePrimary, Health: Healthy,
			},
			{Name: "n1", Address: "::1", TCP: 1, Role: RoleBackup, Health: Maintenance},
		}}),
		of("member", Member{Name: "n", Address: "a", Role: RoleBackup, Health: Starting}),
		of("stats", Stats{
			Process: 1, CPU: 2.5, TotalCPU: 3.5, Memory: 4, TotalMemory: 5, AvailableMemory: 6, RunTime: 7,
			StartTime: 8, Read: 9, Written: 10, MessageBytes: 11, Streams: 12, Topics: 13,
			Partitions: 14, Segments: 15, Messages: 16, Clients: 17, ConsumerGroups: 18, Host: "h",
			OS: "linux", OSVersion: "1", Kernel: "6.1", Version: "viewstamp", SemanticVersion: 19,
			Caches:  []CacheStats{{Stream: 1, Topic: 2, Partition: 3, Hits: 4, Misses: 5, Ratio: 0.5}},
			Threads: 20, FreeDisk: 21, TotalDisk: 22,
		}),
		of("cache_stats", CacheStats{Stream: 1, Hits: 2, Ratio: 0.25}),
		of("find_primary", FindPrimary{Stream: ID(7), Topic: ID(1), Partition: 3}),
		of("primary_found", PrimaryFound{View: 8, Address: "10.0.0.1", TCP: 8090}),
		of("send_balanced", Send{
			Stream: ID(7), Topic: ID(1), Partitioning: Partitioning{Kind: Balanced}, Messages: 1,
			Batch: []byte("batch"),
		}),
		of("send_to_partition", Send{
			Stream: Named("shop"), Topic: ID(1), Messages: 2, Batch: []byte("batch"),
			Partitioning: Partitioning{Kind: ToPartition, Partition: 3},
		}),
		of("send_by_key", Send{
			Stream: ID(7), Topic: ID(1), Messages: 2, Batch: []byte("batch"),
			Partitioning: Partitioning{Kind: ByKey, Key: []byte("key")},
		}),
		of("send_reply", SendReply{Confirmations: []Confirmation{
			{Stream: 1, Topic: 2, Partition: 3, BaseOffset: 4},
		}}),
		of("poll", Poll{
			Consumer: Consumer{Kind: Single, ID: ID(9)}, Stream: ID(7), Topic: ID(1),
			Partition: InPartition(3), Strategy: FromTimestamp, Value: 5, Count: 6, AutoCommit: true,
		}),
		of("poll_reply", PollReply{Partition: 1, Current: 2, Count: 3, Batches: []byte("batches")}),
		of("get_offset", sampleOffset),
		of("store_offset", StoreOffset{GetOffset: sampleOffset, Offset: 41, Quorum: true}),
		of("delete_offset", DeleteOffset{GetOffset: sampleOffset, Quorum: true}),
		of("offset_reply", OffsetReply{Partition: 1, Current: 2, Stored: 3}),
		of("create_user", CreateUser{
			Name: "ada", Password: "secret", Status: UserActive, Permissions: samplePermissions,
		}),
		of("user", UserRef{User: Named("ada")}),
		of("update_user", UpdateUser{User: ID(1), Name: ptr("bob"), Status: ptr(UserInactive)}),
		of("update_permissions", UpdatePermissions{User: ID(1), Permissions: samplePermissions}),
		of("change_password", ChangePassword{User: ID(1), Current: "old", New: "new"}),
		of("user_header", sampleUser),
		of("user_details", UserDetails{UserHeader: sampleUser, Permissions: samplePermissions}),
		of("user_list", UserList{Users: []UserHeader{sampleUser, sampleUser}}),
		of("create_token", CreateToken{Name: "ci", Expiry: 3600}),
		of("token", TokenRef{Name: "ci"}),
		of("raw_token", RawToken{Token: strings.Repeat("x", 20)}),
		of("token_list", TokenList{Tokens: []TokenInfo{{Name: "ci", Expiry: 9}, {Name: "cd"}}}),
		of("permissions", *samplePermissions),
		of("result_payload", Result{Payload: []byte("payload")}),
		of("result_rejections", Result{Rejections: []Rejection{{Place: 1, Status: StatusStreamExists}}}),
	}
}
