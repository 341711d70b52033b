package spec

import (
	"fmt"
	"strconv"
	"strings"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota + 1
	tokenWord
	tokenNumber
	tokenString
	tokenMark
)

type token struct {
	kind tokenKind
	text string
	line int
}

// String is the token as an error names it.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the file"
	case tokenString:
		return "the string " + strconv.Quote(t.text)
	case tokenWord, tokenNumber, tokenMark:
		return strconv.Quote(t.text)
	}
	return "nothing"
}

// scanConfig splits a cfg file into tokens; the last one is tokenEnd.
func scanConfig(file, text string) ([]token, error) {
	var tokens []token
	line := 1
	for rest := text; ; {
		rest = skipConfigSpace(rest, &line)
		if rest == "" {
			return append(tokens, token{kind: tokenEnd, line: line}), nil
		}
		t := token{line: line}
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "(*"):
			end := strings.Index(rest, "*)")
			if end < 0 {
				return nil, fmt.Errorf("%s:%d: comment without end, expected *)", file, line)
			}
			line += strings.Count(rest[:end], "\n")
			rest = rest[end+2:]
			continue
		case c == '"':
			end := strings.IndexAny(rest[1:], "\"\n\\")
			if end < 0 || rest[1+end] != '"' {
				return nil, fmt.Errorf("%s:%d: string without end or with an escape, "+
					"expected \" on the same line", file, line)
			}
			t.kind, t.text = tokenString, rest[1:1+end]
			rest = rest[end+2:]
		case strings.ContainsRune("={},", rune(c)):
			t.kind, t.text = tokenMark, rest[:1]
			rest = rest[1:]
		case strings.HasPrefix(rest, "<-"):
			return nil, fmt.Errorf("%s:%d: found <-, expected = and a value", file, line)
		default:
			word := rest[:len(rest)-len(strings.TrimLeft(rest, wordCharacters))]
			if word == "" {
				return nil, fmt.Errorf("%s:%d: found %q, expected a name, a value or a comment",
					file, line, []rune(rest)[0])
			}
			t.kind, t.text = tokenWord, word
			if strings.Trim(word, "0123456789") == "" {
				t.kind = tokenNumber
			}
			rest = rest[len(word):]
		}
		tokens = append(tokens, t)
	}
}

const wordCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// skipConfigSpace drops white space and line comments, and counts the lines.
func skipConfigSpace(rest string, line *int) string {
	for {
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		*line += strings.Count(rest[:len(rest)-len(trimmed)], "\n")
		if !strings.HasPrefix(trimmed, `\*`) {
			return trimmed
		}
		end := strings.IndexByte(trimmed, '\n')
		if end < 0 {
			return ""
		}
		rest = trimmed[end:]
	}
}
