package linearizability

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// names is what a space of names holds, decoded from its text: those that exist, in order, and the
// ids given so far. A search takes each step from a text to a text, often enough that it shows.
type names struct {
	of    []named
	given ids
}

// named is a name that exists: its id, or if that is unknown (null) the ids that it is not.
type named struct {
	name string
	id   Number
	not  []int64
}

// ids are numbers in order, each with a space behind it: they are many, and most steps ask for none
// of them.
type ids string

// givenPrefix begins the line of the ids given so far, the last one of a text.
const givenPrefix = "given = "

func decodeNames(text string) names {
	var n names
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if given, is := strings.CutPrefix(line, givenPrefix); is {
			n.given = ids(given)
			continue
		}
		end := strings.LastIndex(line, " = ")
		one := named{name: unquote(line[:end])}
		if not, unknown := strings.CutPrefix(line[end+len(" = "):], "?"); unknown {
			for id := range strings.FieldsSeq(not) {
				one.not = append(one.not, idOf(id))
			}
		} else {
			one.id = Int(idOf(line[end+len(" = "):]))
		}
		n.of = append(n.of, one)
	}
	return n
}

// unquote reads a name that encode has quoted.
func unquote(quoted string) string {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		panic("a state of names holds " + quoted)
	}
	return name
}

// idOf reads an id that encode has written.
func idOf(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("a state of names holds the id " + text)
	}
	return id
}

func (n names) encode() Value {
	var b strings.Builder
	b.Grow(len(givenPrefix) + len(n.given) + 64*len(n.of))
	var buffer [64]byte
	for i := range n.of {
		one := &n.of[i]
		b.Write(strconv.AppendQuote(buffer[:0], one.name))
		b.WriteString(" = ")
		if one.id.Present {
			b.Write(strconv.AppendInt(buffer[:0], one.id.Value, 10))
		} else {
			b.WriteByte('?')
			for _, not := range one.not {
				b.WriteByte(' ')
				b.Write(strconv.AppendInt(buffer[:0], not, 10))
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(givenPrefix)
	b.WriteString(string(n.given))
	return Text(b.String())
}

// find returns where a name is, or would be.
func (n names) find(name string) (at int, exists bool) {
	return slices.BinarySearchFunc(n.of, name, func(one named, name string) int {
		return cmp.Compare(one.name, name)
	})
}

// is says whether the name exists and can have the id, and gives it to a name without.
func (n *names) is(name string, id Number) bool {
	at, exists := n.find(name)
	if !exists || n.of[at].id.Present {
		return exists && n.of[at].id == id
	}
	return n.bind(at, id.Value)
}

// bind gives an id to a name whose id is unknown.
func (n *names) bind(at int, id int64) bool {
	one := &n.of[at]
	if slices.Contains(one.not, id) || !n.given.add(id) {
		return false
	}
	one.id, one.not = Int(id), nil
	return true
}

// isNobody says whether no name has the id, and notes it where the id is unknown.
func (n *names) isNobody(id Number) bool {
	given := n.given.has(id.Value)
	for i := range n.of {
		one := &n.of[i]
		if one.id == id {
			return false
		}
		if !one.id.Present && !given {
			if at, found := slices.BinarySearch(one.not, id.Value); !found {
				one.not = slices.Insert(one.not, at, id.Value)
			}
		}
	}
	return true
}

// has says whether an id is among them.
func (s ids) has(id int64) bool {
	var buffer [24]byte
	text := append(strconv.AppendInt(append(buffer[:0], ' '), id, 10), ' ')
	return strings.HasPrefix(string(s), string(text[1:])) || strings.Contains(string(s), string(text))
}

// add puts in an id that is not there; false if it is.
func (s *ids) add(id int64) bool {
	if s.has(id) {
		return false
	}
	behind := len(*s) // of the first that is larger: most are larger than all
	for behind > 0 {
		before := strings.LastIndexByte(string((*s)[:behind-1]), ' ') + 1
		if idOf(string((*s)[before:behind-1])) < id {
			break
		}
		behind = before
	}
	*s = (*s)[:behind] + ids(strconv.FormatInt(id, 10)) + " " + (*s)[behind:]
	return true
}
