package linearizability

import "math/rand/v2"

// source is the randomness of one generated history: a function of its seed.
type source struct {
	rand *rand.Rand
}

func newSource(seed uint64) source {
	// Any constant: it tells this use of a seed from others.
	const stream = 0x6869_7374_6f72_7931
	//nolint:forbidigo // The one seeded constructor.
	return source{rand: rand.New(rand.NewPCG(seed, stream))}
}

// below returns a number from 0 to n-1.
func (s source) below(n int) int { return s.rand.IntN(n) }

// chance is true with the given probability.
func (s source) chance(probability float64) bool { return s.rand.Float64() < probability }

// latency returns a time of 1 to 2,000 steps, mostly short.
func (s source) latency() int64 {
	return 1 + s.rand.Int64N(1+s.rand.Int64N(2000))
}
