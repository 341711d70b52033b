package node

import (
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// BatchesConfig is about how requests enter the log of a group. Those that wait for a place in the
// pipeline share an op when there is one. Only a primary reads it.
type BatchesConfig struct {
	// Pipeline is how many ops may be under way before requests wait.
	Pipeline int `toml:"pipeline"`
	// Queue is how many requests may wait; the rest is refused, and sent again.
	Queue int `toml:"queue"`
	// Requests and Bytes bound one op: 1 request is no batch.
	Requests int  `toml:"requests"`
	Bytes    Size `toml:"bytes"`
}

func defaultBatches() BatchesConfig {
	standard := replica.DefaultLimits()
	return BatchesConfig{
		Pipeline: standard.Pipeline, Queue: standard.Queue, Requests: standard.BatchRequests,
		Bytes: vsr.BatchBytesMax,
	}
}

// limits are those of a host.
func (c *BatchesConfig) limits() vsr.Limits {
	return vsr.Limits{
		Pipeline: c.Pipeline, Queue: c.Queue, BatchRequests: c.Requests, BatchBytes: int(c.Bytes),
	}
}
