package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A member that nobody speaks for is absent after the absence allowed, once and not before; a
// replica that has just begun to lead waits as long again.
func TestWhoIsAbsent(t *testing.T) {
	t.Parallel()
	m := metadata.New(metadata.DefaultLimits())
	one, two := wire.ClientID{Lo: 1}, wire.ClientID{Lo: 2}
	execute := func(client wire.ClientID, operation wire.Operation, body protocol.Body) {
		m.Execute(&wire.Prepare{
			Header: wire.PrepareHeader{Operation: operation, Client: client, UserID: metadata.RootID},
			Body:   protocol.MustAppend(nil, body),
		})
	}
	execute(one, protocol.OperationCreateStream, &protocol.CreateStream{Name: "s"})
	execute(one, protocol.OperationCreateTopic, &protocol.CreateTopic{
		Stream: protocol.Named("s"), Name: "t", Partitions: 1,
	})
	execute(one, protocol.OperationCreateGroup, &protocol.CreateGroup{
		Stream: protocol.Named("s"), Topic: protocol.Named("t"), Name: "g",
	})
	group := &protocol.GroupRef{
		Stream: protocol.Named("s"), Topic: protocol.Named("t"), Group: protocol.Named("g"),
	}
	execute(one, protocol.OperationJoinGroup, group)
	execute(two, protocol.OperationJoinGroup, group)
	require.Len(t, m.MayBeMembers(), 2)

	a := newAttendance(m, 400*time.Millisecond, 10*time.Millisecond)
	spoken := []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}
	absent := map[uint64][]wire.ClientID{}
	for now := uint64(1); now <= 100; now++ {
		if now%10 == 5 {
			a.note(spoken, now)
		}
		if gone := a.absent(true, now); gone != nil {
			absent[now] = gone
		}
	}
	assert.Equal(t, map[uint64][]wire.ClientID{60: {two}}, absent)
	assert.Empty(t, a.absent(false, 100))
	for now := uint64(101); now <= 150; now++ {
		assert.Empty(t, a.absent(true, now), "a new primary has heard of nobody yet")
	}
	assert.Len(t, a.absent(true, 160), 2)
	m.SessionEnded(two)
	assert.NotContains(t, m.MayBeMembers(), two)
}
