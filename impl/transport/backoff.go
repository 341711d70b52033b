package transport

import (
	"math/rand/v2"
	"time"
)

// Backoff spaces attempts: the pause doubles from First to Most, and each is drawn from its
// upper half, so that processes that were cut off together do not come back together.
type Backoff struct {
	First, Most time.Duration
	next        time.Duration
}

// Next returns the next pause.
func (b *Backoff) Next() time.Duration {
	pause := max(b.next, b.First)
	b.next = min(2*pause, b.Most)
	return pause/2 + rand.N(pause/2+1)
}

// Reset makes the next pause the first again.
func (b *Backoff) Reset() { b.next = 0 }
