package wal

import "github.com/viewstamp/viewstamp/impl/wire"

// pageOps is how many ops of a group share a page of the index. Ops of a group follow one
// another, so most of a page is used.
const pageOps = 64

// index says where bodies lie. It is a table of each group's ops in pages, and not a map of
// identities: a log of small records has a million of them, and recovery would spend more time
// on cache misses in such a map than on all checksums.
//
// Bodies of one op with different checksums, and copies of one body, form a list from the newest
// to the oldest. What lies in a released file ends it.
type index struct {
	pages map[pageKey]*page
	// last is the page that was added to last, and of which key.
	last    *page
	lastKey pageKey
}

type pageKey struct {
	group wire.GroupID
	page  uint64 // The op divided by pageOps.
}

// page holds the newest body of each of its ops.
type page struct {
	newest [pageOps]position
	used   int
}

// position is where the location of a body is found: the file's number, from 1 on, and which of
// its bodies. Positions are no pointers: a large index of pointers is work for the garbage
// collector.
type position struct{ file, body uint32 }

// isZero says that there is no such body.
func (p position) isZero() bool { return p.file == 0 }

func keyOf(group wire.GroupID, op wire.Op) pageKey {
	return pageKey{group, uint64(op) / pageOps}
}

// newest returns the position of an op's newest body; zero if there is none.
func (x *index) newest(group wire.GroupID, op wire.Op) position {
	p := x.pages[keyOf(group, op)]
	if p == nil {
		return position{}
	}
	return p.newest[op%pageOps]
}

// add makes a body the newest of its op and returns the one that was.
func (x *index) add(group wire.GroupID, op wire.Op, at position) (older position) {
	if k := keyOf(group, op); x.last == nil || x.lastKey != k {
		if x.pages[k] == nil {
			x.pages[k] = &page{}
		}
		x.last, x.lastKey = x.pages[k], k
	}
	older = x.last.newest[op%pageOps]
	if older.isZero() {
		x.last.used++
	}
	x.last.newest[op%pageOps] = at
	return older
}

// remove takes a body off unless there is a newer one of its op.
func (x *index) remove(group wire.GroupID, op wire.Op, at position) {
	k := keyOf(group, op)
	p := x.pages[k]
	if p == nil || p.newest[op%pageOps] != at {
		return
	}
	p.newest[op%pageOps] = position{}
	p.used--
	if p.used == 0 {
		delete(x.pages, k)
		x.last = nil
	}
}
