package partition_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// small is a partition with one message and two offsets.
func small(t require.TestingT) *partition.Machine {
	m := partition.New(config(nil))
	m.Execute(prepare(1, 100, protocol.OperationSend, sendBody(t, "x")))
	m.Execute(prepare(2, 200, protocol.OperationStoreOffset, storeBody("me", 0)))
	m.Execute(prepare(3, 300, protocol.OperationStoreOffset, protocol.MustAppend(nil,
		&protocol.StoreOffset{GetOffset: protocol.GetOffset{
			Consumer: protocol.Consumer{Kind: protocol.Group, ID: protocol.ID(9)},
			Stream:   protocol.ID(3), Topic: protocol.ID(4),
		}})))
	return m
}

func TestTheBytesOfASnapshotStay(t *testing.T) {
	t.Parallel()
	snapshot := small(t).AppendSnapshot([]byte("before"))
	require.Equal(t, "before", string(snapshot[:6]))
	snapshot = snapshot[6:]
	tail := len(snapshot) - 8 - 256 - 48 - 1
	assert.Equal(t, goldenSnapshot, hex.EncodeToString(snapshot[:tail]))
	assert.Equal(t, "0100000000000000", hex.EncodeToString(snapshot[tail:tail+8]), "the op")
}

func TestRestoreSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	put := func(at int, x uint64) func([]byte) []byte {
		return func(p []byte) []byte {
			binary.LittleEndian.PutUint64(p[at:], x)
			return p
		}
	}
	set := func(at int, x byte) func([]byte) []byte {
		return func(p []byte) []byte {
			p[at] = x
			return p
		}
	}
	const (
		atExtent = 72
		atStored = atExtent + 32 + 8
		atMark   = atStored + 2*8 + (3 + 2) + (3 + 4)
		atTail   = atMark + segment.MarkBytes + 8
	)
	for name, tc := range map[string]struct {
		harm func([]byte) []byte
		want string
	}{
		"nothing":                 {func([]byte) []byte { return nil }, "no snapshot"},
		"another magic":           {put(0, 0), "no snapshot"},
		"another version":         {func(p []byte) []byte { p[4]++; return p }, "no snapshot"},
		"another partition":       {put(8, 6), "partition 6, expected 5"},
		"a start behind":          {put(16, 1), "expected one from 1"},
		"a next ahead":            {put(24, 2), "segments up to 1, expected 2"},
		"an older timestamp":      {put(32, 99), "segments up to"},
		"more segments":           {put(64, math.MaxUint64), "ends early"},
		"a segment of no bytes":   {put(atExtent+16, 0), "a segment from 0"},
		"an offset not there":     {put(atStored, 1), "stored offset 1"},
		"consumers in disorder":   {set(atStored+8, 2), "stored offset"},
		"a kind of consumer":      {set(atStored+8, 3), "a consumer of kind 3"},
		"a consumer of no name":   {set(atStored+10, 0), "with 0 bytes"},
		"a mark of no log":        {put(atMark, 1), "decode mark"},
		"no op":                   {put(atTail, 0), "op 0"},
		"a batch that is damaged": {func(p []byte) []byte { p[len(p)-1]++; return p }, "frame_checksum"},
		"a batch less":            {put(atTail-8, 0), "behind the tail"},
		"a batch more":            {put(atTail-8, 2), "ends early"},
		"an end too early":        {func(p []byte) []byte { return p[:len(p)-1] }, "short"},
		"a byte too much":         {func(p []byte) []byte { return append(p, 0) }, "1 bytes behind"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := ten(t, config(nil))
			before := m.AppendSnapshot(nil)
			p := tc.harm(small(t).AppendSnapshot(nil))
			err := m.Restore(p)
			require.ErrorContains(t, err, "restore partition 5: ")
			require.ErrorContains(t, err, tc.want)
			assert.Equal(t, before, m.AppendSnapshot(nil), "the state is as it was")
		})
	}
}

func TestFilesThatASnapshotNamesMustBeThere(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	m := ten(t, config(disk))
	snapshot := checkpointed(t, m)
	require.ErrorContains(t, partition.New(config(nil)).Restore(snapshot), "without a disk")

	other := ten(t, config(memdisk.New(1)))
	before := other.AppendSnapshot(nil)
	var lost *segment.LostError
	require.ErrorAs(t, other.Restore(snapshot), &lost)
	assert.Equal(t, before, other.AppendSnapshot(nil), "the state is as it was")

	again := closes(t, partition.New(config(disk)))
	require.NoError(t, again.Restore(snapshot))
	assert.Equal(t, numbered(0, 10), poll(t, again, protocol.FromFirst, 0, 99).payloads)
	assert.Equal(t, snapshot, again.AppendSnapshot(nil))
}

// Whatever the bytes: no panic; what is accepted is written the same way again, and goes on.
func FuzzRestore(f *testing.F) {
	f.Add(small(f).AppendSnapshot(nil))
	f.Add(partition.New(config(nil)).AppendSnapshot(nil))
	f.Fuzz(func(t *testing.T, p []byte) {
		for _, disk := range []*memdisk.Disk{nil, memdisk.New(1)} {
			c := config(nil)
			if disk != nil {
				c = config(disk)
			}
			m := closes(t, partition.New(c))
			if m.Restore(p) != nil {
				continue
			}
			require.Equal(t, p, m.AppendSnapshot(nil))
			next := m.Stats().Next
			if next < math.MaxUint64-1 {
				result := m.Execute(prepare(math.MaxUint64, 0, protocol.OperationSend, sendBody(t, "x")))
				require.Equal(t, next, uint64(confirmed(t, result)))
			}
			m.Execute(prepare(math.MaxUint64, 0, partition.OperationRetain,
				partition.RetainBody(1, 1, true)))
			require.NoError(t, m.Materialise())
			poll(t, m, protocol.FromFirst, 0, 99)
		}
	})
}
