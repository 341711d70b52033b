package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

func limited(t *testing.T, limits Limits) *reader {
	t.Helper()
	r, err := New(Config{
		ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
		Limits: limits,
	}, Recovered{Formatted: true})
	require.NoError(t, err)
	return newReader(t, r)
}

// numbered is the n-th request of a client.
func numbered(n wire.RequestNumber) *wire.Request {
	return &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: n, Operation: 240,
		RequestChecksum: wire.Checksum{Lo: uint64(n)}, Body: []byte{byte(n)},
	}
}

func (r *reader) request(m *wire.Request) Output { return r.step(Receive{Message: m}) }

// store finishes the store of the only prepare of an output and returns it.
func (r *reader) store(out Output) (*wire.Prepare, Output) {
	require.Len(r.t, out.StorePrepares, 1)
	p := out.StorePrepares[0].Prepare
	return p, r.step(PrepareStored{ID: p.Header.ID()})
}

// commit has a backup promise an op; the output may prepare what waits.
func (r *reader) commit(p *wire.Prepare) Output {
	return r.step(Receive{Message: &wire.PrepareOK{
		View: r.view, Replica: 1, Op: p.Header.Op, PrepareChecksum: p.Header.Checksum,
	}})
}

func numbersOf(t *testing.T, p *wire.Prepare) []wire.RequestNumber {
	t.Helper()
	requests, err := wire.Unbatch(p)
	require.NoError(t, err)
	var numbers []wire.RequestNumber
	for _, q := range requests {
		numbers = append(numbers, q.Header.Request)
	}
	return numbers
}

// Each reason why a request does not enter the log, what its client is told, and that nothing
// else comes of it (R20).
func TestWhyARequestIsNotTaken(t *testing.T) {
	t.Parallel()
	fill := func(n int) func(*reader) {
		return func(r *reader) {
			for i := range n {
				r.request(numbered(wire.RequestNumber(100 + i)))
			}
		}
	}
	for name, tc := range map[string]struct {
		limits Limits
		before func(*reader)
		m      *wire.Request
		reason Refusal
		status uint32 // 0: nothing is said
	}{
		"this is no primary": {
			before: func(r *reader) { r.view, r.logView = 1, 1 }, m: numbered(1),
			reason: RefuseNotPrimary, status: wire.ReplyNotPrimary,
		},
		"the view is being left": {
			before: func(r *reader) { r.step(LeaveView{}) }, m: numbered(1),
			reason: RefuseInTransition, status: wire.ReplyNotPrimary,
		},
		"it is not for the log": {
			m: &wire.Request{
				Client: wire.ClientID{Lo: 1}, Operation: wire.OperationNonReplicated,
			},
			reason: RefuseOperation, status: wire.ReplyInvalid,
		},
		"it says that it is a batch": {
			m:      &wire.Request{Client: wire.ClientID{Lo: 1}, Operation: wire.OperationBatch},
			reason: RefuseOperation, status: wire.ReplyInvalid,
		},
		"its body is too large": {
			limits: Limits{RequestBytes: 8},
			m: &wire.Request{
				Client: wire.ClientID{Lo: 1}, Operation: 240, Body: make([]byte, 9),
			},
			reason: RefuseTooLarge, status: wire.ReplyTooLarge,
		},
		"it is being stored": {
			before: func(r *reader) { r.request(numbered(1)) }, m: numbered(1),
			reason: RefuseUnderWay,
		},
		"it is in the pipeline": {
			before: func(r *reader) { r.store(r.request(numbered(1))) }, m: numbered(1),
			reason: RefuseUnderWay,
		},
		"it waits": {
			limits: Limits{Pipeline: 1}, before: fill(2), m: numbered(101),
			reason: RefuseUnderWay,
		},
		"it is in a batch": {
			limits: Limits{Pipeline: 1, BatchRequests: 4},
			before: func(r *reader) {
				out := r.request(numbered(1))
				fill(3)(r)
				p, _ := r.store(out)
				r.commit(p)
			},
			m: numbered(102), reason: RefuseUnderWay,
		},
		"as many wait as may": {
			limits: Limits{Pipeline: 2, Queue: 3}, before: fill(5), m: numbered(1),
			reason: RefuseQueueFull, status: wire.ReplyQueueFull,
		},
		"none may wait": {
			limits: Limits{Pipeline: 2, Queue: -1}, before: fill(2), m: numbered(1),
			reason: RefuseQueueFull, status: wire.ReplyQueueFull,
		},
		"as many bytes wait as may": {
			limits: Limits{Pipeline: 1, QueueBytes: 3}, before: fill(4), m: numbered(1),
			reason: RefuseQueueFull, status: wire.ReplyQueueFull,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := limited(t, tc.limits)
			if tc.before != nil {
				tc.before(r)
			}
			r.ForgetTime()
			key := r.AppendKey(nil)
			out := r.request(tc.m)
			require.Equal(t, uint64(1), r.Refused(tc.reason))
			require.Empty(t, out.StorePrepares)
			if tc.status == 0 {
				require.Empty(t, out.Replies)
			} else {
				require.Len(t, out.Replies, 1)
				require.Equal(t, tc.status, out.Replies[0].Status)
				require.Equal(t, tc.m.Number, out.Replies[0].Number)
			}
			r.ForgetTime()
			require.Equal(t, key, r.AppendKey(nil))
		})
	}
}

// What only looks like a request under way is prepared: executing decides (R18).
func TestARequestThatDiffersIsAnother(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*wire.Request){
		"another number":    func(m *wire.Request) { m.Number++ },
		"another client":    func(m *wire.Request) { m.Client.Lo++ },
		"another session":   func(m *wire.Request) { m.Session++ },
		"other bytes":       func(m *wire.Request) { m.RequestChecksum.Lo++ },
		"another operation": func(m *wire.Request) { m.Operation++ },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := limited(t, Limits{})
			r.request(numbered(1))
			m := numbered(1)
			change(m)
			require.Len(t, r.request(m).StorePrepares, 1)
		})
	}
	t.Run("the cluster's own have no numbers", func(t *testing.T) {
		t.Parallel()
		r := limited(t, Limits{})
		own := &wire.Request{Operation: 240}
		r.request(own)
		require.Len(t, r.request(own).StorePrepares, 1)
	})
}

func TestAnInheritedRequestIsKnown(t *testing.T) {
	t.Parallel()
	r, _ := inheritor(t)
	h := r.log.at(1)
	out := r.request(&wire.Request{
		Client: h.Client, Session: h.Session, Number: h.Request, Operation: h.Operation,
	})
	require.Empty(t, out.StorePrepares)
	require.Equal(t, uint64(1), r.Refused(RefuseUnderWay))
}

func TestWithRoomInThePipelineNothingWaits(t *testing.T) {
	t.Parallel()
	r := limited(t, Limits{Pipeline: 3, BatchRequests: 8})
	for n := wire.RequestNumber(1); n <= 3; n++ {
		out := r.request(numbered(n))
		require.Len(t, out.StorePrepares, 1)
		require.Equal(t, []wire.RequestNumber{n}, numbersOf(t, out.StorePrepares[0].Prepare))
	}
	require.Empty(t, r.request(numbered(4)).StorePrepares)
}

func TestRequestsThatWaitedShareAPrepareAndAreAnsweredEach(t *testing.T) {
	t.Parallel()
	r := limited(t, Limits{Pipeline: 1, BatchRequests: 3})
	out := r.request(numbered(1))
	for n := wire.RequestNumber(2); n <= 6; n++ {
		require.Empty(t, r.request(numbered(n)).StorePrepares)
	}
	var batches [][]wire.RequestNumber
	var replies []*wire.Reply
	for op := wire.Op(1); op <= 3; op++ {
		p, _ := r.store(out)
		batches = append(batches, numbersOf(t, p))
		out = r.commit(p)
		requests, err := wire.Unbatch(p)
		require.NoError(t, err)
		done := Executed{ID: p.Header.ID(), Result: []byte("one")}
		if len(requests) > 1 {
			done.Result = nil
			for _, q := range requests {
				done.Results = append(done.Results, ResultOf(q, q.Body))
			}
		}
		prepared := out.StorePrepares
		out = Output{StorePrepares: append([]StorePrepare(nil), prepared...)}
		executed := r.step(done)
		replies = append(replies, executed.Replies...)
	}
	require.Equal(t, [][]wire.RequestNumber{{1}, {2, 3, 4}, {5, 6}}, batches)
	require.Len(t, replies, 6)
	for i, reply := range replies {
		require.Equal(t, wire.RequestNumber(i+1), reply.Number)
		require.Equal(t, wire.Op([]int{1, 2, 2, 2, 3, 3}[i]), reply.Op)
		if i > 0 {
			require.Equal(t, []byte{byte(i + 1)}, reply.Body)
		}
		require.Zero(t, reply.Status)
	}
}

func TestWhatOneBatchTakes(t *testing.T) {
	t.Parallel()
	sized := func(bytes int) *wire.Request {
		return &wire.Request{
			Client: wire.ClientID{Lo: 1}, Operation: 240, Body: make([]byte, bytes),
		}
	}
	register := &wire.Request{Client: wire.ClientID{Lo: 1}, Operation: wire.OperationRegister}
	logout := &wire.Request{Client: wire.ClientID{Lo: 1}, Operation: wire.OperationLogout}
	for name, tc := range map[string]struct {
		waiting []*wire.Request
		want    int
	}{
		"all that there is":             {[]*wire.Request{sized(1), sized(1)}, 2},
		"as many as may":                {[]*wire.Request{sized(0), sized(0), sized(0), sized(0)}, 3},
		"as many bytes as may":          {[]*wire.Request{sized(50), sized(50), sized(0)}, 2},
		"not a byte more":               {[]*wire.Request{sized(51), sized(50), sized(0)}, 1},
		"one that is larger, alone":     {[]*wire.Request{sized(999), sized(0)}, 1},
		"nothing larger behind another": {[]*wire.Request{sized(0), sized(999)}, 1},
		"a register is alone":           {[]*wire.Request{register, sized(0)}, 1},
		"... also behind others":        {[]*wire.Request{sized(0), register}, 1},
		"a logout is alone":             {[]*wire.Request{logout, sized(0)}, 1},
		"the cluster's own are alone":   {[]*wire.Request{{Operation: 240}, sized(0)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var q queue
			left := 0
			for i, m := range tc.waiting {
				q.push(m)
				if i >= tc.want {
					left += len(m.Body)
				}
			}
			limits := Limits{BatchRequests: 3, BatchBytes: wire.BatchBytes(2, 100)}
			require.Equal(t, tc.waiting[:tc.want], q.take(&limits))
			require.Len(t, q.requests, len(tc.waiting)-tc.want)
			require.Equal(t, left, q.bytes)
		})
	}
}

func TestTheEndOfTheViewDropsTheQueue(t *testing.T) {
	t.Parallel()
	r := limited(t, Limits{Pipeline: 1})
	out := r.request(numbered(1))
	r.request(numbered(2))
	r.request(numbered(3))
	r.store(out)
	require.Empty(t, r.step(LeaveView{}).Replies, "not before it is durable")
	out = r.step(SuperblockStored{Superblock: Superblock{View: 1}})
	require.Len(t, out.Replies, 2)
	for i, reply := range out.Replies {
		require.Equal(t, wire.RequestNumber(i+2), reply.Number)
		require.Equal(t, wire.ReplyNotPrimary, reply.Status)
	}
	require.Equal(t, uint64(2), r.Refused(RefuseViewChanged))
	require.Empty(t, r.queue.requests)
}

// Nobody's clock breaks the order of time along the log.
func TestTimestampsRiseStrictly(t *testing.T) {
	t.Parallel()
	r := limited(t, Limits{Pipeline: 3, BatchRequests: 2})
	var got []uint64
	var last *wire.Prepare
	for n, clock := range []uint64{500, 400, 502} {
		m := numbered(wire.RequestNumber(n + 1))
		m.Timestamp = clock
		var out Output
		last, out = r.store(r.request(m))
		require.Len(t, out.Messages, 2)
		got = append(got, last.Header.Timestamp)
	}
	require.Equal(t, []uint64{500, 501, 502}, got)
	for n, clock := range []uint64{700, 650} {
		m := numbered(wire.RequestNumber(n + 10))
		m.Timestamp = clock
		r.request(m)
	}
	out := r.commit(&wire.Prepare{Header: r.log.headers[0]})
	require.Len(t, out.StorePrepares, 1)
	require.Equal(t, uint64(700), out.StorePrepares[0].Prepare.Header.Timestamp)
}

func TestLimitsUnderWhichNothingGoesOnAreRefused(t *testing.T) {
	t.Parallel()
	for want, limits := range map[string]Limits{
		"limit of pipeline -1: expected 1 to 127":     {Pipeline: -1},
		"limit of pipeline 128: expected 1 to 127":    {Pipeline: PipelineCeiling + 1},
		"limit of batch requests -1: expected 1 to":   {BatchRequests: -1},
		"limit of batch bytes 67108864: expected 1":   {BatchBytes: 64 << 20},
		"limit of request bytes 67108864: expected 1": {RequestBytes: 64 << 20},
		"limit of queue bytes -5: expected 1 to":      {QueueBytes: -5},
		"limit of reads -1: expected 1 to 1048576":    {Reads: -1},
	} {
		_, err := New(Config{
			ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
			Limits: limits,
		}, Recovered{Formatted: true})
		require.ErrorContains(t, err, want)
	}
}
