package clienttable_test

import (
	"runtime"
	"testing"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// benchConfig is upstream's: 8192 rows of 5 replies, here of 256 bytes.
var benchConfig = config{
	Shape: clienttable.Numbered, Capacity: 8192, Ring: 5, ReplyBytes: 256,
}

// fullTable has every row with a full ring of the largest replies. Client c holds session c.
func fullTable() *table {
	made := clienttable.New(benchConfig)
	for c := range uint64(benchConfig.Capacity) {
		execute(made, register(c+1, 1))
	}
	body := make([]byte, benchConfig.ReplyBytes)
	for number := range wire.RequestNumber(benchConfig.Ring) {
		for c := range uint64(benchConfig.Capacity) {
			made.Execute(made.Op()+1, request(c+1, wire.SessionNumber(c+1), number+1))
			made.Complete(made.Op()+1, body)
		}
	}
	return made
}

func BenchmarkAnswerReplay(b *testing.B) {
	made := fullTable()
	var c uint64
	b.ReportAllocs()
	for b.Loop() {
		c = c%8192 + 1
		m := request(c, wire.SessionNumber(c), 1)
		if made.Answer(m).Kind != clienttable.Replied {
			b.Fatal("not replayed")
		}
	}
}

func BenchmarkAnswerOver(b *testing.B) {
	made := fullTable()
	b.ReportAllocs()
	for b.Loop() {
		if made.Answer(request(9000, 1, 1)).Kind != clienttable.Over {
			b.Fatal("not over")
		}
	}
}

// BenchmarkJudge asks behind a pipeline of 8 other requests.
func BenchmarkJudge(b *testing.B) {
	made := fullTable()
	var p clienttable.Preflight
	for i := range uint64(8) {
		p.Prepared(made.Op()+1+wire.Op(i), request(i+1, wire.SessionNumber(i+1), 6))
	}
	b.ReportAllocs()
	for b.Loop() {
		if p.Judge(made, request(100, 100, 6)).Kind != clienttable.Prepare {
			b.Fatal("not prepared")
		}
	}
}

// BenchmarkExecuteRequest executes requests of all clients in turn; the one allocation is the
// copy of the body.
func BenchmarkExecuteRequest(b *testing.B) {
	made := fullTable()
	body := make([]byte, benchConfig.ReplyBytes)
	var c uint64
	number := wire.RequestNumber(benchConfig.Ring + 1)
	b.ReportAllocs()
	for b.Loop() {
		if c++; c > 8192 {
			c, number = 1, number+1
		}
		op := made.Op() + 1
		if made.Execute(op, request(c, wire.SessionNumber(c), number)).Outcome !=
			clienttable.Execute {
			b.Fatal("not executed")
		}
		made.Complete(op, body)
	}
}

// BenchmarkRegisterEvicts registers new clients into a full table.
func BenchmarkRegisterEvicts(b *testing.B) {
	made := fullTable()
	c := uint64(10000)
	b.ReportAllocs()
	for b.Loop() {
		c++
		if made.Execute(made.Op()+1, register(c, 1)).Outcome != clienttable.Bound {
			b.Fatal("not bound")
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	made := fullTable()
	snapshot := made.AppendSnapshot(nil)
	b.SetBytes(int64(len(snapshot)))
	b.ReportAllocs()
	for b.Loop() {
		snapshot = made.AppendSnapshot(snapshot[:0])
	}
}

func BenchmarkRestore(b *testing.B) {
	snapshot := fullTable().AppendSnapshot(nil)
	b.SetBytes(int64(len(snapshot)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := clienttable.Restore(benchConfig, snapshot); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFullTable reports what a full table takes in memory, next to what its configuration
// promises.
func BenchmarkFullTable(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		made := fullTable()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(made)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "heap-B")
	b.ReportMetric(float64(benchConfig.MemoryBytes()), "bound-B")
}
