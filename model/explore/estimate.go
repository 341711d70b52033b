package explore

import "math"

const (
	// estimateLevels is how many levels an estimate needs.
	estimateLevels = 4
	// estimateMax is how many times the known states an estimate may be: beyond that it
	// says little.
	estimateMax = 100
)

// estimate extrapolates the number of states from the sizes of all levels so far. Levels
// grow and shrink about like a bell curve: the factor from one level to the next declines
// by a factor of its own. While it does not decline the answer is 0.
func estimate(sizes []int, distinct int) int {
	n := len(sizes)
	if n < estimateLevels || sizes[n-1] == 0 {
		return 0
	}
	factor := float64(sizes[n-1]) / float64(sizes[n-2])
	earlier := float64(sizes[n-3]) / float64(sizes[n-4])
	decline := math.Sqrt(factor / earlier) // Over two levels.
	if decline >= 1 {
		return 0
	}
	total, size := float64(distinct), float64(sizes[n-1])
	for size >= 1 && total < estimateMax*float64(distinct) {
		factor *= decline
		size *= factor
		total += size
	}
	if total >= estimateMax*float64(distinct) {
		return 0
	}
	return int(total)
}
