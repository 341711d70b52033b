package linearizability

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ednValue is one value of EDN: a scalar as it stands there (a text without its quotes),
// or a collection.
type ednValue struct {
	kind   ednKind
	text   string     // Of a scalar, and the name of a keyword with its colon.
	values []ednValue // Of a collection; of a map keys and values in turn.
}

type ednKind uint8

const (
	ednNil ednKind = iota + 1
	ednScalar
	ednKeyword
	ednVector // And lists.
	ednSet
	ednMap
)

// get returns the value of a keyword in a map.
func (v ednValue) get(keyword string) (ednValue, bool) {
	for i := 0; v.kind == ednMap && i+1 < len(v.values); i += 2 {
		if v.values[i].kind == ednKeyword && v.values[i].text == keyword {
			return v.values[i+1], true
		}
	}
	return ednValue{}, false
}

// ednDepthMax bounds how deep values stand in each other.
const ednDepthMax = 64

// parseEDN reads one value and nothing behind it. It knows what histories are written
// with: no characters, no comments; tags are skipped.
func parseEDN(text string) (ednValue, error) {
	p := &ednParser{rest: text}
	v, err := p.value(0)
	if err == nil && p.skip() != "" {
		err = fmt.Errorf("something behind it: %q", shorten(p.rest))
	}
	return v, err
}

type ednParser struct {
	rest string
}

// skip drops blanks and commas, and returns what is left.
func (p *ednParser) skip() string {
	p.rest = strings.TrimLeftFunc(p.rest, func(r rune) bool {
		return unicode.IsSpace(r) || r == ','
	})
	return p.rest
}

func (p *ednParser) value(depth int) (ednValue, error) {
	rest := p.skip()
	switch {
	case rest == "":
		return ednValue{}, fmt.Errorf("the end of the line")
	case depth > ednDepthMax:
		return ednValue{}, fmt.Errorf("more than %d values in each other", ednDepthMax)
	case strings.HasPrefix(rest, "#{"):
		return p.collection(ednSet, 2, '}', depth)
	case rest[0] == '{':
		return p.collection(ednMap, 1, '}', depth)
	case rest[0] == '[':
		return p.collection(ednVector, 1, ']', depth)
	case rest[0] == '(':
		return p.collection(ednVector, 1, ')', depth)
	case rest[0] == '#': // A tag: what it stands before is the value.
		p.token()
		return p.value(depth + 1)
	case rest[0] == '"':
		return p.quoted()
	}
	token := p.token()
	switch {
	case token == "":
		r, _ := utf8.DecodeRuneInString(rest)
		return ednValue{}, fmt.Errorf("%q", r)
	case token == "nil":
		return ednValue{kind: ednNil}, nil
	case token[0] == ':':
		return ednValue{kind: ednKeyword, text: token}, nil
	}
	return ednValue{kind: ednScalar, text: token}, nil
}

func (p *ednParser) collection(
	kind ednKind, opening int, closing byte, depth int,
) (ednValue, error) {
	p.rest = p.rest[opening:]
	v := ednValue{kind: kind}
	for {
		if rest := p.skip(); rest != "" && rest[0] == closing {
			p.rest = rest[1:]
			if kind == ednMap && len(v.values)%2 == 1 {
				return v, fmt.Errorf("a map whose last key has no value")
			}
			return v, nil
		}
		member, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.values = append(v.values, member)
	}
}

// token takes everything up to a blank or a bracket.
func (p *ednParser) token() string {
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`,[]{}()"`, r)
	})
	if end < 0 {
		end = len(p.rest)
	}
	token := p.rest[:end]
	p.rest = p.rest[end:]
	return token
}

func (p *ednParser) quoted() (ednValue, error) {
	text, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return ednValue{}, fmt.Errorf("a text without its end")
	}
	p.rest = p.rest[len(text):]
	plain, err := strconv.Unquote(text)
	if err != nil {
		return ednValue{}, fmt.Errorf("the text %s", shorten(text))
	}
	return ednValue{kind: ednScalar, text: plain}, nil
}
