package spec

import (
	"fmt"
	"slices"
	"strconv"
)

// ParseConfig reads the text of a cfg file. The name of the file goes into errors.
//
// It takes the part of TLC's grammar that this project uses and refuses the rest by
// name: SPECIFICATION, CONSTANTS with numbers, TRUE, FALSE, strings and sets of
// strings, INVARIANTS, PROPERTIES, CHECK_DEADLOCK, and comments. Constraints, views
// and symmetry are refused because they cut or fold the state graph: bounds are
// guards in actions, so that graphs and liveness stay exact.
//
// Errors are one line: file, line, what stands there and what was expected.
func ParseConfig(name, text string) (Config, error) {
	tokens, err := scanConfig(name, text)
	if err != nil {
		return Config{}, err
	}
	p := &configParser{file: name, tokens: tokens, config: Config{CheckDeadlock: true}}
	for p.peek().kind != tokenEnd {
		if err := p.section(); err != nil {
			return Config{}, err
		}
	}
	if p.config.Specification == "" {
		return Config{}, p.errorf(p.peek(), "no SPECIFICATION, expected one")
	}
	return p.config, nil
}

type configParser struct {
	file   string
	tokens []token
	at     int
	config Config
}

func (p *configParser) peek() token { return p.tokens[p.at] }

func (p *configParser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

func (p *configParser) errorf(t token, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, t.line, fmt.Sprintf(format, args...))
}

// isKeyword reports whether a word opens a section in TLC's grammar.
func isKeyword(word string) bool {
	return slices.Contains([]string{
		"SPECIFICATION", "CONSTANT", "CONSTANTS", "INVARIANT", "INVARIANTS",
		"PROPERTY", "PROPERTIES", "CHECK_DEADLOCK",
	}, word) || refusedKeyword(word)
}

func refusedKeyword(word string) bool {
	return slices.Contains([]string{
		"INIT", "NEXT", "CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS",
		"SYMMETRY", "VIEW", "ALIAS", "POSTCONDITION", "TYPE", "TYPE_CONSTRAINT",
	}, word)
}

func (p *configParser) section() error {
	keyword := p.next()
	switch {
	case keyword.kind != tokenWord:
		return p.errorf(keyword, "found %s, expected a keyword such as INVARIANTS", keyword)
	case refusedKeyword(keyword.text):
		return p.errorf(keyword, "%s is not supported, expected SPECIFICATION, CONSTANTS, "+
			"INVARIANTS, PROPERTIES or CHECK_DEADLOCK", keyword.text)
	}
	switch keyword.text {
	case "SPECIFICATION":
		if p.config.Specification != "" {
			return p.errorf(keyword, "second SPECIFICATION, expected one")
		}
		name := p.next()
		if name.kind != tokenWord || isKeyword(name.text) {
			return p.errorf(name, "found %s after SPECIFICATION, expected a name", name)
		}
		p.config.Specification = name.text
		return nil
	case "CONSTANT", "CONSTANTS":
		return p.constants(keyword)
	case "INVARIANT", "INVARIANTS":
		names, err := p.names(keyword, p.config.Checked())
		p.config.Invariants = append(p.config.Invariants, names...)
		return err
	case "PROPERTY", "PROPERTIES":
		names, err := p.names(keyword, p.config.Checked())
		p.config.Properties = append(p.config.Properties, names...)
		return err
	case "CHECK_DEADLOCK":
		value := p.next()
		if value.kind != tokenWord || value.text != "TRUE" && value.text != "FALSE" {
			return p.errorf(value, "found %s, expected TRUE or FALSE", value)
		}
		p.config.CheckDeadlock = value.text == "TRUE"
		return nil
	}
	return p.errorf(keyword, "found %s, expected a keyword such as INVARIANTS", keyword)
}

// names reads the names of a section, at least one, none of them twice or in taken.
func (p *configParser) names(keyword token, taken []string) ([]string, error) {
	var names []string
	for p.peek().kind == tokenWord && !isKeyword(p.peek().text) {
		t := p.next()
		if slices.Contains(names, t.text) || slices.Contains(taken, t.text) {
			return nil, p.errorf(t, "%s is listed twice, expected it once", t.text)
		}
		names = append(names, t.text)
	}
	if len(names) == 0 {
		return nil, p.errorf(p.peek(), "found %s after %s, expected a name", p.peek(), keyword.text)
	}
	return names, nil
}

func (p *configParser) constants(keyword token) error {
	for read := 0; ; read++ {
		name := p.peek()
		if name.kind != tokenWord || isKeyword(name.text) {
			if read == 0 {
				return p.errorf(name, "found %s after %s, expected a constant's name",
					name, keyword.text)
			}
			return nil
		}
		p.next()
		for _, c := range p.config.Constants {
			if c.Name == name.text {
				return p.errorf(name, "constant %s is given twice, expected it once", name.text)
			}
		}
		if equals := p.next(); equals.text != "=" {
			return p.errorf(equals, "found %s after constant %s, expected =", equals, name.text)
		}
		value, err := p.value(name.text)
		if err != nil {
			return err
		}
		p.config.Constants = append(p.config.Constants, Constant{Name: name.text, Value: value})
	}
}

func (p *configParser) value(constant string) (any, error) {
	t := p.next()
	switch {
	case t.kind == tokenString:
		return t.text, nil
	case t.kind == tokenNumber:
		number, err := strconv.Atoi(t.text)
		if err != nil {
			return nil, p.errorf(t, "constant %s is %s, expected a number of at most 18 digits",
				constant, t.text)
		}
		return number, nil
	case t.kind == tokenWord && (t.text == "TRUE" || t.text == "FALSE"):
		return t.text == "TRUE", nil
	case t.kind == tokenMark && t.text == "{":
		return p.set(constant)
	}
	return nil, p.errorf(t, "constant %s is %s, expected a number, TRUE, FALSE, a string "+
		"or a set of strings", constant, t)
}

// set reads the rest of a set of strings, after its brace.
func (p *configParser) set(constant string) ([]string, error) {
	elements := []string{}
	for {
		t := p.next()
		switch {
		case t.text == "}" && t.kind == tokenMark && len(elements) == 0:
			return elements, nil
		case t.kind != tokenString:
			return nil, p.errorf(t, "found %s in the set %s, expected a string", t, constant)
		case slices.Contains(elements, t.text):
			return nil, p.errorf(t, "%q is in the set %s twice, expected it once", t.text, constant)
		}
		elements = append(elements, t.text)
		switch end := p.next(); {
		case end.kind == tokenMark && end.text == "}":
			slices.Sort(elements)
			return elements, nil
		case end.kind != tokenMark || end.text != ",":
			return nil, p.errorf(end, "found %s in the set %s, expected , or }", end, constant)
		}
	}
}
