package partition

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage"
)

// ConsumersMax bounds how many offsets a partition stores.
const ConsumersMax = 1 << 16

// Config sets up a machine. What decides states is the same on all replicas of the group:
// everything but Disk, the directory and PollBytes.
type Config struct {
	// Stream, Topic and Partition are the numbers that answers carry.
	Stream, Topic, Partition uint32
	// Segments says where the files are, and when a segment is full.
	Segments segment.Config
	// Disk holds the segments; nil: all messages stay in memory, and in the snapshot.
	Disk storage.Disk
	// Defect is zero but in tests: a mutant that the comparison of replicas must notice.
	Defect Defect
	// PollBytes is how much a poll returns, unless a single batch is larger.
	PollBytes int
}

func (c Config) check() error {
	if c.Segments.SegmentBytes < 1 || c.Segments.IndexBytes < 1 {
		return fmt.Errorf("segments of %d bytes with an index each %d, expected at least 1",
			c.Segments.SegmentBytes, c.Segments.IndexBytes)
	}
	if c.PollBytes < 1 || c.PollBytes > batch.BytesMax {
		return fmt.Errorf("polls of %d bytes, expected 1 to %d", c.PollBytes, batch.BytesMax)
	}
	return nil
}
