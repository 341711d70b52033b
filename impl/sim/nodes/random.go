package nodes

import (
	"math/bits"
	"math/rand/v2"
)

// random is the one source of chance of a run: equal seeds give equal runs.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random {
	const stream = 0x6e6f6465735f7369                  // any fixed number
	return random{rand.New(rand.NewPCG(seed, stream))} //nolint:forbidigo // the seeded constructor
}

// between returns a number from low to high, both included.
func (r random) between(low, high int) int {
	if high <= low {
		return low
	}
	return low + r.IntN(high-low+1)
}

// chance is true in n of outOf cases.
func (r random) chance(n, outOf int) bool { return n > 0 && r.IntN(outOf) < n }

// pick returns one of the choices.
func (r random) pick(choices ...int) int { return choices[r.IntN(len(choices))] }

// skewed returns a number from 1 to most; short spans are as likely as long ones.
func (r random) skewed(most int) int {
	return r.between(1, min(most, 1<<r.between(0, bits.Len(uint(most)))))
}
