package transfer

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/model/canonical"
)

// Entry is the identity of a prepare, or the state after all ops up to it: the number
// of a sequence of views in the [catalogue]. Zero is Transfer!Nil, the empty sequence.
type Entry uint8

// EntrySet is a set of entries: bit e is entry e.
type EntrySet uint64

// entriesMax is the largest number of entries that an [EntrySet] can tell apart; bit 0
// would be the empty one, which is in no set.
const entriesMax = 63

func (s EntrySet) has(e Entry) bool { return s>>e&1 != 0 }

func (s *EntrySet) add(e Entry) { *s |= 1 << e }

// pop removes the lowest entry and returns it; false if the set is empty.
func (s *EntrySet) pop() (Entry, bool) {
	if *s == 0 {
		return 0, false
	}
	e := Entry(bits.TrailingZeros64(uint64(*s)))
	*s &= *s - 1
	return e, true
}

// catalogue lists the entries that may exist under a configuration: the sequences of
// views that never fall, since a primary appends its own view to what it has. Behind
// them come the mixed ones, of which no op is made: what two checkpoints' chunks give.
type catalogue struct {
	views  [][]uint8           // By entry.
	length [entriesTotal]uint8 // By entry.
	cut    [entriesTotal][OpMax + 1]Entry
	child  [entriesTotal][ViewMax + 1]Entry
	mixed  [OpMax + 1]Entry    // By length.
	above  [OpMax + 1]EntrySet // The entries longer than that.
	texts  []string            // By entry, as canonical texts.
}

const entriesTotal = entriesMax + 1 + OpMax

// countEntries is the number of non-empty sequences that a catalogue would have.
func countEntries(ops, view int) int {
	total, ofLength := 0, make([]int, view+1) // By last view: the sequences of some length.
	for v := range ofLength {
		ofLength[v] = 1
	}
	for range ops {
		sum := 0
		for v := range ofLength {
			total += ofLength[v]
			sum += ofLength[v]
			ofLength[v] = sum
		}
	}
	return total
}

func newCatalogue(ops, view int) catalogue {
	c := catalogue{views: [][]uint8{nil}}
	for from := 0; from < len(c.views); from++ { // Grows: breadth first, by length.
		c.cut[from][len(c.views[from])] = Entry(from)
		if len(c.views[from]) == ops {
			continue
		}
		lowest := uint8(0)
		if n := len(c.views[from]); n > 0 {
			lowest = c.views[from][n-1]
		}
		for v := lowest; int(v) <= view; v++ {
			e := Entry(len(c.views))
			c.child[from][v] = e
			c.cut[e] = c.cut[from]
			c.views = append(c.views, append(append([]uint8(nil), c.views[from]...), v))
		}
	}
	entries := len(c.views)
	for length := 1; length <= ops; length++ {
		views := make([]uint8, length)
		for i := range views {
			views[i] = uint8(view + 1)
		}
		e := Entry(len(c.views))
		c.mixed[length] = e
		c.cut[e][length] = e
		for shorter := 1; shorter < length; shorter++ {
			c.cut[e][shorter] = c.mixed[shorter]
		}
		c.views = append(c.views, views)
	}
	for e, views := range c.views {
		c.length[e] = uint8(len(views))
		for n := len(views); n <= OpMax; n++ {
			c.cut[e][n] = Entry(e)
		}
		for n := range views {
			if e < entries {
				c.above[n].add(Entry(e))
			}
		}
		c.texts = append(c.texts, canonical.Function(1, len(views), func(i int) string {
			return strconv.Itoa(int(views[i-1]))
		}))
	}
	return c
}

// text is the entry for people: "a0.b1" would be op 1 of view 0, then op 2 of view 1;
// it is written as <0,1>.
func (c *catalogue) text(e Entry) string {
	var views []string
	for _, v := range c.views[e] {
		views = append(views, strconv.Itoa(int(v)))
	}
	return "<" + strings.Join(views, ",") + ">"
}

// next is the committed entry that follows an older one: it has the last view of e. What
// no chain of views can be, which only a mutant commits, counts as mixed.
func (c *catalogue) next(committed, e Entry) Entry {
	views := c.views[e]
	if child := c.child[committed][views[len(views)-1]]; child != 0 {
		return child
	}
	return c.mixed[c.length[committed]+1]
}

// prefix reports whether a is one of b: Transfer!Prefix.
func (c *catalogue) prefix(a, b Entry) bool {
	return c.length[a] <= c.length[b] && c.cut[b][c.length[a]] == a
}

// Log is a sequence of entries; zero where a header is unknown or released.
type Log struct {
	Entries [OpMax]Entry
	Length  uint8
}

// at is Transfer!At.
func (l *Log) at(op int) Entry {
	if op < 1 || op > int(l.Length) {
		return 0
	}
	return l.Entries[op-1]
}

// tip is Transfer!Tip.
func (l *Log) tip() Entry { return l.at(int(l.Length)) }

func (l *Log) push(e Entry) {
	l.Entries[l.Length] = e
	l.Length++
}

// resize makes the log that long, and unknown where it was shorter.
func (l *Log) resize(length uint8) {
	clear(l.Entries[min(length, OpMax):])
	l.Length = length
}
