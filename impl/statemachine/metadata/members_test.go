package metadata_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The members of a group share the partitions: each partition is one member's, whatever joins and
// leaves, and each new distribution has a higher generation.
func TestMembersShareThePartitions(t *testing.T) {
	t.Parallel()
	m := metadata.New(metadata.DefaultLimits())
	run(t, m, 1, opCreateStream, body("s"))
	run(t, m, 2, opCreateTopic, body(id(1), uint32(5), "t"))
	run(t, m, 3, opCreateGroup, body(id(1), id(1), "g"))
	who := protocol.GroupRef{
		Stream: protocol.ID(1), Topic: protocol.Named("t"), Group: protocol.Named("g"),
	}
	client := func(n uint64) wire.ClientID { return wire.ClientID{Lo: n} }
	do := func(operation wire.Operation, n uint64) uint32 {
		p := &wire.Prepare{Header: wire.PrepareHeader{Operation: operation, Client: client(n)}}
		p.Body = protocol.MustAppend(nil, &who)
		var r protocol.Result
		require.NoError(t, protocol.Decode(m.Execute(p), &r))
		if len(r.Rejections) > 0 {
			return uint32(r.Rejections[0].Status)
		}
		return 0
	}
	generation := uint64(0)
	shares := func(members ...uint64) [][]uint32 {
		t.Helper()
		var all [][]uint32
		for _, n := range members {
			share, status := m.Sync(metadata.RootID, client(n), who)
			require.Equal(t, protocol.StatusOK, status)
			if len(all) == 0 {
				assert.Greater(t, share.Generation, generation)
				generation = share.Generation
			}
			assert.Equal(t, generation, share.Generation)
			all = append(all, share.Partitions)
		}
		again := metadata.New(metadata.DefaultLimits())
		require.NoError(t, again.Restore(m.AppendSnapshot(nil)))
		assert.Equal(t, m.Checksum(), again.Checksum())
		return all
	}
	assert.Zero(t, do(opJoinGroup, 1))
	assert.Equal(t, [][]uint32{{0, 1, 2, 3, 4}}, shares(1))
	assert.Zero(t, do(opJoinGroup, 2))
	assert.Zero(t, do(opJoinGroup, 2), "it is a member already")
	assert.Equal(t, [][]uint32{{0, 2, 4}, {1, 3}}, shares(1, 2))
	assert.Zero(t, do(opJoinGroup, 3))
	assert.Equal(t, [][]uint32{{0, 3}, {1, 4}, {2}}, shares(1, 2, 3))
	run(t, m, 9, opCreatePartitions, body(id(1), id(1), uint32(1)))
	assert.Equal(t, [][]uint32{{0, 3}, {1, 4}, {2, 5}}, shares(1, 2, 3))
	assert.Zero(t, do(wire.Operation(149), 1))
	assert.Equal(t, uint32(protocol.StatusMemberNotFound), do(wire.Operation(149), 1))
	assert.Equal(t, [][]uint32{{0, 2, 4}, {1, 3, 5}}, shares(2, 3))
	m.SessionEnded(client(3))
	m.SessionEnded(client(7))
	assert.Equal(t, [][]uint32{{0, 1, 2, 3, 4, 5}}, shares(2))
	_, status := m.Sync(metadata.RootID, client(3), who)
	assert.Equal(t, protocol.StatusMemberNotFound, status)
}
