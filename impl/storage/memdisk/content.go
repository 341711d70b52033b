package memdisk

import (
	"bytes"
	"slices"
)

// content is what a file holds: the bytes that were written, and zeros behind them up to its
// size. A file that was made full of zeros costs nothing until somebody writes.
type content struct {
	written []byte
	size    int64
}

// clone returns a copy that shares nothing.
func (c *content) clone() content { return content{slices.Clone(c.written), c.size} }

// resize cuts the content, or extends it with zeros.
func (c *content) resize(size int64) {
	c.size = size
	if size < int64(len(c.written)) {
		c.written = c.written[:size]
	}
}

// reach makes the written part extend to an offset, which lies within the size.
func (c *content) reach(offset int64) {
	old := len(c.written)
	if offset <= int64(old) {
		return
	}
	if offset > int64(cap(c.written)) { // Most files are filled to their size.
		grown := make([]byte, offset, max(offset, min(c.size, growth*int64(cap(c.written)))))
		copy(grown, c.written)
		c.written = grown
		return
	}
	c.written = c.written[:offset]
	clear(c.written[old:]) // what lay there before a cut
}

// growth bounds how much memory a file takes for what it had: its size is known.
const growth = 8

// write puts p at an offset, within the size.
func (c *content) write(p []byte, offset int64) {
	if len(p) == 0 {
		return
	}
	c.reach(offset + int64(len(p)))
	copy(c.written[offset:], p)
}

// read fills p from an offset on, and returns how many bytes there were.
func (c *content) read(p []byte, offset int64) int {
	n := min(int64(len(p)), max(0, c.size-offset))
	copied := copy(p[:n], c.slice(offset, offset+n))
	clear(p[copied:n])
	return int(n)
}

// slice returns those bytes of [from, to) that were written: behind them are zeros.
func (c *content) slice(from, to int64) []byte {
	end := int64(len(c.written))
	return c.written[min(from, end):min(to, end)]
}

// put makes [from, to), as far as the content reaches, p and zeros behind it.
func (c *content) put(p []byte, from, to int64) {
	to = min(to, c.size)
	if from >= to {
		return
	}
	p = p[:min(int64(len(p)), to-from)]
	c.write(p, from)
	clear(c.slice(from+int64(len(p)), to))
}

// flip changes the bits of mask in one byte, within the size.
func (c *content) flip(offset int64, mask byte) {
	c.reach(offset + 1)
	c.written[offset] ^= mask
}

// index returns where the content has some bytes, -1 if nowhere.
func (c *content) index(p []byte) int {
	if i := bytes.Index(c.written, p); i >= 0 {
		return i
	}
	// The last of them can be zeros that nobody wrote.
	for zeros := 1; zeros <= len(p) && p[len(p)-zeros] == 0; zeros++ {
		head := p[:len(p)-zeros]
		if c.size-int64(len(c.written)) >= int64(zeros) && bytes.HasSuffix(c.written, head) {
			return len(c.written) - len(head)
		}
	}
	return -1
}
