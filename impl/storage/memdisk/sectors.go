package memdisk

import "math/bits"

// sectors is a set of numbers of sectors: a bit each.
type sectors []uint64

const wordBits = 64

// add puts [from, to) into the set.
func (s *sectors) add(from, to int64) {
	for int64(len(*s))*wordBits < to {
		*s = append(*s, 0)
	}
	for from < to {
		word, bit := from/wordBits, from%wordBits
		n := min(wordBits-bit, to-from)
		(*s)[word] |= (^uint64(0) >> (wordBits - n)) << bit
		from += n
	}
}

// runs yields the set in order, as ranges [from, to) that do not touch.
func (s sectors) runs(yield func(from, to int64) bool) {
	end := int64(len(s)) * wordBits
	for at := s.next(0, 0); at < end; {
		to := s.next(at, ^uint64(0))
		if !yield(at, to) {
			return
		}
		at = s.next(to, 0)
	}
}

// next returns the first number from one on that is in the set, or with all bits to flip is not;
// the end of the words if there is none.
func (s sectors) next(from int64, flip uint64) int64 {
	for word := from / wordBits; word < int64(len(s)); word++ {
		left := s[word] ^ flip
		if word == from/wordBits {
			left &= ^uint64(0) << (from % wordBits)
		}
		if left != 0 {
			return word*wordBits + int64(bits.TrailingZeros64(left))
		}
	}
	return int64(len(s)) * wordBits
}
