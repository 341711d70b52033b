package metadata_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Any body of any operation by any user: no panic, a framed result, the same on two replicas; what
// is refused changes nothing; the state can always be taken out and put in again.
func FuzzExecute(f *testing.F) {
	for _, op := range drawnOps {
		s := step{op: op, name: "a", hash: hashOne, status: 1, count: 1, stream: who{id: 2}}
		f.Add(uint8(op), uint32(0), s.body())
	}
	f.Add(uint8(opPermissions), uint32(0), body(id(1), uint8(0)))
	f.Add(uint8(opDeleteSegments), uint32(1), body(id(2), id(1), uint32(0), uint32(1)))
	f.Add(uint8(opJoinGroup), uint32(7), body(id(2), id(1), id(1)))
	f.Fuzz(func(t *testing.T, op uint8, user uint32, b []byte) {
		m, other := sample(t), sample(t)
		before := m.Checksum()
		p := &wire.Prepare{
			Header: wire.PrepareHeader{
				Operation: wire.Operation(op), UserID: user, Timestamp: 5000,
			},
			Body: b,
		}
		reply := m.Execute(p)
		require.Equal(t, reply, other.Execute(p))
		require.NotContains(t, string(reply), "argon2id", "a hash is nobody's to see")
		require.Equal(t, m.Checksum(), other.Checksum())
		if code, _ := result(t, reply); code != 0 {
			require.Equal(t, before, m.Checksum())
		}
		require.NoError(t, other.Restore(m.AppendSnapshot(nil)))
		require.Equal(t, look(t, m), look(t, other))
	})
}

// Any question of any user: no panic, no answer beside a refusal, nothing changes.
func FuzzQuery(f *testing.F) {
	for _, code := range []uint32{
		codeGetUser, codeListUsers, codeListTokens, codeGetStream, codeListStream, codeGetTopic,
		codeListTopics, codeGetGroup, codeListGroups,
	} {
		f.Add(code, uint32(0), []byte(nil))
		f.Add(code, uint32(1), body(id(2), id(1), id(1)))
		f.Add(code, uint32(0), body(named("orders"), named("eu")))
	}
	m := sample(f)
	f.Fuzz(func(t *testing.T, code, user uint32, b []byte) {
		before := m.Checksum()
		payload, status := m.QueryAs(user, code, b)
		if status != 0 {
			require.Empty(t, payload)
		}
		require.NotContains(t, string(payload), "argon2id")
		require.Equal(t, before, m.Checksum())
		m.Admit(wire.Operation(code), b)
		require.Equal(t, before, m.Checksum())
	})
}

// Limits that cannot be are the caller's bug.
func TestLimitsAreChecked(t *testing.T) {
	t.Parallel()
	require.NoError(t, metadata.DefaultLimits().Validate())
	limits := metadata.DefaultLimits()
	limits.Tokens = 0
	require.ErrorContains(t, limits.Validate(), "limit of tokens is 0, expected 1 to 2147483647")
	require.Panics(t, func() { metadata.New(limits) })
}
