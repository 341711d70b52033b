package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// What one op may allocate: its prepare, its reply, the boxes of the inputs that the host makes,
// the journal's entry. A slice that grows with the log counts as a part of one.
const (
	primaryAllocations = 5
	backupAllocations  = 2
)

// primaryOp takes one request from its arrival to the reply.
func primaryOp(tb testing.TB, r *Replica, request *wire.Request) {
	tb.Helper()
	out := r.Step(Receive{Message: request})
	if len(out.StorePrepares) != 1 {
		tb.Fatalf("%d prepares to store", len(out.StorePrepares))
	}
	id := out.StorePrepares[0].Prepare.Header.ID()
	parent := out.StorePrepares[0].Prepare.Header.Parent
	r.Step(PrepareStored{ID: id})
	r.Step(Receive{Message: &wire.PrepareOK{
		Replica: 1, Op: id.Op, PrepareChecksum: id.Checksum, Parent: parent,
	}})
	if out = r.Step(Executed{ID: id}); len(out.Replies) != 1 {
		tb.Fatalf("op %d: %d replies", id.Op, len(out.Replies))
	}
}

// backupOp takes one prepare from its arrival to the PrepareOK.
func backupOp(tb testing.TB, r *Replica, p *wire.Prepare) {
	tb.Helper()
	r.Step(Receive{Message: p})
	if out := r.Step(PrepareStored{ID: p.Header.ID()}); len(out.Messages) != 1 {
		tb.Fatalf("op %d: %d messages", p.Header.Op, len(out.Messages))
	}
}

// chainOf returns n prepares of view 0, each the parent of the next.
func chainOf(n int) []*wire.Prepare {
	var out []*wire.Prepare
	parent := wire.Checksum{}
	for i := range n {
		p := &wire.Prepare{Header: wire.PrepareHeader{
			Op: wire.Op(i + 1), Parent: parent, Operation: 240, Client: wire.ClientID{Lo: 1},
		}}
		p.Seal()
		parent = p.Header.Checksum
		out = append(out, p)
	}
	return out
}

func aRequest() *wire.Request {
	return &wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1, Operation: 240,
		Body: make([]byte, 64),
	}
}

// Not parallel: it counts what the process allocates.
func TestNormalPathAllocatesOnlyWhatItsMessagesNeed(t *testing.T) {
	r := running(t, 0)
	request := aRequest()
	got := testing.AllocsPerRun(1000, func() { primaryOp(t, r, request) })
	require.LessOrEqual(t, got, float64(primaryAllocations), "primary")

	backup, chain := running(t, 1), chainOf(1002)
	next := 0
	got = testing.AllocsPerRun(1000, func() { backupOp(t, backup, chain[next]); next++ })
	require.LessOrEqual(t, got, float64(backupAllocations), "backup")
}

func BenchmarkPrimaryOp(b *testing.B) {
	r, err := New(Config{
		ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Formatted: true})
	require.NoError(b, err)
	request := aRequest()
	b.ReportAllocs()
	for b.Loop() {
		primaryOp(b, r, request)
	}
}

func BenchmarkBackupOp(b *testing.B) {
	r, err := New(Config{
		Replica: 1, ReplicaCount: 3, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Formatted: true})
	require.NoError(b, err)
	chain := chainOf(b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for _, p := range chain {
		backupOp(b, r, p)
	}
}
