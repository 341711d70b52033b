package explore

import (
	"math/bits"
	"sync"
)

const (
	shardBits  = 8
	shardStart = 8 // Slots of a new shard.
	slotBytes  = 24
)

// slot remembers one visited state and the best way to it.
type slot struct {
	fp     uint64 // 0: free.
	parent uint64 // The predecessor's fingerprint; 0: an initial state.
	step   uint32 // Number of the successor of parent, or of the initial state.
	depth  uint32
}

// visited is an insert-only set of fingerprints, split in shards so that workers
// rarely meet. Growing one shard does not stop the others.
type visited struct {
	shards [1 << shardBits]shard
}

type shard struct {
	mu    sync.Mutex
	used  int
	slots []slot   // At most three quarters used.
	_     [24]byte // Fills the cache line: neighbours are locked by other workers.
}

func newVisited() *visited {
	v := &visited{}
	for i := range v.shards {
		v.shards[i].slots = make([]slot, shardStart)
	}
	return v
}

// insert adds a state and reports whether it is new. A state that was added in
// the same level gets the smallest parent, so that the order in which workers
// arrive leaves no mark on the counterexample. Of one parent's steps the first
// stays: a parent is expanded by one worker, in order.
func (v *visited) insert(s slot) bool {
	sh := &v.shards[s.fp>>(64-shardBits)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	old := sh.find(s.fp)
	if old.fp != 0 {
		if old.depth == s.depth && s.parent < old.parent {
			*old = s
		}
		return false
	}
	*old = s
	if sh.used++; 4*sh.used > 3*len(sh.slots) {
		sh.grow()
	}
	return true
}

// find returns the slot of fp, or the free slot where it belongs. The bits below those
// that chose the shard say where to look first, in the order of fingerprints: growing
// then reads and writes memory in order.
func (sh *shard) find(fp uint64) *slot {
	i, _ := bits.Mul64(fp<<shardBits, uint64(len(sh.slots)))
	for {
		if s := &sh.slots[i]; s.fp == fp || s.fp == 0 {
			return s
		}
		if i++; i == uint64(len(sh.slots)) {
			i = 0
		}
	}
}

// grow makes room by half of what there is, not by all of it: after it half of the slots
// are used, which is at most 48 bytes a state.
func (sh *shard) grow() {
	old := sh.slots
	sh.slots = make([]slot, len(old)+len(old)/2)
	for _, s := range old {
		if s.fp != 0 {
			*sh.find(s.fp) = s
		}
	}
}

// trail returns the slots on the way to fp, an initial state first. Only for the
// time between levels. The fingerprint must have been inserted.
func (v *visited) trail(fp uint64) []slot {
	var trail []slot
	for {
		s := *v.shards[fp>>(64-shardBits)].find(fp)
		if s.fp == 0 {
			panic("visited set lost a predecessor")
		}
		trail = append(trail, s)
		if s.parent == 0 {
			break
		}
		fp = s.parent
	}
	for i, j := 0, len(trail)-1; i < j; i, j = i+1, j-1 {
		trail[i], trail[j] = trail[j], trail[i]
	}
	return trail
}

// bytes is the memory of the set. It depends on the fingerprints only.
func (v *visited) bytes() int {
	slots := 0
	for i := range v.shards {
		slots += len(v.shards[i].slots)
	}
	return slots * slotBytes
}
