package tlc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSANYsFirstErrorInOneLine(t *testing.T) {
	t.Parallel()
	const aborted = "\nFatal errors while parsing TLA+ spec in file M.tla\n\n" +
		"tla2sany.semantic.AbortException\n*** Abort messages: 1\n\n"
	for name, tc := range map[string]struct{ said, want string }{
		"no error": {said: "Parsing file M.tla\nSemantic processing of module M\n"},
		"a parse error": {
			said: "***Parse Error***\nWas expecting \"==== or more Module body\"\n" +
				"Encountered \"<EOF>\" at line 4, column 17 and token \"0\" \n\n" +
				"Residual stack trace follows:\nModule definition starting at line 1, column 1.\n\n" +
				aborted + "In module NoEnd\n\nCould not parse module NoEnd from file NoEnd.tla\n",
			want: `NoEnd.tla:4: parse error: Was expecting "==== or more Module body" ` +
				`Encountered "<EOF>" at line 4, column 17 and token "0"`,
		},
		"a lexical error": {
			said: "Lexical error at line 4, column 17.  Encountered: \"\\n\" (10), after : \"\\\"abc\"\n" +
				aborted + "In module Lex\n\nCould not parse module Lex from file Lex.tla\n",
			want: `Lex.tla:4: Lexical error at line 4, column 17.  Encountered: "\n" (10), after : "\"abc"`,
		},
		"one semantic error": {
			said: "Semantic errors:\n\n*** Errors: 1\n\nline 5, col 18 to line 5, col 20 of module U\n\n" +
				"Unknown operator: `foo'.\n\n\n",
			want: "U.tla:5: Unknown operator: `foo'.",
		},
		"several semantic errors over several lines": {
			said: "*** Errors: 2\n\nline 6, col 14 to line 6, col 16 of module Lev\n\n" +
				"Level error in applying operator ':\nThe level of argument 1 exceeds the maximum.\n\n\n" +
				"line 7, col 1 to line 7, col 12 of module Lev\n\nLevel error: assumptions.\n",
			want: "Lev.tla:6: Level error in applying operator ': " +
				"The level of argument 1 exceeds the maximum. (the first of 2 errors)",
		},
		"a missing module": {
			said: aborted + "Unknown location\n\n" +
				"Cannot find source file for module Missing imported in module X.\n",
			want: "Cannot find source file for module Missing imported in module X.",
		},
		"warnings are no errors": {
			said: "Semantic processing of module M\n*** Warnings: 1\n\n" +
				"line 5, col 1 to line 5, col 13 of module M\n\nMultiple declarations.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, failed := sanyFailure(strings.Split(tc.said, "\n"))
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.want != "", failed)
		})
	}
}
