package conform

import (
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// binding maps the trace's checksums to the model's entries, one to one. It is immutable:
// explanations share it. The latest pairs stand apart, so that one more pair does not copy all
// that came before.
type binding struct {
	entries   map[string]vsr.Entry
	checksums map[vsr.Entry]string
	latest    []pair
	// past has the checksums of ops that were put aside (history): they are taken.
	past *settledOps
}

// pair is a checksum and the entry that it belongs to.
type pair struct {
	checksum string
	entry    vsr.Entry
}

// latestMax is the number of pairs that stand apart: copying them costs as much as a look-up.
const latestMax = 64

func newBinding() *binding {
	return &binding{entries: map[string]vsr.Entry{}, checksums: map[vsr.Entry]string{}}
}

// with returns the binding in which checksum and entry belong together, or false if either
// belongs to another already. An empty checksum says nothing.
func (b *binding) with(checksum string, e vsr.Entry) (*binding, bool) {
	if checksum == "" {
		return b, true
	}
	for i := len(b.latest) - 1; i >= 0; i-- {
		if p := &b.latest[i]; p.entry == e || p.checksum == checksum {
			return b, p.entry == e && p.checksum == checksum
		}
	}
	if bound, known := b.entries[checksum]; known {
		return b, bound == e
	}
	if _, taken := b.checksums[e]; taken {
		return b, false
	}
	if _, taken := b.past.entry(checksum); taken {
		return b, false
	}
	c := *b
	if len(c.latest) == latestMax {
		c = b.settled()
	}
	c.latest = append(slices.Clip(c.latest), pair{checksum, e})
	return &c, true
}

// settled is the binding with no pair apart.
func (b *binding) settled() binding {
	c := binding{
		entries: maps.Clone(b.entries), checksums: maps.Clone(b.checksums), past: b.past,
	}
	for _, p := range b.latest {
		c.entries[p.checksum], c.checksums[p.entry] = p.entry, p.checksum
	}
	return c
}

// name is what the trace calls an entry, as far as it is known.
func (b *binding) name(e vsr.Entry) string {
	for i := len(b.latest) - 1; i >= 0; i-- {
		if b.latest[i].entry == e {
			return b.latest[i].checksum
		}
	}
	if checksum, known := b.checksums[e]; known {
		return checksum
	}
	return "(" + e.String() + ")"
}
