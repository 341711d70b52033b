package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestUnbatchGivesBackTheRequests(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var requests []*Request
		for range rapid.IntRange(1, 6).Draw(t, "requests") {
			if m := drawRequest(t); m.Operation != OperationNonReplicated &&
				MayShareOp(m.Operation) {
				requests = append(requests, m)
			}
		}
		if len(requests) == 0 {
			return
		}
		bytes := 0
		for _, m := range requests {
			bytes += len(m.Body)
		}
		p := &Prepare{
			Header: PrepareHeader{Op: 5, Timestamp: 77, Operation: OperationBatch, Replica: 2},
			Body:   AppendBatch(nil, requests),
		}
		require.Len(t, p.Body, BatchBytes(len(requests), bytes))
		p.Seal()
		got, err := Unbatch(p)
		require.NoError(t, err)
		require.Len(t, got, len(requests))
		assert.Equal(t, len(requests), RequestsOf(p))
		for i, m := range requests {
			h := got[i].Header
			assert.Equal(t, p.Header.ID(), h.ID(), "the identity is the op's")
			assert.Equal(t, uint64(77), h.Timestamp)
			assert.Equal(t, m.Client, h.Client)
			assert.Equal(t, m.Session, h.Session)
			assert.Equal(t, m.Number, h.Request)
			assert.Equal(t, m.RequestChecksum, h.RequestChecksum)
			assert.Equal(t, m.Operation, h.Operation)
			assert.Equal(t, m.UserID, h.UserID)
			assert.Equal(t, m.Body, got[i].Body)
		}
	})
}

func TestAPrepareOfOneRequestIsItself(t *testing.T) {
	t.Parallel()
	p := samplePrepare(21, "hello")
	got, err := Unbatch(&p)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Same(t, &p, got[0])
	assert.Equal(t, 1, RequestsOf(&p))
}

func TestABatchHasNoMoreRequestsThanItsBodyHasRoomFor(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{0: 0, 7: 0, 8: 0, 71: 1, 136: 2} {
		p := &Prepare{Header: PrepareHeader{Operation: OperationBatch}, Body: make([]byte, size)}
		if size >= 4 {
			putU32(p.Body, 0, math.MaxUint32)
		}
		assert.Equal(t, want, RequestsOf(p), "%d bytes", size)
	}
}

// A request of a batch must not grow into its neighbour.
func TestBodiesOfABatchDoNotOverlap(t *testing.T) {
	t.Parallel()
	p := sampleBatchPrepare()
	got, err := Unbatch(&p)
	require.NoError(t, err)
	_ = append(got[0].Body, "overwrite"...)
	again, err := Unbatch(&p)
	require.NoError(t, err)
	assert.Equal(t, sampleBatch()[1].Client, again[1].Header.Client)
}

// Whatever the bytes, a batch is read or refused in one line, and never panics; what is read is
// written again to the byte.
func FuzzUnbatch(f *testing.F) {
	f.Add(sampleBatchBody())
	f.Add([]byte{})
	f.Add(make([]byte, batchHeaderBytes+BatchRequestBytes))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := &Prepare{Header: PrepareHeader{Op: 1, Operation: OperationBatch}, Body: body}
		got, err := Unbatch(p)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.NotEmpty(t, requireRefused(t, err).Field)
			return
		}
		var requests []*Request
		for _, q := range got {
			requests = append(requests, &Request{
				Client: q.Header.Client, Session: q.Header.Session, Number: q.Header.Request,
				RequestChecksum: q.Header.RequestChecksum, Operation: q.Header.Operation,
				UserID: q.Header.UserID, Body: q.Body,
			})
		}
		require.Equal(t, body, AppendBatch(nil, requests))
	})
}
