package tlaval

import "fmt"

const (
	// nestingMax bounds the parser's recursion; values of a spec nest about ten deep.
	nestingMax = 1000
	// intervalMax bounds how many numbers the intervals of one text may stand for.
	intervalMax = 1 << 16
	// namesMax bounds the table of strings that a Parser shares between values.
	namesMax = 1 << 14
	// nearMax is how much of the text an error quotes, in bytes.
	nearMax = 40

	slabLenMin = 64
	slabLenMax = 4096
)

// SyntaxError says where a text stops being a value as TLC prints it.
type SyntaxError struct {
	Offset   int    // Bytes from the beginning of the text.
	Expected string // What would have been right there.
	Near     string // The text from Offset on, cut short.
}

// Error returns one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("offset %d: expected %s, found %q", e.Offset, e.Expected, e.Near)
}

// Parse reads one value that takes up the whole text, white space aside.
//
// Errors: *[SyntaxError].
func Parse(text []byte) (Value, error) {
	var p Parser
	return p.Parse(text)
}

// ParseState reads a state, /\ x = 1 /\ y = {} or, with one variable, x = 1, as
// a function from the names of the variables.
//
// Errors: *[SyntaxError].
func ParseState(text []byte) (Value, error) {
	var p Parser
	return p.ParseState(text)
}

// Parser reads many values with little garbage: it keeps its memory and the
// strings it has met from one call to the next. The zero Parser is ready. A
// Value that it returned is overwritten by its next call, so use [Parse] for
// values that are kept. A Parser is for one goroutine.
type Parser struct {
	text     []byte
	at       int
	depth    int
	expanded int // Numbers that intervals of this text stood for so far.

	stack   []Value           // Parts of the values that are still open.
	slabs   [][]Value         // Memory of keys and vals, reused by the next call.
	slab    int               // The slab in use; those before it are full.
	used    int               // Values in use of that slab.
	names   map[string]string // Each string met so far, once.
	scratch []byte            // The characters of a string with escapes.
}

// Parse is [Parse]; its result is valid until the next call on p.
func (p *Parser) Parse(text []byte) (Value, error) {
	p.reset(text)
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if p.peek(); p.at < len(p.text) {
		return Value{}, p.expected("end of text")
	}
	return v, nil
}

// ParseState is [ParseState]; its result is valid until the next call on p.
func (p *Parser) ParseState(text []byte) (Value, error) {
	p.reset(text)
	conjunction := p.take(`/\`)
	for {
		name := p.identifier()
		if len(name) == 0 {
			return Value{}, p.expected("a variable's name")
		}
		p.push(Value{kind: KindString, text: p.intern(name)})
		if !p.take("=") {
			return Value{}, p.expected(`"="`)
		}
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.push(v)
		p.peek()
		if p.at == len(p.text) {
			return p.popPairs(0), nil
		}
		if !conjunction || !p.take(`/\`) {
			if !conjunction {
				return Value{}, p.expected("end of text")
			}
			return Value{}, p.expected(`"/\" or end of text`)
		}
	}
}

func (p *Parser) reset(text []byte) {
	p.text, p.at, p.depth, p.expanded = text, 0, 0, 0
	p.stack = p.stack[:0]
	p.slab, p.used = 0, 0
	if p.names == nil {
		p.names = make(map[string]string)
	}
}

// peek skips white space and returns the next byte, 0 at the end.
func (p *Parser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and then token, if that is what comes next.
func (p *Parser) take(token string) bool {
	p.peek()
	end := p.at + len(token)
	if end > len(p.text) || string(p.text[p.at:end]) != token {
		return false
	}
	p.at = end
	return true
}

// identifier skips white space and returns the letters, digits and underscores
// that follow, perhaps none.
func (p *Parser) identifier() []byte {
	p.peek()
	start := p.at
	for p.at < len(p.text) && isWord(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (p *Parser) expected(what string) error {
	near := p.text[p.at:]
	if len(near) > nearMax {
		near = near[:nearMax]
	}
	return &SyntaxError{Offset: p.at, Expected: what, Near: string(near)}
}

// intern returns text as a string that is allocated once for all its occurrences.
func (p *Parser) intern(text []byte) string {
	if name, ok := p.names[string(text)]; ok {
		return name
	}
	name := string(text)
	if len(p.names) < namesMax {
		p.names[name] = name
	}
	return name
}

func (p *Parser) push(v Value) { p.stack = append(p.stack, v) }

// allocate returns n values of the slabs, to be overwritten in full.
func (p *Parser) allocate(n int) []Value {
	for p.slab < len(p.slabs) && p.used+n > len(p.slabs[p.slab]) {
		p.slab, p.used = p.slab+1, 0
	}
	if p.slab == len(p.slabs) {
		size := min(slabLenMin<<min(len(p.slabs), 16), slabLenMax)
		p.slabs = append(p.slabs, make([]Value, max(size, n)))
	}
	values := p.slabs[p.slab][p.used : p.used+n : p.used+n]
	p.used += n
	return values
}

// popList takes the values above base off the stack.
func (p *Parser) popList(base int) []Value {
	values := p.allocate(len(p.stack) - base)
	copy(values, p.stack[base:])
	p.stack = p.stack[:base]
	return values
}

// popPairs takes the keys and results above base off the stack, as a function.
func (p *Parser) popPairs(base int) Value {
	pairs := p.stack[base:]
	count := len(pairs) / 2
	memory := p.allocate(2 * count)
	keys, vals := memory[:count:count], memory[count:]
	for i := range count {
		keys[i], vals[i] = pairs[2*i], pairs[2*i+1]
	}
	p.stack = p.stack[:base]
	return Value{kind: KindFunction, keys: keys, vals: vals}
}
