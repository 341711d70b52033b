package metadata

import (
	"fmt"
	"math"
)

// Limits bound the catalogue, and so the memory of a replica. They decide what an op comes to,
// so that all replicas must have the same: they are in the snapshot, and [Machine.Restore] takes
// those over.
type Limits struct {
	Streams         uint32
	Topics          uint32 // of one stream
	TopicPartitions uint32 // of one topic
	Partitions      uint32 // of all topics together
	ConsumerGroups  uint32 // of one topic
	Users           uint32
	Tokens          uint32 // of one user, expired ones not counted
	// OptionBytes bounds the encoded options of one topic, PermissionBytes the encoded
	// permissions of one user.
	OptionBytes, PermissionBytes uint32
}

// DefaultLimits are upstream's where it has any.
func DefaultLimits() Limits {
	return Limits{
		Streams: 1 << 20, Topics: 4096, TopicPartitions: 1000, Partitions: 1_000_000,
		ConsumerGroups: 1024, Users: 65_536, Tokens: 100,
		OptionBytes: 8 << 10, PermissionBytes: 64 << 10,
	}
}

// limitNames says which number of a snapshot is which limit.
var limitNames = [...]string{
	"streams", "topics", "topic partitions", "partitions", "consumer groups", "users", "tokens",
	"option bytes", "permission bytes",
}

func (l *Limits) fields() [len(limitNames)]*uint32 {
	return [...]*uint32{
		&l.Streams, &l.Topics, &l.TopicPartitions, &l.Partitions, &l.ConsumerGroups, &l.Users,
		&l.Tokens, &l.OptionBytes, &l.PermissionBytes,
	}
}

// limitMax keeps sums of limits and lengths within 32 bits.
const limitMax = math.MaxInt32

// Validate returns an error that names a limit which is out of its range: 1 to 2147483647.
func (l Limits) Validate() error {
	for i, limit := range l.fields() {
		if *limit < 1 || *limit > limitMax {
			return fmt.Errorf("limit of %s is %d, expected 1 to %d",
				limitNames[i], *limit, limitMax)
		}
	}
	return nil
}
