package benchnode

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// Client submits one payload after the other.
type Client interface {
	// Submit returns when the payload is acknowledged.
	Submit(ctx context.Context, payload []byte) error
	Close()
}

// Result is what a load came to.
type Result struct {
	// PerSecond are acknowledged payloads; Failed were not.
	PerSecond float64
	Failed    int
	// P50 and P99 are latencies at the client.
	P50, P99 time.Duration
}

// Load lets each client submit payloads of so many bytes, one after the other, first for a while
// that does not count.
func Load(ctx context.Context, clients []Client, bytes int, warm, counted time.Duration) Result {
	type seen struct {
		latencies []time.Duration
		failed    int
	}
	all := make([]seen, len(clients))
	begin := time.Now().Add(warm)
	end := begin.Add(counted)
	var running sync.WaitGroup
	for i, c := range clients {
		running.Go(func() {
			payload := make([]byte, max(bytes, 16))
			binary.LittleEndian.PutUint64(payload, uint64(i)+1)
			for n := uint64(1); ctx.Err() == nil; n++ {
				binary.LittleEndian.PutUint64(payload[8:], n)
				asked := time.Now()
				if asked.After(end) {
					return
				}
				err := c.Submit(ctx, payload)
				now := time.Now()
				switch {
				case now.Before(begin) || now.After(end):
				case err != nil:
					all[i].failed++
				default:
					all[i].latencies = append(all[i].latencies, now.Sub(asked))
				}
			}
		})
	}
	running.Wait()
	var r Result
	var latencies []time.Duration
	for _, s := range all {
		latencies = append(latencies, s.latencies...)
		r.Failed += s.failed
	}
	r.PerSecond = float64(len(latencies)) / counted.Seconds()
	if n := len(latencies); n > 0 {
		slices.Sort(latencies)
		r.P50, r.P99 = latencies[n/2], latencies[n*99/100]
	}
	return r
}
