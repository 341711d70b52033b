package tlc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// config is a configuration file, taken apart at its keywords. Whether it makes
// sense is for TLC to say.
type config []section

type section struct {
	keyword string
	words   []string
	line    int // Of the keyword, from 1.
}

// configKeywords are all keywords of this TLC's configuration files.
var configKeywords = []string{
	"ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "ALIAS", "CHECK_DEADLOCK", "CONSTANT", "CONSTANTS",
	"CONSTRAINT", "CONSTRAINTS", "INIT", "INVARIANT", "INVARIANTS", "NEXT", "POSTCONDITION",
	"PROPERTIES", "PROPERTY", "SPECIFICATION", "SYMMETRY", "TYPE", "TYPE_CONSTRAINT", "VIEW",
}

// configWord matches a comment, a string, a name or one other character.
var configWord = regexp.MustCompile(`\\\*[^\n]*|(?s:\(\*.*?\*\))|"[^"\n]*"|[A-Za-z0-9_!]+|\S`)

func readConfig(text string) (c config) {
	for _, at := range configWord.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		switch {
		case strings.HasPrefix(word, `\*`), strings.HasPrefix(word, "(*"):
		case slices.Contains(configKeywords, word):
			c = append(c, section{keyword: word, line: 1 + strings.Count(text[:at[0]], "\n")})
		case len(c) > 0:
			c[len(c)-1].words = append(c[len(c)-1].words, word)
		}
	}
	return c
}

// properties returns the names of all properties in their order.
func (c config) properties() (names []string) {
	for _, s := range c {
		if s.keyword == "PROPERTY" || s.keyword == "PROPERTIES" {
			names = append(names, s.words...)
		}
	}
	return names
}

// hasBehavior reports whether the configuration names an initial predicate.
func (c config) hasBehavior() bool {
	return slices.ContainsFunc(c, func(s section) bool {
		return s.keyword == "INIT" || s.keyword == "SPECIFICATION"
	})
}

// onlyConstants refuses a configuration that says more than the constants.
func (c config) onlyConstants() error {
	for _, s := range c {
		if s.keyword != "CONSTANT" && s.keyword != "CONSTANTS" {
			return fmt.Errorf("configuration line %d has %s: expected CONSTANTS only",
				s.line, s.keyword)
		}
	}
	return nil
}
