package memdisk

import (
	"bytes"
	"path"
)

// nearBytes is how far behind a place bytes are looked for before all files are.
const nearBytes = 64 << 10

// Found is where a file held bytes that somebody looked for; zero if nobody has.
type Found struct {
	path   string
	offset int
}

// Holds says whether some file of a directory contains the bytes: as the disk has them if
// stable, else as the operating system shows them. It is no operation of the disk: checkers use
// it to see what a promise is worth.
//
// near, if not nil, is where to look first, and becomes where they are. It saves time and decides
// nothing: bytes that are not there, any more, are looked for everywhere.
func (d *Disk) Holds(directory string, p []byte, stable bool, near *Found) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := d.cached
	if stable {
		files = d.stable
	}
	if near == nil {
		near = &Found{}
	}
	if node := files[near.path]; node != nil && path.Dir(near.path) == directory {
		held := node.holds(stable).written
		from, to := min(near.offset, len(held)), min(near.offset+nearBytes, len(held))
		if i := bytes.Index(held[from:to], p); i >= 0 {
			near.offset = from + i
			return true
		}
	}
	for name, node := range files {
		if path.Dir(name) != directory {
			continue
		}
		if i := node.holds(stable).index(p); i >= 0 {
			*near = Found{name, i}
			return true
		}
	}
	return false
}

// holds is what the disk has of a file, or what the operating system shows.
func (n *inode) holds(stable bool) *content {
	if stable {
		return &n.stable
	}
	return &n.cached
}
