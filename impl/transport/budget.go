package transport

import "sync/atomic"

// Budget bounds the memory of frames that are being read or served, in bytes. A nil Budget
// bounds nothing. It may be used from several goroutines.
type Budget struct {
	limit int64
	used  atomic.Int64
}

// NewBudget returns an empty budget of so many bytes.
func NewBudget(limitBytes int64) *Budget { return &Budget{limit: limitBytes} }

// Acquire takes memory, or none of it and returns false.
func (b *Budget) Acquire(bytes int) bool {
	if b == nil {
		return true
	}
	if b.used.Add(int64(bytes)) > b.limit {
		b.used.Add(-int64(bytes))
		return false
	}
	return true
}

// Release gives memory back.
func (b *Budget) Release(bytes int) {
	if b == nil {
		return
	}
	if b.used.Add(-int64(bytes)) < 0 {
		panic("transport: more memory released than acquired")
	}
}

// Used is what is taken, in bytes.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}
