package replica

import "github.com/viewstamp/viewstamp/impl/wire"

// Bounds of what a host keeps of the newest prepares, to execute and serve them without a
// read.
const (
	bodiesMax      = 64
	bodiesBytesMax = 4 << 20
)

// bodies are the prepares that were given to the storage last, oldest first in a ring. One that
// is in it may not be stored yet: the core asks for none before it is.
type bodies struct {
	ring  [bodiesMax]*wire.Prepare
	next  int
	bytes int
}

func (b *bodies) add(p *wire.Prepare) {
	b.drop(b.next)
	b.ring[b.next] = p
	b.bytes += len(p.Body)
	b.next = (b.next + 1) % bodiesMax
	for i := range bodiesMax {
		if b.bytes <= bodiesBytesMax {
			return
		}
		b.drop((b.next + i) % bodiesMax)
	}
}

func (b *bodies) drop(i int) {
	if b.ring[i] != nil {
		b.bytes -= len(b.ring[i].Body)
		b.ring[i] = nil
	}
}

// get returns the prepare of an identity, nil if it is not among the newest.
func (b *bodies) get(id wire.PrepareID) *wire.Prepare {
	for _, p := range b.ring {
		if p != nil && p.Header.Op == id.Op && p.Header.Checksum == id.Checksum {
			return p
		}
	}
	return nil
}
