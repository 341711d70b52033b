package tlaval

import "strconv"

// value reads the value that comes next.
func (p *Parser) value() (Value, error) {
	if p.depth == nestingMax {
		return Value{}, p.expected("at most " + strconv.Itoa(nestingMax) + " levels of nesting")
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.peek(); {
	case c == '"':
		return p.quoted()
	case c == '-' || isDigit(c):
		return p.number()
	case c == '<' && p.take("<<"):
		return p.sequence()
	case c == '{':
		p.at++
		return p.set()
	case c == '[':
		p.at++
		return p.record()
	case c == '(':
		p.at++
		return p.function()
	case isWord(c):
		return p.word(), nil
	}
	return Value{}, p.expected("a value")
}

// word reads TRUE, FALSE or the name of a model value.
func (p *Parser) word() Value {
	switch name := p.identifier(); string(name) {
	case "TRUE":
		return Value{kind: KindBool, num: 1}
	case "FALSE":
		return Value{kind: KindBool}
	default:
		return Value{kind: KindModel, text: p.intern(name)}
	}
}

// number reads an integer or an interval, which TLC prints unexpanded. A name may
// begin with digits as well; it is a model value then.
func (p *Parser) number() (Value, error) {
	start := p.at
	low, ok := p.integer()
	if !ok {
		return Value{}, p.expected("an integer of 64 bits")
	}
	if p.text[start] != '-' && p.at < len(p.text) && isWord(p.text[p.at]) {
		p.at = start
		return p.word(), nil
	}
	if !p.take("..") {
		return Value{kind: KindInt, num: low}, nil
	}
	p.peek()
	high, ok := p.integer()
	if !ok {
		return Value{}, p.expected("an integer of 64 bits after ..")
	}
	return p.interval(low, high, start)
}

// integer reads an optional minus and digits; where they are no integer of 64
// bits it reads nothing.
func (p *Parser) integer() (number int64, ok bool) {
	end := p.at
	if end < len(p.text) && p.text[end] == '-' {
		end++
	}
	for end < len(p.text) && isDigit(p.text[end]) {
		end++
	}
	number, err := strconv.ParseInt(string(p.text[p.at:end]), 10, 64)
	if err != nil {
		return 0, false
	}
	p.at = end
	return number, true
}

// interval returns the set low..high; start is where it stands in the text.
func (p *Parser) interval(low, high int64, start int) (Value, error) {
	if low > high {
		return Value{kind: KindSet}, nil
	}
	// Unsigned, because the distance of two integers may need all 64 bits.
	if distance := uint64(high) - uint64(low); distance >= uint64(intervalMax-p.expanded) {
		p.at = start
		return Value{}, p.expected(
			"intervals of at most " + strconv.Itoa(intervalMax) + " numbers in all")
	}
	count := int(high-low) + 1
	p.expanded += count
	values := p.allocate(count)
	for i := range values {
		values[i] = Value{kind: KindInt, num: low + int64(i)}
	}
	return Value{kind: KindSet, vals: values}, nil
}

// quoted reads a string with TLA+'s escapes.
func (p *Parser) quoted() (Value, error) {
	p.at++ // The opening quote.
	start := p.at
	for p.at < len(p.text) && p.text[p.at] != '"' && p.text[p.at] != '\\' {
		p.at++
	}
	if p.at < len(p.text) && p.text[p.at] == '"' {
		p.at++
		return Value{kind: KindString, text: p.intern(p.text[start : p.at-1])}, nil
	}
	p.scratch = append(p.scratch[:0], p.text[start:p.at]...)
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c == '"' {
			p.at++
			return Value{kind: KindString, text: p.intern(p.scratch)}, nil
		}
		if c == '\\' {
			escaped, ok := p.escape()
			if !ok {
				return Value{}, p.expected(`one of \\ \" \n \t \r \f`)
			}
			c = escaped
			p.at++ // The backslash; the letter is skipped below.
		}
		p.scratch = append(p.scratch, c)
		p.at++
	}
	return Value{}, p.expected("a closing quote")
}

// escape returns the character that the escape at p.at stands for.
func (p *Parser) escape() (c byte, ok bool) {
	if p.at+1 >= len(p.text) {
		return 0, false
	}
	switch c := p.text[p.at+1]; c {
	case '"', '\\':
		return c, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	case 'f':
		return '\f', true
	}
	return 0, false
}

func (p *Parser) sequence() (Value, error) {
	values, err := p.list(">>")
	return Value{kind: KindFunction, vals: values}, err
}

func (p *Parser) set() (Value, error) {
	values, err := p.list("}")
	return Value{kind: KindSet, vals: values}, err
}

// list reads values separated by commas, and the closing token.
func (p *Parser) list(closing string) ([]Value, error) {
	if p.take(closing) {
		return nil, nil
	}
	base := len(p.stack)
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		p.push(v)
		if p.take(closing) {
			return p.popList(base), nil
		}
		if !p.take(",") {
			return nil, p.expected(`"," or "` + closing + `"`)
		}
	}
}

// record reads [name |-> value, ...]; the bracket is behind us.
func (p *Parser) record() (Value, error) {
	if p.take("]") {
		return Value{kind: KindFunction}, nil
	}
	base := len(p.stack)
	for {
		name := p.identifier()
		if len(name) == 0 {
			return Value{}, p.expected("a field's name")
		}
		p.push(Value{kind: KindString, text: p.intern(name)})
		if !p.take("|->") {
			return Value{}, p.expected(`"|->"`)
		}
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.push(v)
		if p.take("]") {
			return p.popPairs(base), nil
		}
		if !p.take(",") {
			return Value{}, p.expected(`"," or "]"`)
		}
	}
}

// function reads (key :> value @@ ...); the parenthesis is behind us.
func (p *Parser) function() (Value, error) {
	base := len(p.stack)
	for {
		key, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.push(key)
		if !p.take(":>") {
			return Value{}, p.expected(`":>"`)
		}
		v, err := p.value()
		if err != nil {
			return Value{}, err
		}
		p.push(v)
		if p.take(")") {
			return p.popPairs(base), nil
		}
		if !p.take("@@") {
			return Value{}, p.expected(`"@@" or ")"`)
		}
	}
}
