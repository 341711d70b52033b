package metadata

import (
	"cmp"
	"math"
	"slices"
)

// label is what streams, topics, consumer groups and users have alike.
type label struct {
	id      uint32
	name    string
	created uint64 // time of the op that made it
}

func (l *label) labelled() *label { return l }

type labelled interface{ labelled() *label }

// named is a set of things with an id and a name, each unique in the set, in the order of their
// ids. Ids rise and are never given twice: who holds an old one finds nothing, not another.
type named[T labelled] struct {
	next  uint32 // the id that the next one gets
	items []T    // by id
	names map[string]T
}

func newNamed[T labelled](first uint32) named[T] {
	return named[T]{next: first, names: map[string]T{}}
}

func (s *named[T]) place(id uint32) (int, bool) {
	return slices.BinarySearchFunc(s.items, id, func(item T, id uint32) int {
		return cmp.Compare(item.labelled().id, id)
	})
}

func (s *named[T]) byID(id uint32) (T, bool) {
	if at, found := s.place(id); found {
		return s.items[at], true
	}
	var none T
	return none, false
}

func (s *named[T]) byName(name string) (T, bool) {
	item, found := s.names[name]
	return item, found
}

// full reports whether nothing can be added: at the limit, or out of ids.
func (s *named[T]) full(limit uint32) bool {
	return uint64(len(s.items)) >= uint64(limit) || s.next == math.MaxUint32
}

// add gives item the next id. Its name must be free and the set not full.
func (s *named[T]) add(item T) {
	l := item.labelled()
	l.id = s.next
	s.next++
	s.items = append(s.items, item)
	s.names[l.name] = item
}

func (s *named[T]) rename(item T, name string) {
	l := item.labelled()
	delete(s.names, l.name)
	l.name = name
	s.names[name] = item
}

func (s *named[T]) remove(item T) {
	l := item.labelled()
	if at, found := s.place(l.id); found {
		s.items = slices.Delete(s.items, at, at+1)
		delete(s.names, l.name)
	}
}
