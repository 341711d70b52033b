package replica_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// R17, NoStall of JournalGroups: an op that does not commit, for as long as its acknowledgements
// are lost, and view change after view change, each with a state record. What the op's file has
// is moved; when the links heal, the op commits, and the log has room. Without moving it would be
// full for good.
func TestViewChangesWithoutACommitDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	c := checkpointing(t, 2)
	c.boot()
	session := c.register(0)
	c.writes(session, 1, 5)
	c.drop = func(m wire.Message) bool {
		_, is := m.(*wire.PrepareOK)
		return is
	}
	c.primary(0).hosts[0].Request(write(0, session, 6, 6, 6))
	c.settle()
	for range 200 {
		for _, p := range c.processes {
			p.hosts[0].LeaveView()
		}
		c.settle()
		c.primary(0)
		c.ticks(2)
	}
	moved := 0
	for _, p := range c.processes {
		require.False(t, p.storage.Full(), "process %d", p.id)
		assert.Positive(t, p.storage.Released(), "process %d", p.id)
		moved += p.storage.Moved()
	}
	assert.Positive(t, moved)
	c.drop = nil
	c.ticks(100)
	c.writes(session, 7, 30)
	c.ticks(200)
	c.has(30)
	c.reboot()
	c.primary(0)
	c.ticks(100)
	c.has(30)
}
