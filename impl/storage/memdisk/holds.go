package memdisk

import (
	"bytes"
	"path"
)

// Holds says whether some file of a directory contains the bytes: as the disk has them if
// stable, else as the operating system shows them. It is no operation of the disk: checkers use
// it to see what a promise is worth.
func (d *Disk) Holds(directory string, content []byte, stable bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := d.cached
	if stable {
		files = d.stable
	}
	for name, node := range files {
		held := node.cached
		if stable {
			held = node.stable
		}
		if path.Dir(name) == directory && bytes.Contains(held, content) {
			return true
		}
	}
	return false
}
