package vsr

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Op is the number of a log position. The first op is 1; 0 means none.
type Op uint32

// View is a view number. The primary of view v is v modulo N.
type View uint32

// Request is the number of a client request, 1 for the first.
type Request uint32

// Entry is a prepare's identity: its op, the view that prepared it and the client
// request it carries. Equal entries stand for equal checksums (spec Replica).
type Entry struct {
	Op      Op
	View    View
	Request Request
}

// String is the entry as "op.view.request", the checksum in traces of the model.
func (e Entry) String() string {
	return string(e.append(nil))
}

func (e Entry) append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(e.Op), 10)
	dst = append(dst, '.')
	dst = strconv.AppendUint(dst, uint64(e.View), 10)
	dst = append(dst, '.')
	return strconv.AppendUint(dst, uint64(e.Request), 10)
}

// ParseEntry reads what [Entry.String] writes.
func ParseEntry(text string) (Entry, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Entry{}, fmt.Errorf("entry %q: expected op.view.request", text)
	}
	var numbers [3]uint32
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return Entry{}, fmt.Errorf("entry %q: expected op.view.request: %w", text, err)
		}
		numbers[i] = uint32(n)
	}
	return Entry{Op(numbers[0]), View(numbers[1]), Request(numbers[2])}, nil
}

// compare orders entries by op, then view, then request.
func (e Entry) compare(other Entry) int {
	if c := cmp.Compare(e.Op, other.Op); c != 0 {
		return c
	}
	if c := cmp.Compare(e.View, other.View); c != 0 {
		return c
	}
	return cmp.Compare(e.Request, other.Request)
}

// Log is a sequence of entries; the entry of op n is element n-1. A pipeline is one
// too, but starts at any op. It must not be written to.
type Log []Entry

// Head is the highest op of a log, 0 when the log is empty.
func (l Log) Head() Op {
	return Op(len(l))
}

// At returns the entry of an op of a log, and whether the log reaches that far.
func (l Log) At(op Op) (Entry, bool) {
	if op < 1 || op > l.Head() {
		return Entry{}, false
	}
	return l[op-1], true
}

// has reports whether the log holds entry e at e's op.
func (l Log) has(e Entry) bool {
	return e.Op >= 1 && e.Op <= l.Head() && l[e.Op-1] == e
}

// with returns the log extended by e.
func (l Log) with(e Entry) Log {
	extended := make(Log, len(l)+1)
	copy(extended, l)
	extended[len(l)] = e
	return extended
}

// upTo returns the first n entries, or all if there are fewer.
func (l Log) upTo(n Op) Log {
	if n >= l.Head() {
		return l
	}
	return l[:n:n]
}

// above returns the entries above op n of a log.
func (l Log) above(n Op) Log {
	if n >= l.Head() {
		return nil
	}
	return l[n:]
}

// in reports whether every entry of the log is in the set.
func (l Log) in(set EntrySet) bool {
	for _, e := range l {
		if !set.Has(e) {
			return false
		}
	}
	return true
}

// Equal reports whether two logs have the same entries.
func (l Log) Equal(other Log) bool {
	return slices.Equal(l, other)
}

func (l Log) compare(other Log) int {
	return slices.CompareFunc(l, other, Entry.compare)
}

// EntrySet is a set of entries: ascending, without duplicates. It must not be
// written to.
type EntrySet []Entry

// Has reports whether e is in the set.
func (s EntrySet) Has(e Entry) bool {
	_, found := s.search(e)
	return found
}

// search returns where e is or belongs.
func (s EntrySet) search(e Entry) (int, bool) {
	low, high := 0, len(s)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch c := s[middle].compare(e); {
		case c == 0:
			return middle, true
		case c < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return low, false
}

// at returns the entries of one op, a part of the set.
func (s EntrySet) at(op Op) EntrySet {
	from, _ := s.search(Entry{Op: op})
	to := from
	for to < len(s) && s[to].Op == op {
		to++
	}
	return s[from:to]
}

// with returns the set with e.
func (s EntrySet) with(e Entry) EntrySet {
	i, found := s.search(e)
	if found {
		return s
	}
	extended := make(EntrySet, len(s)+1)
	copy(extended, s[:i])
	extended[i] = e
	copy(extended[i+1:], s[i:])
	return extended
}

// without returns the set without the entries of a log.
func (s EntrySet) without(l Log) EntrySet {
	var kept EntrySet
	for _, e := range s {
		if !slices.Contains(l, e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// upTo returns the entries at or below op n.
func (s EntrySet) upTo(n Op) EntrySet {
	i, _ := s.search(Entry{Op: n + 1})
	return s[:i:i]
}
