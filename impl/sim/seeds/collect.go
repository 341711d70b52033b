package seeds

import (
	"runtime/debug"
	"sync"
)

// swarmGCPercent is how much a swarm lets the heap grow between two collections, in percent of what
// is alive: a run keeps little, and leaves much behind.
const swarmGCPercent = 400

// swarming counts the swarms that are under way, and keeps what the percentage was before them.
var swarming struct {
	sync.Mutex
	count, before int
}

// collectSeldom makes the garbage collector of the process run less often until the returned
// function is called by all who have one. Somebody who wants it to run less often still, or never,
// has their way.
func collectSeldom() (restore func()) {
	swarming.Lock()
	defer swarming.Unlock()
	if swarming.count++; swarming.count == 1 {
		swarming.before = debug.SetGCPercent(swarmGCPercent)
		if swarming.before < 0 || swarming.before > swarmGCPercent {
			debug.SetGCPercent(swarming.before)
		}
	}
	return func() {
		swarming.Lock()
		defer swarming.Unlock()
		if swarming.count--; swarming.count == 0 {
			debug.SetGCPercent(swarming.before)
		}
	}
}
