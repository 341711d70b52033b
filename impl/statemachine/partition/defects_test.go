package partition_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// agree runs a schedule of so many ops on two replicas that materialise at different ops, and
// says in what they differ from each other, or from what the automatic offset must be.
func agree(t require.TestingT, seed int, d partition.Defect) error {
	r := random(seed)
	var machines [2]*partition.Machine
	var disks [2]*memdisk.Disk
	for i := range machines {
		disks[i] = memdisk.New(1)
		c := config(disks[i])
		c.Defect = d
		machines[i] = partition.New(c)
	}
	stored := int64(-1)
	// The purge of op 58 is near the end, so that the files still show how it was done.
	last := wire.Op(59 + r.n(8))
	for op := wire.Op(1); op <= last; op++ {
		p := numberedOp(op)
		if op%9 == 5 {
			offset := r.n(int(machines[0].Stats().Next))
			p = prepare(op, p.Header.Timestamp, partition.OperationAdvanceOffset,
				storeBody("automatic", uint64(offset)))
			stored = max(stored, int64(offset))
		}
		for i, m := range machines {
			m.Execute(p)
			if r.n(6+10*i) == 0 {
				require.NoError(t, m.Materialise())
			}
		}
		if machines[0].Checksum() != machines[1].Checksum() {
			return fmt.Errorf("the states differ after op %d", op)
		}
		if storedBy(t, machines[0], "automatic") != stored {
			return fmt.Errorf("op %d: the automatic offset is %d, expected %d", op,
				storedBy(t, machines[0], "automatic"), stored)
		}
	}
	for _, m := range machines {
		checkpointed(t, m)
		require.NoError(t, m.Close())
	}
	if !maps.Equal(files(t, disks[0]), files(t, disks[1])) {
		return errors.New("the files differ")
	}
	return nil
}

func TestTheComparisonOfReplicasNoticesADefect(t *testing.T) {
	t.Parallel()
	const seeds = 20
	for seed := range seeds {
		require.NoError(t, agree(t, seed, 0), "seed %d", seed)
	}
	for d := partition.DefectRetainsByFiles; d <= partition.DefectAdvanceLowers; d++ {
		found := 0
		var last error
		for seed := range seeds {
			if err := agree(t, seed, d); err != nil {
				found, last = found+1, err
			}
		}
		assert.Positive(t, found, "%s", d)
		t.Logf("%s: %d of %d runs: %v", d, found, seeds, last)
	}
	assert.Equal(t, "none", partition.Defect(0).String())
	assert.Equal(t, "defect(9)", partition.Defect(9).String())
}

// A bit that rots in a file: no poll returns anything that it touches, and the machine says why.
func TestAPollOfARottenSegmentReturnsNothing(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	m := ten(t, config(disk))
	checkpointed(t, m)
	const name = "segments/00000000000000000000.log"
	for at := int64(0); at < 900; at += 7 {
		require.NoError(t, disk.Rot(name, at, 1))
		got := poll(t, m, protocol.FromFirst, 0, 99)
		require.Empty(t, got.payloads, "byte %d", at)
		require.ErrorContains(t, m.Unreadable(), name)
		require.NoError(t, disk.Rot(name, at, 1))
	}
	require.Equal(t, numbered(0, 10), poll(t, m, protocol.FromFirst, 0, 99).payloads)
	require.NoError(t, m.Unreadable())
}
