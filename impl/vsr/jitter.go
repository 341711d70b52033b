package vsr

// jitter is a small deterministic source of numbers (splitmix64), seeded by the host, so that
// equal seeds give equal runs.
type jitter struct{ state uint64 }

func newJitter(c Config) jitter {
	return jitter{state: c.Seed ^ uint64(c.Replica)<<56 ^ uint64(c.Group)<<32}
}

// below returns a number from 0 to n-1; 0 if n is not positive.
func (j *jitter) below(n int) int {
	if n <= 0 {
		return 0
	}
	j.state += 0x9e3779b97f4a7c15
	z := j.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}
