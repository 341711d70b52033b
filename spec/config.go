package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Config is what a cfg file says: which behaviours of a module to check, at which
// bounds, for what.
type Config struct {
	// Specification is the formula of the behaviours, "Spec".
	Specification string
	// Constants are the values of the module's constants, in the file's order.
	Constants Constants
	// Invariants and Properties are the definitions to check, in the file's order.
	Invariants []string
	Properties []string
	// CheckDeadlock says whether a state without successor is an error. It is TRUE
	// for TLC where the file is silent.
	CheckDeadlock bool
}

// Checked returns all that the cfg checks: its invariants, then its properties.
func (c Config) Checked() []string {
	return slices.Concat(c.Invariants, c.Properties)
}

// Constant is one constant of a cfg.
type Constant struct {
	Name string
	// Value is an int, a bool, a string, or a []string: a set of strings, sorted.
	Value any
}

// Constants are the constants of a cfg. The accessors return an error that names
// the constant and what was found if it is missing or has another type.
type Constants []Constant

// Int returns the value of a constant that is a natural number.
func (c Constants) Int(name string) (int, error) {
	return constant[int](c, name, "a number")
}

// Bool returns the value of a constant that is TRUE or FALSE.
func (c Constants) Bool(name string) (bool, error) {
	return constant[bool](c, name, "TRUE or FALSE")
}

// Text returns the value of a constant that is a string.
func (c Constants) Text(name string) (string, error) {
	return constant[string](c, name, "a string")
}

// Set returns the elements, sorted, of a constant that is a set of strings.
func (c Constants) Set(name string) ([]string, error) {
	set, err := constant[[]string](c, name, "a set of strings")
	return slices.Clone(set), err
}

func constant[T any](constants Constants, name, expected string) (T, error) {
	var none T
	for _, c := range constants {
		if c.Name != name {
			continue
		}
		value, ok := c.Value.(T)
		if !ok {
			return none, fmt.Errorf("constant %s is %s, expected %s", name, show(c.Value), expected)
		}
		return value, nil
	}
	return none, fmt.Errorf("constant %s is missing, expected %s", name, expected)
}

// With returns the constants with the value of name replaced. The receiver stays.
// A name that is not among them is an error.
func (c Constants) With(name string, value any) (Constants, error) {
	for i := range c {
		if c[i].Name == name {
			changed := slices.Clone(c)
			changed[i].Value = value
			return changed, nil
		}
	}
	return nil, fmt.Errorf("constant %s is missing, expected it among the constants", name)
}

// MarshalJSON writes one object, in the order of the constants; a set is an array.
func (c Constants) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	for i, constant := range c {
		if i > 0 {
			text.WriteByte(',')
		}
		value, err := json.Marshal(constant.Value)
		if err != nil {
			return nil, fmt.Errorf("constant %s: %w", constant.Name, err)
		}
		fmt.Fprintf(&text, "%q:%s", constant.Name, value)
	}
	return fmt.Appendf(nil, "{%s}", text.Bytes()), nil
}

// show is a value in the syntax of a cfg file.
func show(value any) string {
	switch value := value.(type) {
	case bool:
		return map[bool]string{true: "TRUE", false: "FALSE"}[value]
	case string:
		return strconv.Quote(value)
	case []string:
		var text bytes.Buffer
		for i, element := range value {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString(strconv.Quote(element))
		}
		return "{" + text.String() + "}"
	default:
		return fmt.Sprint(value)
	}
}

// String is the CONSTANTS section in the syntax of a cfg file; empty if there are
// none.
func (c Constants) String() string {
	if len(c) == 0 {
		return ""
	}
	var text bytes.Buffer
	text.WriteString("CONSTANTS\n")
	for _, constant := range c {
		fmt.Fprintf(&text, "  %s = %s\n", constant.Name, show(constant.Value))
	}
	return text.String()
}

// String is the cfg in the syntax of its file, without comments: what a run with
// changed constants hands to TLC.
func (c Config) String() string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "SPECIFICATION %s\n", c.Specification)
	text.WriteString(c.Constants.String())
	for _, section := range []struct {
		keyword string
		names   []string
	}{{"INVARIANTS", c.Invariants}, {"PROPERTIES", c.Properties}} {
		if len(section.names) > 0 {
			text.WriteString(section.keyword)
		}
		for _, name := range section.names {
			text.WriteString(" " + name)
		}
		if len(section.names) > 0 {
			text.WriteByte('\n')
		}
	}
	fmt.Fprintf(&text, "CHECK_DEADLOCK %s\n", show(c.CheckDeadlock))
	return text.String()
}
