package wal

// Bounds says how much a crash of the machine may take of what nobody waited for: the policy
// replicated. Whoever appends keeps to them.
type Bounds struct {
	// UnflushedBytes of bodies are flushed with the batch that exceeds them.
	UnflushedBytes int
	// UnflushedTicks is after how many ticks of the host the oldest is flushed.
	UnflushedTicks int
}
