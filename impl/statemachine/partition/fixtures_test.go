package partition_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const segmentBytes = 1500

func config(disk storage.Disk) partition.Config {
	return partition.Config{
		Stream: 3, Topic: 4, Partition: 5, Disk: disk, PollBytes: 1 << 20,
		Segments: segment.Config{
			Directory: "segments", Group: 7, SegmentBytes: segmentBytes, IndexBytes: 400,
		},
	}
}

func prepare(op wire.Op, time uint64, operation wire.Operation, body []byte) *wire.Prepare {
	return &wire.Prepare{
		Header: wire.PrepareHeader{Op: op, Timestamp: time, Operation: operation}, Body: body,
	}
}

// sendBody is the body of a send with these payloads.
func sendBody(t require.TestingT, payloads ...string) []byte {
	var b batch.Builder
	for _, p := range payloads {
		require.NoError(t, b.Append(batch.Message{Timestamp: 1, Payload: []byte(p)}))
	}
	return protocol.MustAppend(nil, &protocol.Send{
		Stream: protocol.ID(3), Topic: protocol.Named("topic"),
		Partitioning: protocol.Partitioning{Kind: protocol.ToPartition, Partition: 5},
		Messages:     uint32(len(payloads)), Batch: b.Bytes(),
	})
}

func someone(name string) protocol.GetOffset {
	return protocol.GetOffset{
		Consumer: protocol.Consumer{Kind: protocol.Single, ID: protocol.Named(name)},
		Stream:   protocol.ID(3), Topic: protocol.ID(4), Partition: protocol.InPartition(5),
	}
}

func storeBody(name string, offset uint64) []byte {
	return protocol.MustAppend(nil, &protocol.StoreOffset{
		GetOffset: someone(name), Offset: offset, Quorum: true,
	})
}

func deleteBody(name string) []byte {
	return protocol.MustAppend(nil, &protocol.DeleteOffset{GetOffset: someone(name)})
}

// polled is the answer to a poll, as a client reads it.
type polled struct {
	current  uint64
	offsets  []uint64
	payloads []string
}

func poll(
	t require.TestingT, m *partition.Machine, strategy protocol.Strategy, value uint64, count uint32,
) polled {
	ask := someone("me")
	answer := m.Query(uint32(protocol.CodePoll), protocol.MustAppend(nil, &protocol.Poll{
		Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic, Partition: ask.Partition,
		Strategy: strategy, Value: value, Count: count,
	}))
	return parsePoll(t, answer)
}

func parsePoll(t require.TestingT, answer []byte) polled {
	var reply protocol.PollReply
	require.NoError(t, protocol.Decode(answer, &reply))
	require.Equal(t, uint32(5), reply.Partition)
	p := polled{current: reply.Current}
	for rest := reply.Batches; len(rest) > 0; {
		b, behind, err := batch.DecodeFirst(rest)
		require.NoError(t, err)
		for m := range b.Messages() {
			p.offsets = append(p.offsets, m.Offset)
			p.payloads = append(p.payloads, string(m.Payload))
		}
		rest = behind
	}
	require.Len(t, p.offsets, int(reply.Count))
	return p
}

// storedBy is what a consumer has stored, -1 if nothing.
func storedBy(t require.TestingT, m *partition.Machine, name string) int64 {
	ask := someone(name)
	answer := m.Query(uint32(protocol.CodeGetOffset), protocol.MustAppend(nil, &ask))
	if len(answer) == 0 {
		return -1
	}
	var reply protocol.OffsetReply
	require.NoError(t, protocol.Decode(answer, &reply))
	return int64(reply.Stored)
}

// status is that of a result.
func status(t require.TestingT, result []byte) protocol.Status {
	var r protocol.Result
	require.NoError(t, protocol.Decode(result, &r))
	if len(r.Rejections) == 0 {
		return protocol.StatusOK
	}
	require.Len(t, r.Rejections, 1)
	return r.Rejections[0].Status
}

// confirmed is the offset that a send was given, -1 if it was refused.
func confirmed(t require.TestingT, result []byte) int64 {
	if len(result) == 0 {
		return -1
	}
	var r protocol.SendReply
	require.NoError(t, protocol.Decode(result, &r))
	require.Len(t, r.Confirmations, 1)
	return int64(r.Confirmations[0].BaseOffset)
}

// files are the names and contents of the segment directory.
func files(t require.TestingT, disk storage.Disk) map[string]string {
	names, err := disk.List("segments")
	require.NoError(t, err)
	all := map[string]string{}
	for _, name := range names {
		f, err := disk.Open(path.Join("segments", name))
		require.NoError(t, err)
		size, err := f.Size()
		require.NoError(t, err)
		content := make([]byte, size)
		_, err = f.ReadAt(content, 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		all[name] = string(content)
	}
	return all
}

// checkpointed takes a checkpoint, but for the snapshot's file and its pairing.
func checkpointed(t require.TestingT, m *partition.Machine) []byte {
	require.NoError(t, m.Persist())
	require.Zero(t, m.TailBytes())
	snapshot := m.AppendSnapshot(nil)
	require.NoError(t, m.Paired())
	return snapshot
}

func numbered(from, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("message %d", from+i))
	}
	return names
}

// closes ends a machine with its test.
func closes(t *testing.T, m *partition.Machine) *partition.Machine {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}
