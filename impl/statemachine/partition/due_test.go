package partition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What a machine says would be dropped is what the op then drops: else a primary would propose it
// for ever, or never.
func TestWhatIsDueIsWhatIsDropped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := partition.New(config(nil))
		op := wire.Op(0)
		do := func(operation wire.Operation, body []byte) {
			op++
			require.Equal(t, protocol.StatusOK, status(t, m.Execute(
				prepare(op, uint64(100*op), operation, body))))
		}
		for range rapid.IntRange(0, 12).Draw(t, "batches") {
			op++
			m.Execute(prepare(op, uint64(100*op), protocol.OperationSend,
				sendBody(t, strings.Repeat("x", rapid.IntRange(1, 900).Draw(t, "bytes")))))
		}
		if next := m.Stats().Next; next > 0 && rapid.Bool().Draw(t, "stored") {
			do(protocol.OperationStoreOffset,
				storeBody("me", rapid.Uint64Range(0, next-1).Draw(t, "offset")))
		}
		if count := rapid.Uint32Range(0, 12).Draw(t, "count"); rapid.Bool().Draw(t, "truncate") {
			before := m.Stats()
			end := m.EndOfOldest(count)
			due := m.WouldTruncate(end)
			do(partition.OperationTruncate, partition.TruncateBody(end))
			gone := min(int(count), max(before.Segments, 1)-1)
			assert.Equal(t, before.Segments-gone, m.Stats().Segments)
			assert.Equal(t, gone > 0, due)
			assert.Equal(t, end, m.Stats().Start)
			return
		}
		age := rapid.Uint64Range(0, 1500).Draw(t, "age")
		bytes := rapid.Uint64Range(0, 6000).Draw(t, "keep")
		hold := rapid.Bool().Draw(t, "hold")
		before := m.Stats().Start
		due := m.WouldRetain(uint64(100*(op+1)), age, bytes, hold)
		do(partition.OperationRetain, partition.RetainBody(age, bytes, hold))
		assert.Equal(t, m.Stats().Start > before, due)
	})
}
