package protocol

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// coder carries a layout out: it reads the fields from bytes, or appends them and leaves the
// body as it is, so that several goroutines may encode one. After the first refusal it does
// nothing more.
type coder struct {
	decoding bool
	bytes    []byte // all of them when decoding, those so far when encoding
	from     int    // encoding: where the body begins
	at       int    // decoding: the next byte
	refused  *BodyError
}

// offset is where the next field begins.
func (c *coder) offset() int {
	if c.decoding {
		return c.at
	}
	return len(c.bytes) - c.from
}

func (c *coder) refuse(field, got, want string, args ...any) {
	c.refuseAt(c.offset(), field, fmt.Sprintf(got, args...), want)
}

func (c *coder) refuseAt(offset int, field, got, want string) {
	if c.refused == nil {
		c.refused = &BodyError{Field: field, Offset: offset, Got: got, Want: want}
	}
}

// left is what is still to be read.
func (c *coder) left() int { return len(c.bytes) - c.at }

// take reads n bytes, nil if they are not there.
func (c *coder) take(field string, n int) []byte {
	if c.refused != nil {
		return nil
	}
	if n > c.left() {
		c.refuse(field, "%d bytes", fmt.Sprintf("%d", n), c.left())
		return nil
	}
	b := c.bytes[c.at : c.at+n : c.at+n]
	c.at += n
	return b
}

func (c *coder) u8(field string, v *uint8) {
	if !c.decoding {
		c.bytes = append(c.bytes, *v)
	} else if b := c.take(field, 1); b != nil {
		*v = b[0]
	}
}

func (c *coder) u16(field string, v *uint16) {
	if !c.decoding {
		c.bytes = binary.LittleEndian.AppendUint16(c.bytes, *v)
	} else if b := c.take(field, 2); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

func (c *coder) u32(field string, v *uint32) {
	if !c.decoding {
		c.bytes = binary.LittleEndian.AppendUint32(c.bytes, *v)
	} else if b := c.take(field, 4); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

func (c *coder) u64(field string, v *uint64) {
	if !c.decoding {
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, *v)
	} else if b := c.take(field, 8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// flag is a byte that is 0 or 1.
func (c *coder) flag(field string, v *bool) {
	at, b := c.offset(), uint8(0)
	if *v {
		b = 1
	}
	c.u8(field, &b)
	if b > 1 {
		c.refuseAt(at, field, fmt.Sprint(b), "0 or 1")
	}
	if c.decoding {
		*v = b == 1
	}
}

// enum is a byte of first to last. The value may be a byte higher than on the wire, so that
// zero is invalid where the wire begins at 0: shift is the difference.
func enum[T ~uint8](c *coder, field string, v *T, shift, last uint8) {
	at := c.offset()
	b := uint8(*v) - shift
	known := uint8(*v) >= 1 && uint8(*v) <= last
	if c.decoding {
		c.u8(field, &b)
		known = b >= 1-min(shift, 1) && b <= last-shift
	}
	switch {
	case c.refused != nil:
	case !known:
		c.refuseAt(at, field, fmt.Sprint(b), fmt.Sprintf("%d to %d", 1-min(shift, 1), last-shift))
	case c.decoding:
		*v = T(b + shift)
	default:
		c.u8(field, &b)
	}
}

// nameBytesMax is the longest that a length of one byte can say.
const nameBytesMax = math.MaxUint8

// name is a text of 1 to 255 bytes behind a length of one.
func (c *coder) name(field string, v *string) { c.short(field, v, 1) }

// text is a text of 0 to 255 bytes behind a length of one.
func (c *coder) text(field string, v *string) { c.short(field, v, 0) }

func (c *coder) short(field string, v *string, least int) {
	if c.refused != nil {
		return
	}
	at, n := c.offset(), uint8(min(len(*v), nameBytesMax))
	if c.decoding {
		c.u8(field, &n)
		*v = string(c.take(field, int(n)))
	}
	if c.refused != nil {
		return
	}
	if len(*v) < least || len(*v) > nameBytesMax {
		c.refuseAt(at, field, fmt.Sprintf("%d bytes", len(*v)),
			fmt.Sprintf("%d to %d", least, nameBytesMax))
		return
	}
	if !utf8.ValidString(*v) {
		c.refuseAt(at, field, fmt.Sprintf("%q", *v), "UTF-8")
		return
	}
	if !c.decoding {
		c.bytes = append(append(c.bytes, n), *v...)
	}
}

// text32 is a text behind a length of four bytes.
func (c *coder) text32(field string, v *string) {
	n := uint32(len(*v))
	c.u32(field, &n)
	if !c.decoding {
		c.bytes = append(c.bytes, *v...)
		return
	}
	*v = string(c.take(field, int(n)))
}

// value is 0 to 255 bytes behind a length of one.
func (c *coder) value(field string, v *[]byte) {
	at, n := c.offset(), uint8(min(len(*v), nameBytesMax))
	if len(*v) > nameBytesMax {
		c.refuseAt(at, field, fmt.Sprintf("%d bytes", len(*v)), "at most 255")
		return
	}
	c.u8(field, &n)
	c.raw(field, v, int(n))
}

// rest is all that is left.
func (c *coder) rest(field string, v *[]byte) { c.raw(field, v, c.left()) }

// raw is n bytes; when encoding, those that there are.
func (c *coder) raw(field string, v *[]byte, n int) {
	if !c.decoding {
		c.bytes = append(c.bytes, *v...)
		return
	}
	*v = nil
	if b := c.take(field, n); len(b) > 0 {
		*v = b
	}
}

// optional is a flag and, behind a set one, what item lays out.
func optional[T any](c *coder, field string, v **T, item func(*T)) {
	has := *v != nil
	c.flag(field, &has)
	if c.refused != nil || !has {
		return
	}
	if c.decoding {
		*v = new(T)
	}
	item(*v)
}

// counted is n u32 and that many items. Each item reads at least a byte, so that what is
// declared takes no memory before it is there.
func counted[T any](c *coder, field string, items *[]T, item func(*coder, *T)) {
	n := uint32(len(*items))
	c.u32(field, &n)
	repeat(c, items, func(i int) bool { return uint32(i) < n }, item)
}

// toEnd is items up to the end of the body.
func toEnd[T any](c *coder, items *[]T, item func(*coder, *T)) {
	repeat(c, items, func(int) bool { return c.left() > 0 }, item)
}

func repeat[T any](c *coder, items *[]T, more func(i int) bool, item func(*coder, *T)) {
	if !c.decoding {
		for i := range *items {
			item(c, &(*items)[i])
		}
		return
	}
	for i := 0; c.refused == nil && more(i); i++ {
		var next T
		item(c, &next)
		*items = append(*items, next)
	}
}

// sized is a size u32 and a part of that many bytes.
func (c *coder) sized(field string, part func(*coder)) {
	if c.refused != nil {
		return
	}
	if !c.decoding {
		at := len(c.bytes)
		c.bytes = append(c.bytes, 0, 0, 0, 0)
		part(c)
		binary.LittleEndian.PutUint32(c.bytes[at:], uint32(len(c.bytes)-at-4))
		return
	}
	n := uint32(0)
	c.u32(field, &n)
	start := c.at
	whole := c.bytes
	if c.take(field, int(n)) == nil {
		return
	}
	end := c.at
	c.bytes, c.at = whole[:end:end], start
	part(c)
	if c.refused == nil && c.at < end {
		c.refuse(field, "%d more bytes", "the end of its "+fmt.Sprintf("%d bytes", n), end-c.at)
	}
	c.bytes = whole
}
