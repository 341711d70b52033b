package tlaval

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// AppendCanonical appends the canonical text of v (see the package comment) to
// dst and returns the longer slice. The zero Value appends nothing.
//
// Source: tla.md, Appendix B.
func (v Value) AppendCanonical(dst []byte) []byte {
	switch v.kind {
	case KindInt:
		return strconv.AppendInt(dst, v.num, 10)
	case KindBool:
		if v.num == 1 {
			return append(dst, 'T')
		}
		return append(dst, 'F')
	case KindString:
		return appendQuoted(dst, v.text)
	case KindModel:
		return append(append(dst, '\''), v.text...)
	case KindSet:
		return v.appendSet(dst)
	case KindFunction:
		return v.appendFunction(dst)
	}
	return dst
}

// appendQuoted is strconv.AppendQuote with a short way for plain text, which
// nearly every string of a state is.
func appendQuoted(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(dst, text)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// span is where one part (an element, or a key with its result) lies in the
// text: [start, end). Parts are ordered by [start, keyEnd).
type span struct{ start, keyEnd, end int }

// spansOnStack is how many parts a set or function may have before ordering them
// costs an allocation.
const spansOnStack = 32

func (v Value) appendSet(dst []byte) []byte {
	var local [spansOnStack]span
	spans := local[:0]
	dst = append(dst, '{')
	begin := len(dst)
	for i := range v.vals {
		if i > 0 {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = v.vals[i].AppendCanonical(dst)
		spans = append(spans, span{start: start, keyEnd: len(dst), end: len(dst)})
	}
	dst = sortParts(dst, begin, spans, true)
	return append(dst, '}')
}

func (v Value) appendFunction(dst []byte) []byte {
	var local [spansOnStack]span
	spans := local[:0]
	dst = append(dst, '[')
	begin := len(dst)
	for i := range v.vals {
		if i > 0 {
			dst = append(dst, ',')
		}
		start := len(dst)
		if v.keys == nil {
			dst = strconv.AppendInt(dst, int64(i)+1, 10)
		} else {
			dst = v.keys[i].AppendCanonical(dst)
		}
		keyEnd := len(dst)
		dst = append(dst, ':')
		dst = v.vals[i].AppendCanonical(dst)
		spans = append(spans, span{start: start, keyEnd: keyEnd, end: len(dst)})
	}
	dst = sortParts(dst, begin, spans, false)
	return append(dst, ']')
}

// sortParts puts the parts that lie in dst[begin:], separated by commas, in
// order. With unique set, equal parts are kept once. TLC prints most sets and
// functions in order already, so that case costs comparisons only.
func sortParts(dst []byte, begin int, spans []span, unique bool) []byte {
	inOrder := true
	for i := 1; i < len(spans) && inOrder; i++ {
		order := comparePart(dst, spans[i-1], spans[i])
		inOrder = order < 0 || order == 0 && !unique
	}
	if inOrder {
		return dst
	}
	slices.SortFunc(spans, func(a, b span) int {
		// The whole part decides between equal keys, so that the text does not
		// depend on the order of printing even for a domain with a key twice.
		return cmp.Or(comparePart(dst, a, b), bytes.Compare(dst[a.start:a.end], dst[b.start:b.end]))
	})
	sorted := len(dst)
	for i, s := range spans {
		if unique && i > 0 && comparePart(dst, spans[i-1], s) == 0 {
			continue
		}
		if len(dst) > sorted {
			dst = append(dst, ',')
		}
		dst = append(dst, dst[s.start:s.end]...)
	}
	return dst[:begin+copy(dst[begin:], dst[sorted:])]
}

func comparePart(text []byte, a, b span) int {
	return bytes.Compare(text[a.start:a.keyEnd], text[b.start:b.keyEnd])
}
