package nodes

import (
	"math/bits"
	"math/rand/v2"
)

// random is a source of chance of a run: equal seeds give equal runs.
type random struct{ *rand.Rand }

// chances are the sources of a run, each for one purpose, so that what one purpose draws moves
// no other: another mix of requests meets the same weather. A new one goes at the end.
type chances struct {
	shape   random // what the seed chooses for the whole run
	weather random // when links are cut, clogged and filtered
	packets random // what happens to single frames
	faults  random // when processes and disks fail
	disks   random // how long the disk and its completions take
	order   random // in which order what is due at one tick happens
	clients random // what clients ask for, and when
	decay   random // what rots of what was written last
	moments random // faults that follow one another closely
}

func newChances(seed uint64) chances {
	n := uint64(0)
	next := func() random {
		const stream = 0x6e6f6465735f7369 // any fixed number
		n++
		return random{rand.New(rand.NewPCG(seed, stream+n))} //nolint:forbidigo // the seeded constructor
	}
	return chances{
		shape: next(), weather: next(), packets: next(), faults: next(), disks: next(),
		order: next(), clients: next(), decay: next(),
		moments: next(),
	}
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

// geometric returns a number from 0 whose mean is the one given: the exponential distribution
// in whole ticks.
func (r random) geometric(mean int) int {
	n := 0
	for n < 20*mean && r.IntN(mean+1) < mean {
		n++
	}
	return n
}
