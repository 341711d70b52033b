package partitionlog

// byValue is a table by the value of a record. Values that are numbered from 0, as callers
// number them, stand in a slice: a look-up in a map of a million costs ten times as much.
// The zero value of T stands for nothing.
type byValue[T comparable] struct {
	dense  []T
	sparse map[uint64]T
}

// newByValue returns an empty table for the values of appends.
func newByValue[T comparable](operations []*Operation) byValue[T] {
	highest, appends := uint64(0), uint64(0)
	for _, o := range operations {
		if o.Kind == Append {
			highest, appends = max(highest, o.Value), appends+1
		}
	}
	const slack = 4 // Some numbers may be those of records that were never sent.
	if highest < slack*appends {
		return byValue[T]{dense: make([]T, highest+1)}
	}
	return byValue[T]{sparse: make(map[uint64]T, appends)}
}

// get returns what was put, or nothing.
func (b *byValue[T]) get(value uint64) T {
	if b.sparse != nil {
		return b.sparse[value]
	}
	if value < uint64(len(b.dense)) {
		return b.dense[value]
	}
	var nothing T
	return nothing
}

// put is for values of appends.
func (b *byValue[T]) put(value uint64, what T) {
	if b.sparse != nil {
		b.sparse[value] = what
		return
	}
	b.dense[value] = what
}
