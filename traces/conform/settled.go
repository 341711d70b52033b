package conform

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// settledOps are ops that were put aside, in as little memory as can tell what they were: long
// traces have millions. What follows from the op before is not kept, and a checksum of 32
// hexadecimal digits, as this project's are, as the 16 bytes that it says.
type settledOps struct {
	head vsr.Op
	// runs are the ops whose entry does not follow from the one before: by the view of that one,
	// and the next request.
	runs []vsr.Entry
	// ops are the checksums seen so far of these ops, others those of entries that the log did
	// not keep. texts are what checksums are called that are no 32 digits.
	ops    map[sum]vsr.Op
	others map[sum]vsr.Entry
	texts  map[sum]string
}

// sum is a checksum: its 16 bytes, or a hash of its text.
type sum [16]byte

// sumOf returns the sum of a text, and whether the text follows from it.
func sumOf(text string) (s sum, plain bool) {
	if len(text) == 2*len(s) {
		if _, err := hex.Decode(s[:], []byte(text)); err == nil && hex.EncodeToString(s[:]) == text {
			return s, true
		}
	}
	hash := xxh3.HashString128(text)
	binary.LittleEndian.PutUint64(s[:], hash.Lo)
	binary.LittleEndian.PutUint64(s[len(s)/2:], hash.Hi)
	return s, false
}

// follows is the entry that an op has if nothing happened in between.
func follows(e vsr.Entry) vsr.Entry {
	e.Op++
	e.Request++
	return e
}

// extend puts the entry of the next op aside.
func (o *settledOps) extend(last, e vsr.Entry) {
	if o.head == 0 || follows(last) != e {
		o.runs = append(o.runs, e)
	}
	o.head = e.Op
}

// log is the log of all these ops.
func (o *settledOps) log() vsr.Log {
	log := make(vsr.Log, 0, o.head)
	for i, e := range o.runs {
		end := o.head
		if i+1 < len(o.runs) {
			end = o.runs[i+1].Op - 1
		}
		for ; e.Op <= end; e = follows(e) {
			log = append(log, e)
		}
	}
	return log
}

// at is the entry of one of these ops.
func (o *settledOps) at(op vsr.Op) vsr.Entry {
	low, high := 0, len(o.runs) // The last run that begins at or below op.
	for high-low > 1 {
		if middle := (low + high) / 2; o.runs[middle].Op <= op {
			low = middle
		} else {
			high = middle
		}
	}
	e := o.runs[low]
	e.Request += vsr.Request(op - e.Op)
	e.Op = op
	return e
}

// withoutFirst are these ops without the first n, the others renumbered; nil if that is all.
func (o *settledOps) withoutFirst(n vsr.Op) *settledOps {
	if n >= o.head {
		return nil
	}
	c := &settledOps{runs: []vsr.Entry{o.at(n + 1).Lowered(n)}, head: o.head - n}
	for _, e := range o.runs {
		if e.Op > n+1 {
			c.runs = append(c.runs, e.Lowered(n))
		}
	}
	o.each(func(checksum string, e vsr.Entry) {
		if e.Op > n {
			c.name(checksum, e.Lowered(n))
		}
	})
	return c
}

// name notes the checksum of an entry, none of them above head.
func (o *settledOps) name(checksum string, e vsr.Entry) {
	s, plain := sumOf(checksum)
	if !plain {
		if o.texts == nil {
			o.texts = map[sum]string{}
		}
		o.texts[s] = checksum
	}
	switch {
	case o.at(e.Op) == e:
		if o.ops == nil {
			o.ops = map[sum]vsr.Op{}
		}
		o.ops[s] = e.Op
	default:
		if o.others == nil {
			o.others = map[sum]vsr.Entry{}
		}
		o.others[s] = e
	}
}

// entry is what a checksum was bound to, and whether it was to anything.
func (o *settledOps) entry(checksum string) (vsr.Entry, bool) {
	if o == nil {
		return vsr.Entry{}, false
	}
	s, _ := sumOf(checksum)
	if op, known := o.ops[s]; known {
		return o.at(op), true
	}
	e, known := o.others[s]
	return e, known
}

// text is a checksum as the trace has it.
func (o *settledOps) text(s sum) string {
	if text, known := o.texts[s]; known {
		return text
	}
	return hex.EncodeToString(s[:])
}

// each visits all checksums and their entries, in no order.
func (o *settledOps) each(visit func(checksum string, e vsr.Entry)) {
	for s, op := range o.ops { //nolint:maporder // Into maps.
		visit(o.text(s), o.at(op))
	}
	for s, e := range o.others { //nolint:maporder // Into maps.
		visit(o.text(s), e)
	}
}
