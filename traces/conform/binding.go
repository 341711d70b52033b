package conform

import (
	"maps"

	"github.com/viewstamp/viewstamp/model/vsr"
)

// binding maps the trace's checksums to the model's entries, one to one. It is immutable:
// explanations share it.
type binding struct {
	entries   map[string]vsr.Entry
	checksums map[vsr.Entry]string
}

func newBinding() *binding {
	return &binding{entries: map[string]vsr.Entry{}, checksums: map[vsr.Entry]string{}}
}

// with returns the binding in which checksum and entry belong together, or false if either
// belongs to another already. An empty checksum says nothing.
func (b *binding) with(checksum string, e vsr.Entry) (*binding, bool) {
	if checksum == "" {
		return b, true
	}
	bound, known := b.entries[checksum]
	if known {
		return b, bound == e
	}
	if _, taken := b.checksums[e]; taken {
		return b, false
	}
	c := &binding{entries: maps.Clone(b.entries), checksums: maps.Clone(b.checksums)}
	c.entries[checksum] = e
	c.checksums[e] = checksum
	return c, true
}

// name is what the trace calls an entry, as far as it is known.
func (b *binding) name(e vsr.Entry) string {
	if checksum, known := b.checksums[e]; known {
		return checksum
	}
	return "(" + e.String() + ")"
}
