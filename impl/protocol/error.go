package protocol

import (
	"fmt"
	"strings"
)

// BodyError says why a body cannot be read, or a value has no form in bytes.
type BodyError struct {
	// Verb is "encode" or "decode", Body the type.
	Verb, Body string
	// Field is the place in snake_case, Offset where it begins, in bytes from the body's start.
	Field  string
	Offset int
	// Got is what is there, Want what should be.
	Got, Want string
}

// Error returns one line: what, where, and what was expected.
func (e *BodyError) Error() string {
	return fmt.Sprintf("%s %s: %s at byte %d: got %s, expected %s",
		e.Verb, e.Body, e.Field, e.Offset, e.Got, e.Want)
}

// nameOf is the type of a body without its package.
func nameOf(b Body) string {
	name := fmt.Sprintf("%T", b)
	return name[strings.LastIndexByte(name, '.')+1:]
}
