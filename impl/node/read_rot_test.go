package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A poll that meets a file which cannot be read is no poll of an empty log: it is refused, so
// that the client asks elsewhere.
func TestAPollOfWhatCannotBeReadIsNotAnsweredAsEmpty(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	m := partition.New(partition.Config{
		Stream: 1, Topic: 1, Disk: disk, PollBytes: 1 << 20,
		Segments: segment.Config{
			Directory: "segments", Group: 7, SegmentBytes: 4096, IndexBytes: 512,
		},
	})
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	var b batch.Builder
	require.NoError(t, b.Append(batch.Message{Timestamp: 1, Payload: []byte("message")}))
	m.Execute(&wire.Prepare{
		Header: wire.PrepareHeader{Op: 1, Timestamp: 1, Operation: protocol.OperationSend},
		Body: protocol.MustAppend(nil, &protocol.Send{
			Stream: protocol.ID(1), Topic: protocol.ID(1),
			Partitioning: protocol.Partitioning{Kind: protocol.ToPartition},
			Messages:     1, Batch: b.Bytes(),
		}),
	})
	require.NoError(t, m.Persist())
	require.NoError(t, m.Paired())

	ask := protocol.MustAppend(nil, &protocol.Poll{
		Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.Named("c")},
		Stream:   protocol.ID(1), Topic: protocol.ID(1), Partition: protocol.InPartition(0),
		Strategy: protocol.FromFirst, Count: 9,
	})
	query := queryOf(m)
	answer, status := query(0, uint32(protocol.CodePoll), ask)
	require.Equal(t, protocol.StatusOK, status)
	require.Contains(t, string(answer), "message")

	require.NoError(t, disk.Rot("segments/00000000000000000000.log", 100, 1))
	answer, status = query(0, uint32(protocol.CodePoll), ask)
	require.Equal(t, protocol.StatusNotAccepted, status)
	require.Empty(t, answer)
	_, status = query(0, uint32(protocol.CodeGetOffset), ask[:0])
	require.Equal(t, protocol.StatusOK, status, "another question has its answer")
}
