package explore

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// memoryLimit ends a search before the process outgrows Options.MemoryMax. The zero value
// never does.
type memoryLimit struct {
	max  uint64 // 0: none.
	over atomic.Bool
	// used tells what the process holds; tests have one of their own.
	used func() uint64
}

// begin sets the limit, for the garbage collector too, and returns what takes it back.
func (m *memoryLimit) begin(limit int64) (end func()) {
	if limit <= 0 {
		return func() {}
	}
	m.max = uint64(limit)
	if m.used != nil {
		return func() {}
	}
	m.used = memoryUsed
	before := debug.SetMemoryLimit(limit)
	return func() { debug.SetMemoryLimit(before) }
}

// exceeded reports whether the limit was reached, now or before.
func (m *memoryLimit) exceeded() bool {
	if m.max == 0 {
		return false
	}
	if !m.over.Load() && m.used() > m.max {
		m.over.Store(true)
	}
	return m.over.Load()
}

// liveShare is how much of the limit what is in use may take. Beyond it the garbage
// collector would do little but run.
const liveShare = 0.9

// memoryUsed is what the process has from the operating system and has not given back,
// or more where most of that is in use.
func memoryUsed() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	held := samples[0].Value.Uint64() - samples[1].Value.Uint64()
	return max(held, uint64(math.Ceil(float64(samples[2].Value.Uint64())/liveShare)))
}
