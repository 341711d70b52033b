package statemachine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// execute runs one request and splits its result.
func execute(
	t require.TestingT, m statemachine.Machine, op wire.Operation, body []byte,
) (byte, uint64) {
	result, value, ok := statemachine.ParseRegisterResult(
		m.Execute(&wire.Prepare{Header: wire.PrepareHeader{Operation: op}, Body: body}))
	require.True(t, ok)
	return result, value
}

func TestRegister(t *testing.T) {
	t.Parallel()
	const (
		read  = statemachine.RegisterRead
		write = statemachine.RegisterWrite
		cas   = statemachine.RegisterCAS
	)
	body := statemachine.RegisterBody
	for name, tc := range map[string]struct {
		before []uint64 // values written to register 7, in order
		op     wire.Operation
		body   []byte
		result byte
		value  uint64
		after  uint64 // of register 7
	}{
		"a register is 0 at first": {
			op: read, body: body(7), result: statemachine.ResultOK,
		},
		"a read returns the last write": {
			before: []uint64{3, 5}, op: read, body: body(7),
			result: statemachine.ResultOK, value: 5, after: 5,
		},
		"another register is another": {
			before: []uint64{3}, op: read, body: body(8), result: statemachine.ResultOK, after: 3,
		},
		"a write returns what it wrote": {
			before: []uint64{3}, op: write, body: body(7, 9),
			result: statemachine.ResultOK, value: 9, after: 9,
		},
		"a compare and set of the value replaces it": {
			before: []uint64{3}, op: cas, body: body(7, 3, 4),
			result: statemachine.ResultOK, value: 4, after: 4,
		},
		"a compare and set of another value returns the one that is there": {
			before: []uint64{3}, op: cas, body: body(7, 2, 4),
			result: statemachine.ResultFailed, value: 3, after: 3,
		},
		"a compare and set of a register never written expects 0": {
			op: cas, body: body(7, 0, 4), result: statemachine.ResultOK, value: 4, after: 4,
		},
		"a request that is too short has a result": {
			before: []uint64{3}, op: write, body: body(7), result: statemachine.ResultInvalid,
			after: 3,
		},
		"a request that is too long has a result": {
			before: []uint64{3}, op: read, body: body(7, 1), result: statemachine.ResultInvalid,
			after: 3,
		},
		"half a word has a result": {
			before: []uint64{3}, op: read, body: body(7)[:5], result: statemachine.ResultInvalid,
			after: 3,
		},
		"no body has a result": {
			before: []uint64{3}, op: cas, result: statemachine.ResultInvalid, after: 3,
		},
		"an unknown operation has a result": {
			before: []uint64{3}, op: 9, body: body(7), result: statemachine.ResultInvalid, after: 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := statemachine.NewRegister()
			for _, value := range tc.before {
				execute(t, m, write, body(7, value))
			}
			result, value := execute(t, m, tc.op, tc.body)
			assert.Equal(t, tc.result, result)
			assert.Equal(t, tc.value, value)
			_, value = execute(t, m, read, body(7))
			assert.Equal(t, tc.after, value)
		})
	}
}

func TestAResultOfAnotherLengthIsNone(t *testing.T) {
	t.Parallel()
	for _, body := range [][]byte{nil, make([]byte, 8), make([]byte, 10)} {
		_, _, ok := statemachine.ParseRegisterResult(body)
		assert.False(t, ok)
	}
}

// The machine is a function of its requests: compared with a map, and with a second machine
// that gets the same requests. Equal registers have equal checksums, however they came to be;
// others have not.
func TestRegisterIsAMapOfValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := statemachine.NewRegister(), statemachine.NewRegister()
		model := map[uint64]uint64{}
		small := rapid.Uint64Range(0, 3)
		both := func(op wire.Operation, body []byte) (byte, uint64) {
			result, value := execute(t, a, op, body)
			sameResult, sameValue := execute(t, b, op, body)
			require.Equal(t, result, sameResult)
			require.Equal(t, value, sameValue)
			return result, value
		}
		t.Repeat(map[string]func(*rapid.T){
			"read": func(t *rapid.T) {
				key := small.Draw(t, "key")
				result, value := both(statemachine.RegisterRead, statemachine.RegisterBody(key))
				require.Equal(t, statemachine.ResultOK, result)
				require.Equal(t, model[key], value)
			},
			"write": func(t *rapid.T) {
				key, value := small.Draw(t, "key"), small.Draw(t, "value")
				both(statemachine.RegisterWrite, statemachine.RegisterBody(key, value))
				model[key] = value
			},
			"compare and set": func(t *rapid.T) {
				key := small.Draw(t, "key")
				from, to := small.Draw(t, "from"), small.Draw(t, "to")
				result, _ := both(statemachine.RegisterCAS,
					statemachine.RegisterBody(key, from, to))
				require.Equal(t, model[key] == from, result == statemachine.ResultOK)
				if model[key] == from {
					model[key] = to
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, a.Checksum(), b.Checksum())
				other := statemachine.NewRegister()
				for key, value := range model {
					execute(t, other, statemachine.RegisterWrite,
						statemachine.RegisterBody(key, value))
				}
				require.Equal(t, a.Checksum(), other.Checksum())
				execute(t, other, statemachine.RegisterWrite,
					statemachine.RegisterBody(0, model[0]+1))
				require.NotEqual(t, a.Checksum(), other.Checksum())
			},
		})
	})
}

// An op is a position: the same request gives the same bytes wherever it stands in the log.
func TestAResultDependsOnTheRequestAndTheStateAlone(t *testing.T) {
	t.Parallel()
	first, second := statemachine.NewRegister(), statemachine.NewRegister()
	body := statemachine.RegisterBody(1, 2)
	a := first.Execute(&wire.Prepare{Header: wire.PrepareHeader{
		Op: 1, View: 3, Timestamp: 9, Operation: statemachine.RegisterWrite,
	}, Body: body})
	b := second.Execute(&wire.Prepare{Header: wire.PrepareHeader{
		Op: 8, Operation: statemachine.RegisterWrite,
	}, Body: body})
	assert.Equal(t, a, b)
	assert.Equal(t, first.Checksum(), second.Checksum())
}
