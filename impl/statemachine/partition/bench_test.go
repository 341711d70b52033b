package partition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func benchConfig(disk storage.Disk) partition.Config {
	c := config(disk)
	c.Segments = segment.DefaultConfig("segments", 7)
	return c
}

// BenchmarkAppend executes sends of so many messages of so many bytes; what is in memory is
// dropped now and then, as a checkpoint drops it.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []struct{ messages, bytes int }{{1, 100}, {1, 4096}, {100, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size.messages, size.bytes), func(b *testing.B) {
			payloads := make([]string, size.messages)
			for i := range payloads {
				payloads[i] = string(make([]byte, size.bytes))
			}
			body := sendBody(b, payloads...)
			m := partition.New(benchConfig(nil))
			op := wire.Op(0)
			b.SetBytes(int64(size.messages * size.bytes))
			b.ReportAllocs()
			for b.Loop() {
				op++
				if m.TailBytes() > 64<<20 {
					m.Execute(prepare(op, 1, partition.OperationPurge, partition.PurgeBody(uint64(op))))
				}
				if len(m.Execute(prepare(op, 1, protocol.OperationSend, body))) == 0 {
					b.Fatal("refused")
				}
			}
		})
	}
}

// BenchmarkMaterialise writes a tail of 4 MiB in batches of 4 KiB to the files of the operating
// system, without a flush.
func BenchmarkMaterialise(b *testing.B) {
	disk, err := storage.OpenDirectory(b.TempDir())
	require.NoError(b, err)
	m := partition.New(benchConfig(disk))
	body := sendBody(b, string(make([]byte, 4096)))
	b.SetBytes(4 << 20)
	b.ReportAllocs()
	op := wire.Op(0)
	for b.Loop() {
		b.StopTimer()
		for range 1 << 10 {
			op++
			m.Execute(prepare(op, 1, protocol.OperationSend, body))
		}
		b.StartTimer()
		require.NoError(b, m.Materialise())
	}
	b.StopTimer()
	require.NoError(b, m.Close())
	require.NoError(b, disk.Close())
}

// BenchmarkPoll asks for messages of 100 bytes in batches of ten, from memory and from files.
func BenchmarkPoll(b *testing.B) {
	for _, where := range []string{"memory", "files"} {
		for _, count := range []uint32{1, 1000} {
			b.Run(fmt.Sprintf("%s/%d", where, count), func(b *testing.B) { benchPoll(b, where, count) })
		}
	}
}

func benchPoll(b *testing.B, where string, count uint32) {
	disk, err := storage.OpenDirectory(b.TempDir())
	require.NoError(b, err)
	m := partition.New(benchConfig(disk))
	payloads := make([]string, 10)
	for i := range payloads {
		payloads[i] = string(make([]byte, 100))
	}
	body := sendBody(b, payloads...)
	const batches = 10_000
	for op := range wire.Op(batches) {
		m.Execute(prepare(op+1, uint64(op), protocol.OperationSend, body))
	}
	if where == "files" {
		require.NoError(b, m.Materialise())
	}
	ask := someone("me")
	from := uint64(0)
	b.SetBytes(int64(count) * 100)
	b.ReportAllocs()
	for b.Loop() {
		from = (from + 7919) % (10*batches - uint64(count))
		answer := m.Query(uint32(protocol.CodePoll), protocol.MustAppend(nil, &protocol.Poll{
			Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic,
			Strategy: protocol.FromOffset, Value: from, Count: count,
		}))
		if len(answer) < 100 {
			b.Fatal("nothing")
		}
	}
	require.NoError(b, m.Close())
	require.NoError(b, disk.Close())
}
