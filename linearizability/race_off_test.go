//go:build !race

package linearizability

// raceEnabled says that the race detector makes everything slow.
const raceEnabled = false
