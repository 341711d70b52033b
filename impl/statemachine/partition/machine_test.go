package partition_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// ten is a partition with messages 0 to 9, two in a batch, at times 100, 200, 300, 400, 500.
func ten(t *testing.T, c partition.Config) *partition.Machine {
	t.Helper()
	m := closes(t, partition.New(c))
	for i := range 5 {
		result := m.Execute(prepare(wire.Op(i+1), uint64(100*(i+1)), protocol.OperationSend,
			sendBody(t, numbered(2*i, 2)...)))
		require.EqualValues(t, 2*i, confirmed(t, result))
	}
	return m
}

func TestPollStrategies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		strategy protocol.Strategy
		value    uint64
		count    uint32
		from, n  int
	}{
		"from the first":                     {protocol.FromFirst, 0, 3, 0, 3},
		"from the last, backwards":           {protocol.FromLast, 0, 3, 7, 3},
		"the last, more than there are":      {protocol.FromLast, 0, 99, 0, 10},
		"from an offset":                     {protocol.FromOffset, 4, 2, 4, 2},
		"from the middle of a batch":         {protocol.FromOffset, 5, 3, 5, 3},
		"one message out of a batch":         {protocol.FromOffset, 5, 1, 5, 1},
		"all there are":                      {protocol.FromOffset, 0, 99, 0, 10},
		"the last offset":                    {protocol.FromOffset, 9, 99, 9, 1},
		"behind the last offset":             {protocol.FromOffset, 10, 99, 0, 0},
		"no messages at all":                 {protocol.FromOffset, 0, 0, 0, 0},
		"from before the first time":         {protocol.FromTimestamp, 1, 99, 0, 10},
		"from a time that a batch has":       {protocol.FromTimestamp, 300, 99, 4, 6},
		"from a time between two batches":    {protocol.FromTimestamp, 301, 99, 6, 4},
		"from the last time":                 {protocol.FromTimestamp, 500, 1, 8, 1},
		"from a time behind the last":        {protocol.FromTimestamp, 501, 99, 0, 0},
		"next of a consumer, behind its own": {protocol.FromNext, 0, 2, 4, 2},
	} {
		for where, disk := range map[string]*memdisk.Disk{
			"in memory": nil, "on disk": memdisk.New(1), "on both": memdisk.New(1),
		} {
			t.Run(name+", "+where, func(t *testing.T) {
				t.Parallel()
				c := config(nil)
				if disk != nil {
					c = config(disk)
				}
				m := ten(t, c)
				if where == "on both" {
					// Again, with a checkpoint in the middle.
					m = closes(t, partition.New(c))
					for i := range 5 {
						m.Execute(prepare(wire.Op(i+1), uint64(100*(i+1)), protocol.OperationSend,
							sendBody(t, numbered(2*i, 2)...)))
						if i == 2 {
							checkpointed(t, m)
						}
					}
				} else if disk != nil {
					checkpointed(t, m)
				}
				require.Equal(t, protocol.StatusOK, status(t, m.Execute(prepare(6, 600,
					protocol.OperationStoreOffset, storeBody("me", 3)))))
				got := poll(t, m, tc.strategy, tc.value, tc.count)
				assert.Equal(t, uint64(9), got.current)
				assert.Equal(t, numbered(tc.from, tc.n), got.payloads)
				for i, offset := range got.offsets {
					assert.EqualValues(t, tc.from+i, offset)
				}
			})
		}
	}
}

func TestOffsetRules(t *testing.T) {
	t.Parallel()
	const (
		store   = protocol.OperationStoreOffset
		advance = partition.OperationAdvanceOffset
		del     = protocol.OperationDeleteOffset
	)
	const (
		badOffset = protocol.StatusInvalidOffset
		badFormat = protocol.StatusInvalidFormat
		notFound  = protocol.StatusOffsetNotFound
	)
	for name, tc := range map[string]struct {
		before    int64 // Stored; -1: nothing.
		operation wire.Operation
		body      []byte
		want      protocol.Status
		after     int64
	}{
		"a first offset is stored":          {-1, store, storeBody("me", 4), 0, 4},
		"an offset may go back":             {4, store, storeBody("me", 2), 0, 2},
		"the last offset may be stored":     {-1, store, storeBody("me", 9), 0, 9},
		"one that no message has may not":   {4, store, storeBody("me", 10), badOffset, 4},
		"the automatic one raises":          {4, advance, storeBody("me", 6), 0, 6},
		"the automatic one does not lower":  {4, advance, storeBody("me", 2), 0, 4},
		"the automatic one may be first":    {-1, advance, storeBody("me", 2), 0, 2},
		"of another consumer: not this one": {4, store, storeBody("you", 2), 0, 4},
		"a stored one is deleted":           {4, del, deleteBody("me"), 0, -1},
		"none cannot be deleted":            {-1, del, deleteBody("me"), notFound, -1},
		"half a body has a result":          {4, store, storeBody("me", 2)[:9], badFormat, 4},
		"half a deletion has a result":      {4, del, deleteBody("me")[:9], badFormat, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := ten(t, config(nil))
			if tc.before >= 0 {
				m.Execute(prepare(6, 600, store, storeBody("me", uint64(tc.before))))
			}
			require.Equal(t, tc.want, status(t, m.Execute(prepare(7, 700, tc.operation, tc.body))))
			assert.Equal(t, tc.after, storedBy(t, m, "me"))
		})
	}
	empty := partition.New(config(nil))
	assert.Equal(t, protocol.StatusInvalidOffset,
		status(t, empty.Execute(prepare(1, 1, store, storeBody("me", 0)))), "of an empty partition")
}

func TestASendThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	good := sendBody(t, "a", "b")
	damaged := append([]byte(nil), good...)
	damaged[len(damaged)-1]++
	var send protocol.Send
	require.NoError(t, protocol.Decode(good, &send))
	miscounted := send
	miscounted.Messages++
	for name, tc := range map[string]struct {
		body []byte
		want protocol.Status
	}{
		"nothing":         {nil, protocol.StatusInvalidFormat},
		"half":            {good[:20], protocol.StatusInvalidFormat},
		"a damaged batch": {damaged, protocol.StatusInvalidMessages},
		"another count": {
			protocol.MustAppend(nil, &miscounted), protocol.StatusInvalidMessages,
		},
	} {
		m := ten(t, config(nil))
		before := m.Checksum()
		assert.Empty(t, m.Execute(prepare(6, 600, protocol.OperationSend, tc.body)), name)
		assert.Equal(t, before, m.Checksum(), name)
		_, _, refused := partition.Sent(tc.body)
		assert.Equal(t, tc.want, refused, name)
	}
	_, n, refused := partition.Sent(good)
	assert.Equal(t, protocol.StatusOK, refused)
	assert.EqualValues(t, 2, n)
}

func TestWhatIsNoneOfOursHasAResult(t *testing.T) {
	t.Parallel()
	m := ten(t, config(nil))
	before := m.Checksum()
	for operation := range 256 {
		for _, body := range [][]byte{nil, make([]byte, 3), make([]byte, 40)} {
			m.Execute(prepare(6, 600, wire.Operation(operation), body))
		}
	}
	assert.Equal(t, before, m.Checksum())
	assert.Equal(t, protocol.StatusInvalidCommand, status(t, m.Execute(prepare(6, 6, 240, nil))))
	assert.Nil(t, m.Query(9999, nil))
	assert.Nil(t, m.Query(uint32(protocol.CodeGetOffset), []byte{1}))
	assert.Empty(t, parsePoll(t, m.Query(uint32(protocol.CodePoll), []byte{1})).payloads)
}

// A poll with the position that it commits: the caller asks the group to advance to it.
func TestAPollSaysHowFarItReached(t *testing.T) {
	t.Parallel()
	m := ten(t, config(nil))
	ask := someone("me")
	body := protocol.MustAppend(nil, &protocol.Poll{
		Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic, Partition: ask.Partition,
		Strategy: protocol.FromNext, Count: 3, AutoCommit: true,
	})
	for _, want := range []uint64{2, 5, 8, 9} {
		answer := m.Query(uint32(protocol.CodePoll), body)
		reached, found := partition.Reached(answer)
		require.True(t, found)
		require.Equal(t, want, reached)
		m.Execute(prepare(9, 900, partition.OperationAdvanceOffset, storeBody("me", reached)))
	}
	_, found := partition.Reached(m.Query(uint32(protocol.CodePoll), body))
	assert.False(t, found, "nothing is left")
	_, found = partition.Reached([]byte("no answer"))
	assert.False(t, found)
}

func TestAPollIsBounded(t *testing.T) {
	t.Parallel()
	c := config(nil)
	c.PollBytes = 800
	m := ten(t, c)
	assert.Equal(t, numbered(0, 4), poll(t, m, protocol.FromFirst, 0, 99).payloads)
	c.PollBytes = 1
	m = ten(t, c)
	assert.Equal(t, numbered(1, 1), poll(t, m, protocol.FromOffset, 1, 99).payloads, "but one batch")
}

func TestRetentionIsDecidedByOps(t *testing.T) {
	t.Parallel()
	const (
		retain   = partition.OperationRetain
		truncate = partition.OperationTruncate
		purge    = partition.OperationPurge
		bad      = protocol.StatusInvalidFormat
	)
	bounds := partition.RetainBody
	// Three batches of 462 bytes fill a segment: 0 to 5 at 100 to 300, 6 to 9 at 400 and 500.
	for name, tc := range map[string]struct {
		now       uint64
		operation wire.Operation
		body      []byte
		want      protocol.Status
		start     uint64
	}{
		"by age: the last of a segment counts": {1299, retain, bounds(1000, 0, false), 0, 0},
		"by age: old enough":                   {1300, retain, bounds(1000, 0, false), 0, 6},
		"the last segment stays":               {9999, retain, bounds(1, 1, false), 0, 6},
		"by size: it fits":                     {600, retain, bounds(0, 5000, false), 0, 0},
		"by size: it does not fit":             {600, retain, bounds(0, 2000, false), 0, 6},
		"zero bounds keep everything":          {9999, retain, bounds(0, 0, false), 0, 0},
		"what a consumer has not read is held": {9999, retain, bounds(1, 1, true), 0, 0},
		"a truncation below the segment's end": {600, truncate, partition.TruncateBody(5), 0, 0},
		"a truncation at the segment's end":    {600, truncate, partition.TruncateBody(6), 0, 6},
		"a truncation of everything":           {600, truncate, partition.TruncateBody(99), 0, 6},
		"a purge drops the last segment, too":  {600, purge, partition.PurgeBody(1), 0, 10},
		"a purge of a generation that was":     {600, purge, partition.PurgeBody(0), 0, 0},
		"a retention that cannot be read":      {600, retain, make([]byte, 16), bad, 0},
		"a truncation that cannot be read":     {600, truncate, make([]byte, 7), bad, 0},
		"a purge that cannot be read":          {600, purge, nil, bad, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := ten(t, config(nil))
			require.Equal(t, 2, m.Stats().Segments)
			m.Execute(prepare(6, 550, protocol.OperationStoreOffset, storeBody("slow", 4)))
			require.Equal(t, tc.want, status(t, m.Execute(prepare(7, tc.now, tc.operation, tc.body))))
			assert.Equal(t, tc.start, m.Stats().Start)
			assert.Equal(t, 10-tc.start, m.Stats().Messages)
			got := poll(t, m, protocol.FromOffset, 0, 99)
			assert.Equal(t, numbered(int(tc.start), 10-int(tc.start)), got.payloads)
			assert.Equal(t, uint64(9), got.current)
			result := m.Execute(prepare(8, 9999, protocol.OperationSend, sendBody(t, "more")))
			assert.EqualValues(t, 10, confirmed(t, result), "offsets go on")
		})
	}
}

// The same request at two ops: the batch lies there twice, for whoever sends twice. Sessions
// keep it from being executed twice.
func TestTheAnswersBytesStay(t *testing.T) {
	t.Parallel()
	m := partition.New(config(nil))
	m.Execute(prepare(1, 100, protocol.OperationSend, sendBody(t, "a")))
	got := m.Execute(prepare(2, 200, protocol.OperationSend, sendBody(t, "b", "c")))
	assert.Equal(t, "01000000"+"03000000"+"04000000"+"05000000"+"0100000000000000",
		hex.EncodeToString(got))
	got = m.Execute(prepare(3, 300, protocol.OperationStoreOffset, storeBody("me", 1)))
	assert.Equal(t, "00000000", hex.EncodeToString(got))
	got = m.Execute(prepare(4, 300, protocol.OperationStoreOffset, storeBody("me", 3)))
	assert.Equal(t, "01000000"+"00000000"+"04100000", hex.EncodeToString(got))
	ask := someone("me")
	got = m.Query(uint32(protocol.CodeGetOffset), protocol.MustAppend(nil, &ask))
	assert.Equal(t, "05000000"+"0200000000000000"+"0100000000000000", hex.EncodeToString(got))
	ask = someone("nobody")
	assert.Empty(t, m.Query(uint32(protocol.CodeGetOffset), protocol.MustAppend(nil, &ask)))
}
