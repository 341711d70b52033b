package tlc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// transcript writes down what a listener hears.
type transcript []string

func (t *transcript) onMessage(m message) {
	*t = append(*t, fmt.Sprintf("%d:%d %q", m.code, m.severity, m.text))
}

func (t *transcript) onLine(line string) { *t = append(*t, fmt.Sprintf("line %q", line)) }

func TestReadMessages(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		output string
		want   transcript
	}{
		"no output": {},
		"a message": {
			output: "@!@!@STARTMSG 2110:1 @!@!@\nInvariant A is violated.\n@!@!@ENDMSG 2110 @!@!@\n",
			want:   transcript{`2110:1 "Invariant A is violated."`},
		},
		"an empty message": {
			output: "@!@!@STARTMSG 3002:1 @!@!@\n@!@!@ENDMSG 3002 @!@!@\n",
			want:   transcript{`3002:1 ""`},
		},
		"a message of several lines, blank ones inside kept": {
			output: "@!@!@STARTMSG 1:0 @!@!@\na\n\nb\n\n@!@!@ENDMSG 1 @!@!@\n",
			want:   transcript{`1:0 "a\n\nb"`},
		},
		"a message inside another belongs to its text": {
			output: "@!@!@STARTMSG 1000:1 @!@!@\nouter\n: @!@!@STARTMSG 5006:0 @!@!@\ninner\n" +
				"@!@!@ENDMSG 5006 @!@!@\nrest\n@!@!@ENDMSG 1000 @!@!@\n",
			want: transcript{`1000:1 "outer\n: inner\nrest"`},
		},
		"lines outside of messages": {
			output: "before\n@!@!@STARTMSG 1:0 @!@!@\nx\n@!@!@ENDMSG 1 @!@!@\n<<\"at\", 1>>\n\nafter",
			want: transcript{
				`line "before"`, `1:0 "x"`, `line "<<\"at\", 1>>"`, `line ""`, `line "after"`,
			},
		},
		"line breaks of another system": {
			output: "@!@!@STARTMSG 1:0 @!@!@\r\nx\r\n@!@!@ENDMSG 1 @!@!@\r\n",
			want:   transcript{`1:0 "x"`},
		},
		"a message that breaks off is no message": {
			output: "@!@!@STARTMSG 2193:0 @!@!@\nModel checking completed.\n",
		},
		"a marker without numbers is text": {
			output: "@!@!@STARTMSG none @!@!@\n@!@!@STARTMSG 1:x @!@!@\n@!@!@STARTMSG 1:0\n",
			want: transcript{
				`line "@!@!@STARTMSG none @!@!@"`, `line "@!@!@STARTMSG 1:x @!@!@"`,
				`line "@!@!@STARTMSG 1:0"`,
			},
		},
		"an end without a beginning is text": {
			output: "@!@!@ENDMSG 1 @!@!@\n",
			want:   transcript{`line "@!@!@ENDMSG 1 @!@!@"`},
		},
		"a line longer than any buffer": {
			output: strings.Repeat("x", 1<<20) + "\n",
			want:   transcript{`line "` + strings.Repeat("x", 1<<20) + `"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got transcript
			readMessages(strings.NewReader(tc.output), &got)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	var short tail
	fmt.Fprint(&short, "a\nb\n")
	assert.Equal(t, "a\nb\n", short.text())

	var long tail
	for i := range 100_000 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	assert.LessOrEqual(t, len(long.text()), outputTailMax)
	assert.Greater(t, len(long.text()), outputTailMax-20)
	assert.True(t, strings.HasPrefix(long.text(), "line "), "the first line is whole")
	assert.True(t, strings.HasSuffix(long.text(), "line 99999\n"))
}
