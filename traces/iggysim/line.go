package iggysim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// target marks the lines that are events.
const target = "iggy.sim: "

// escape is what colours text on a terminal.
var escape = regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]")

// clean drops colours, and what is not UTF-8 becomes a replacement character.
func clean(line string) string {
	if strings.IndexByte(line, '\x1b') >= 0 {
		line = escape.ReplaceAllString(line, "")
	}
	return strings.ToValidUTF8(strings.TrimRight(line, "\r"), "\uFFFD")
}

// split cuts a line into its time, empty if it does not begin with one, and the fields of an
// event, or reports that it is none.
func split(line string) (time, fields string, event bool) {
	if word, _, found := strings.Cut(line, " "); found && isTime(word) {
		time = word
	}
	for from := 0; ; {
		at := strings.Index(line[from:], target)
		if at < 0 {
			return time, "", false
		}
		at += from
		if at == 0 || line[at-1] == ' ' {
			return time, line[at+len(target):], true
		}
		from = at + len(target)
	}
}

// isTime reports whether a word looks like 2026-12-01T22:13:11.148753Z. Times of this form
// sort as text.
func isTime(word string) bool {
	const shortest = len("2026-12-01T22:13:11Z")
	return len(word) >= shortest && word[4] == '-' && word[7] == '-' && word[10] == 'T' &&
		word[13] == ':' && word[len(word)-1] == 'Z'
}

// fieldsOf reads key=value pairs. Quoted values are unquoted; a bare one may hold spaces, up to
// the next key. The first of two equal keys counts. Words before the first key are dropped.
func fieldsOf(text string) map[string]string {
	fields := make(map[string]string, 24)
	last := ""
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		word, rest, _ := strings.Cut(text, " ")
		key, value, found := strings.Cut(word, "=")
		switch {
		case !found || !isKey(key):
			if last != "" {
				fields[last] += " " + word
			}
			text = rest
			continue
		case strings.HasPrefix(value, `"`):
			value, rest = unquote(text[len(key)+1:])
			last = "" // Words behind a quoted text are the message.
		default:
			last = key
		}
		if _, twice := fields[key]; twice {
			last = ""
		} else {
			fields[key] = value
		}
		text = rest
	}
	return fields
}

func isKey(word string) bool {
	for i := range len(word) {
		c := word[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return word != ""
}

// unquote reads a quoted text, up to its end or that of the line, and returns what follows.
func unquote(text string) (value, rest string) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i]) // \" and \\; the names of operations hold no others.
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// record is the fields of one line and which of them its event leaves open.
type record struct {
	fields map[string]string
	open   []string
}

// leave leaves a field open.
func (r *record) leave(field string) { r.open = append(r.open, field) }

// text returns a text, and leaves field open if the line has no such key.
func (r *record) text(key, field string) string {
	value, found := r.fields[key]
	if !found {
		r.leave(field)
	}
	return value
}

// oneOf returns a text that is one of a few, and leaves field open if it is another.
func (r *record) oneOf(key, field string, values ...string) string {
	value := r.fields[key]
	if !slices.Contains(values, value) {
		r.leave(field)
		return ""
	}
	return value
}

// number returns a number of at most so many bits, and leaves field open if the line says none.
func (r *record) number(key, field string, bits int) uint64 {
	n, err := strconv.ParseUint(r.fields[key], 10, bits)
	if err != nil {
		r.leave(field)
		return 0
	}
	return n
}

// checksum returns a number of 128 bits as text, and leaves field open if the line says none.
func (r *record) checksum(key, field string) string {
	const digitsMax = 39
	value := r.fields[key]
	if value == "" || len(value) > digitsMax || strings.Trim(value, "0123456789") != "" {
		r.leave(field)
		return ""
	}
	return value
}
