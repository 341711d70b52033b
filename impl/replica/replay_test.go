package replica

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What verifies in the log is no part of the replica's log for that alone (R2, R14).
func TestReplayTakesWhatBelongsToTheLog(t *testing.T) {
	t.Parallel()
	prepare := func(op wire.Op, parent wire.Checksum) *wire.Prepare {
		p := &wire.Prepare{
			Header: wire.PrepareHeader{Op: op, Parent: parent, Operation: 240, Timestamp: uint64(op)},
			Body:   []byte{byte(op)},
		}
		p.Seal()
		return p
	}
	first := prepare(1, wire.Checksum{})
	chained := first.Header.Checksum
	for name, tc := range map[string]struct {
		second  *wire.Prepare
		logView wire.View
		want    int // how many of the two are in the log
		doubt   bool
	}{
		"of the log":          {prepare(2, chained), 0, 2, false},
		"of another log view": {prepare(2, chained), 1, 1, false},
		"of another parent":   {prepare(2, wire.Checksum{Lo: 9}), 0, 1, true},
		"behind a hole":       {prepare(3, chained), 0, 1, true},
		"of the same op":      {prepare(1, wire.Checksum{}), 0, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			cluster := wire.ClusterIDOf("replay")
			require.NoError(t, Format(disk, cluster))
			open := func(boot uint64) *Storage {
				s, err := Open(disk, Options{
					Cluster: cluster, Incarnation: wire.Incarnation{Lo: boot},
					Kernel: wire.Uint128{Lo: 1},
					Log:    wal.Config{FileBytes: 1 << 20, FilesMax: 8},
				})
				require.NoError(t, err)
				return s
			}
			config := GroupConfig{ReplicaCount: 3, Policy: vsr.PolicyPersisted, Fresh: true}
			s := open(1)
			_, _, err := s.boot(config)
			require.NoError(t, err)
			_, err = s.log.Append(prepareRecord(vsr.StorePrepare{Prepare: first}),
				prepareRecord(vsr.StorePrepare{Prepare: tc.second, LogView: tc.logView}))
			require.NoError(t, err)
			require.NoError(t, s.log.Sync())
			require.NoError(t, s.Close())

			_, b, err := open(2).boot(config)
			require.NoError(t, err)
			require.Len(t, b.Recovered.Headers, tc.want)
			require.Equal(t, 2-tc.want, b.Discarded)
			require.Equal(t, tc.doubt, b.Recovered.Untrusted, "what this log view had is gone")
		})
	}
}
