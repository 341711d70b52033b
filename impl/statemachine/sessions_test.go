package statemachine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func tableConfig() clienttable.Config {
	return clienttable.Config{
		Shape: clienttable.Numbered, Capacity: 4, Ring: 3, ReplyBytes: 64,
	}
}

func newSessions() *statemachine.Sessions {
	return statemachine.NewSessions(statemachine.NewRegister(), tableConfig())
}

// prepareOf is a prepare of client 1 in a session.
func prepareOf(
	op wire.Op, session wire.SessionNumber, number wire.RequestNumber, operation wire.Operation,
	body []byte,
) *wire.Prepare {
	return &wire.Prepare{Header: wire.PrepareHeader{
		Op: op, Client: wire.ClientID{Lo: 1}, Session: session, Request: number,
		Operation: operation,
	}, Body: body}
}

// decode returns the answer that a result is.
func decode(t require.TestingT, result []byte) clienttable.Answer {
	a, err := statemachine.ParseAnswer(result)
	require.NoError(t, err)
	return a
}

// A request that commits twice is executed once: the second time its client hears the first
// answer again. Without the table the compare and set of 0 would fail.
func TestSessionsExecuteANumberOnce(t *testing.T) {
	t.Parallel()
	s := newSessions()
	given := decode(t, s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil)))
	require.Equal(t, clienttable.SessionGiven, given.Kind)
	require.Equal(t, wire.SessionNumber(1), given.Session)

	swap := statemachine.RegisterBody(7, 0, 5)
	first := decode(t, s.Execute(prepareOf(2, 1, 1, statemachine.RegisterCAS, swap)))
	again := decode(t, s.Execute(prepareOf(3, 1, 1, statemachine.RegisterCAS, swap)))
	assert.Equal(t, clienttable.Replied, first.Kind)
	assert.Equal(t, first, again)
	result, value, ok := statemachine.ParseRegisterResult(again.Body)
	require.True(t, ok)
	assert.Equal(t, statemachine.ResultOK, result)
	assert.Equal(t, uint64(5), value)
	assert.Equal(t, wire.Op(3), s.Op())
}

func TestSessionsAnswers(t *testing.T) {
	t.Parallel()
	s := newSessions()
	s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	s.Execute(prepareOf(2, 1, 1, statemachine.RegisterWrite, statemachine.RegisterBody(1, 2)))
	request := func(session wire.SessionNumber, number wire.RequestNumber) *wire.Request {
		return &wire.Request{
			Client: wire.ClientID{Lo: 1}, Session: session, Number: number,
			Operation: statemachine.RegisterWrite,
		}
	}
	var under clienttable.Preflight
	under.Prepared(3, statemachine.MessageOfRequest(request(1, 2)))
	for name, tc := range map[string]struct {
		request *wire.Request
		table   clienttable.AnswerKind // any replica's answer
		judged  clienttable.AnswerKind // the primary's, with number 2 under way
	}{
		"what executed is replied": {
			request: request(1, 1), table: clienttable.Replied, judged: clienttable.Replied,
		},
		"what is under way waits": {
			request: request(1, 2), table: clienttable.Prepare, judged: clienttable.InFlight,
		},
		"the next number is prepared": {
			request: request(1, 3), table: clienttable.Silent, judged: clienttable.Prepare,
		},
		"a number beyond a gap is not accepted": {
			request: request(1, 5), table: clienttable.Silent, judged: clienttable.NotAccepted,
		},
		"another session is unknown as long as it may come": {
			request: request(9, 1), table: clienttable.Silent, judged: clienttable.Silent,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.table, s.Answer(tc.request).Kind)
			assert.Equal(t, tc.judged, s.Judge(&under, tc.request).Kind)
		})
	}
}

func TestAnOpOfTheClusterReachesTheMachineAndNobodyHearsOfIt(t *testing.T) {
	t.Parallel()
	s := newSessions()
	before := s.Checksum()
	p := prepareOf(1, 0, 0, statemachine.RegisterWrite, statemachine.RegisterBody(1, 2))
	p.Header.Client = wire.ClientID{}
	assert.Equal(t, clienttable.Silent, decode(t, s.Execute(p)).Kind)
	assert.NotEqual(t, before, s.Checksum())
	result := s.Query(statemachine.QueryRegister, statemachine.RegisterBody(1))
	_, value, ok := statemachine.ParseRegisterResult(result)
	require.True(t, ok)
	assert.Equal(t, uint64(2), value)
}

func TestALogoutEndsTheSession(t *testing.T) {
	t.Parallel()
	s := newSessions()
	s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	decode(t, s.Execute(prepareOf(2, 1, 1, wire.OperationLogout, nil)))
	a := decode(t, s.Execute(prepareOf(3, 1, 1, statemachine.RegisterRead, nil)))
	assert.Equal(t, clienttable.Over, a.Kind)
	assert.Zero(t, s.Table().Len())
}

func TestAnAnswerIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := clienttable.Answer{
			Kind:     clienttable.AnswerKind(rapid.IntRange(1, 10).Draw(t, "kind")),
			Reason:   clienttable.Reason(rapid.IntRange(0, 4).Draw(t, "reason")),
			Session:  wire.SessionNumber(rapid.Uint64().Draw(t, "session")),
			Born:     wire.SessionNumber(rapid.Uint64().Draw(t, "born")),
			Number:   wire.RequestNumber(rapid.Uint64().Draw(t, "number")),
			Op:       wire.Op(rapid.Uint64().Draw(t, "op")),
			Checksum: wire.Checksum{Lo: rapid.Uint64().Draw(t, "checksum")},
		}
		if n := rapid.IntRange(0, 5).Draw(t, "bytes"); n > 0 {
			a.Body = make([]byte, n)
		}
		got, err := statemachine.ParseAnswer(statemachine.AppendAnswer(nil, a))
		require.NoError(t, err)
		require.Equal(t, a, got)
	})
}

func TestBytesThatAreNoAnswerAreRefused(t *testing.T) {
	t.Parallel()
	whole := statemachine.AppendAnswer(nil, clienttable.Answer{Kind: clienttable.Silent})
	_, err := statemachine.ParseAnswer(whole[:len(whole)-1])
	require.ErrorContains(t, err, "57 bytes, expected at least 58")
	for at, bad := range map[int]byte{0: 11, 1: 5} {
		b := append([]byte(nil), whole...)
		b[at] = bad
		_, err = statemachine.ParseAnswer(b)
		require.ErrorContains(t, err, "expected")
	}
}

// A machine that goes on from a snapshot is the one that made it, for the table too.
func TestSessionsGoOnFromASnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := newSessions()
		ops := rapid.IntRange(1, 30).Draw(t, "ops")
		cut := rapid.IntRange(0, ops).Draw(t, "cut")
		var b *statemachine.Sessions
		for op := 1; op <= ops; op++ {
			if op-1 == cut {
				b = newSessions()
				require.NoError(t, b.Restore(a.AppendSnapshot(nil)))
			}
			p := drawPrepare(t, wire.Op(op))
			result := a.Execute(p)
			if b != nil {
				require.Equal(t, result, b.Execute(p))
				require.Equal(t, a.AppendSnapshot(nil), b.AppendSnapshot(nil))
				require.Equal(t, a.Checksum(), b.Checksum())
			}
		}
	})
}

func drawPrepare(t *rapid.T, op wire.Op) *wire.Prepare {
	operation := rapid.SampledFrom([]wire.Operation{
		wire.OperationRegister, wire.OperationLogout, statemachine.RegisterWrite,
		statemachine.RegisterWrite, statemachine.RegisterCAS,
	}).Draw(t, "operation")
	p := prepareOf(op, wire.SessionNumber(rapid.IntRange(0, 4).Draw(t, "session")),
		wire.RequestNumber(rapid.IntRange(1, 4).Draw(t, "number")), operation,
		statemachine.RegisterBody(rapid.Uint64Range(0, 2).Draw(t, "key"),
			rapid.Uint64Range(0, 2).Draw(t, "value")))
	p.Header.Client.Lo = rapid.Uint64Range(0, 6).Draw(t, "client")
	return p
}

func TestARegisterRefusesWhatIsNoSnapshot(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		bytes []byte
		want  string
	}{
		"half a pair":        {make([]byte, 8), "multiple of 16"},
		"a value of 0":       {statemachine.RegisterBody(1, 0), "no value of 0"},
		"keys that fall":     {statemachine.RegisterBody(2, 1, 1, 1), "rising keys"},
		"a key that repeats": {statemachine.RegisterBody(2, 1, 2, 1), "rising keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := statemachine.NewRegister()
			m.Execute(prepareOf(1, 0, 0, statemachine.RegisterWrite,
				statemachine.RegisterBody(3, 4)))
			before := m.Checksum()
			s, ok := m.(statemachine.Snapshotter)
			require.True(t, ok)
			require.ErrorContains(t, s.Restore(tc.bytes), tc.want)
			assert.Equal(t, before, m.Checksum())
		})
	}
}

func TestSessionsRefuseWhatIsNoSnapshot(t *testing.T) {
	t.Parallel()
	s := newSessions()
	s.Execute(prepareOf(1, 0, 1, wire.OperationRegister, nil))
	before := s.Checksum()
	whole := s.AppendSnapshot(nil)
	for _, b := range [][]byte{
		nil, whole[:7], whole[:20], append([]byte{255}, whole[1:]...), append(whole, 0),
	} {
		require.Error(t, s.Restore(b))
		require.Equal(t, before, s.Checksum())
	}
	other := tableConfig()
	other.Ring = 2
	require.ErrorIs(t, statemachine.NewSessions(statemachine.NewRegister(), other).Restore(whole),
		clienttable.ErrOtherConfig)
}
