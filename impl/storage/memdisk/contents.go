package memdisk

import (
	"path"
	"slices"
)

// Contents returns what was written of a file: as the disk has it if stable, else as the operating
// system shows it; nil if there is no such file. Behind it are zeros up to the file's size. It is
// no operation of the disk: checkers use it. The bytes are the disk's: do not change them, nor
// keep them.
func (d *Disk) Contents(name string, stable bool) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.cached[name]
	if stable {
		node = d.stable[name]
	}
	if node == nil {
		return nil
	}
	if written := node.holds(stable).written; written != nil {
		return written
	}
	return []byte{}
}

// Flushed says whether nothing of a file waits for a flush: its name, its size and its content. It
// is no operation of the disk: checkers use it.
func (d *Disk) Flushed(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.cached[name]
	waits := slices.ContainsFunc(d.changes[path.Dir(name)], func(c entryChange) bool {
		return c.add == name || c.remove == name
	})
	return node != nil && d.stable[name] == node && !waits && len(node.dirty) == 0 &&
		len(node.sizes) == 0
}
