package protocol

import "fmt"

// Body is what a request or a reply carries. The types of this package are the bodies there
// are; each has a pointer receiver.
type Body interface {
	// layout visits the fields in the order of the bytes. It serves both directions.
	layout(c *coder)
}

// Encode returns the bytes of a body.
//
// Errors: [*BodyError] for a value that has no form, such as a name of 300 bytes.
func Encode(b Body) ([]byte, error) { return Append(nil, b) }

// Append appends the bytes of a body to dst, which it returns unchanged with an error of
// [Encode].
func Append(dst []byte, b Body) ([]byte, error) {
	c := coder{bytes: dst, from: len(dst)}
	b.layout(&c)
	if c.refused != nil {
		c.refused.Verb, c.refused.Body = "encode", nameOf(b)
		return dst, c.refused
	}
	return c.bytes, nil
}

// MustAppend is [Append] for values that the caller has made itself: one without a form is
// the caller's bug and panics.
func MustAppend(dst []byte, b Body) []byte {
	dst, err := Append(dst, b)
	if err != nil {
		panic(fmt.Sprintf("append body: %v", err))
	}
	return dst
}

// Decode reads a whole body into b, which must be zero before. Texts are copies; fields of
// type []byte are parts of the body.
//
// Errors: [*BodyError]; b is of no use then.
func Decode(body []byte, b Body) error {
	c := coder{bytes: body, decoding: true}
	b.layout(&c)
	if c.refused == nil && c.at < len(body) {
		c.refuse("end", "%d more bytes", "the end of the body", len(body)-c.at)
	}
	if c.refused != nil {
		c.refused.Verb, c.refused.Body = "decode", nameOf(b)
		return c.refused
	}
	return nil
}
