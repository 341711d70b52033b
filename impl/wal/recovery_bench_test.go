package wal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// BenchmarkOpen recovers a log of 64 MiB in bodies, whose files are in the page cache: what
// `viewstamp bench wal` compares with reading from the disk, this gives to a profiler.
func BenchmarkOpen(b *testing.B) {
	const logBytes, batch = 64 << 20, 16
	for _, size := range []int{256, 4096} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			disk, err := storage.OpenDirectory(b.TempDir())
			require.NoError(b, err)
			c := wal.DefaultConfig(directory)
			c.FileBytes, c.Incarnation.Lo = 4<<20, 1
			l, _, err := wal.Open(disk, c)
			require.NoError(b, err)
			body := make([]byte, size)
			for op := wire.Op(1); int(op)*size < logBytes; {
				var records []wal.Record
				for range batch {
					records = append(records, prepare(1, op, 0))
					records[len(records)-1].Body = body
					op++
				}
				_, err := l.Append(records...)
				require.NoError(b, err)
			}
			require.NoError(b, l.Sync())
			require.NoError(b, l.Close())
			b.SetBytes(logBytes)
			b.ReportAllocs()
			for b.Loop() {
				c.Incarnation.Lo++
				l, _, err := wal.Open(disk, c)
				require.NoError(b, err)
				require.NoError(b, l.Close())
			}
			require.NoError(b, disk.Close())
		})
	}
}
