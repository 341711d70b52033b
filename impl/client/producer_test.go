package client

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/batch"
)

// A batch has what its options allow, however much comes while the one before is under way: a
// node refuses more than a request may have. Who sends faster than the node takes it waits.
func TestBatchesOfAProducerStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	const count, size = 400, 100
	for name, options := range map[string]ProducerOptions{
		"of messages":              {Messages: 10, Bytes: 1 << 20},
		"of bytes":                 {Messages: count, Bytes: 10 * (size + batch.FrameBytes)},
		"of less than one message": {Messages: count, Bytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProducer(nil, Partition{}, options)
			go func() {
				for range count {
					_, err := p.Send(make([]byte, size))
					assert.NoError(t, err)
				}
				p.mu.Lock()
				defer p.mu.Unlock()
				p.closed = true
			}()
			got := 0
			for got < count {
				next, _, _ := p.take()
				p.mu.Lock()
				assert.LessOrEqual(t, len(p.full), aheadMax)
				p.mu.Unlock()
				if next.messages == nil {
					runtime.Gosched()
					continue
				}
				b, err := batch.Decode(next.messages)
				require.NoError(t, err)
				if n := int(b.Header().Messages); n > 1 {
					assert.LessOrEqual(t, n, options.Messages)
					assert.LessOrEqual(t, len(next.messages), options.Bytes)
				}
				assert.Len(t, next.waiting, int(b.Header().Messages))
				got += int(b.Header().Messages)
			}
			assert.Equal(t, count, got)
		})
	}
}
