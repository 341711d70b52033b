package export_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

var (
	participantLine = regexp.MustCompile(`^  participant (\w+)( as \S[^;]*)?$`)
	arrowLine       = regexp.MustCompile(`^  (\w+)->>(\w+): (\S.*)$`)
	noteLine        = regexp.MustCompile(`^  Note over (\w+): (\S.*)$`)
	entity          = regexp.MustCompile(`#\w+;`)
)

// mermaidFault holds a diagram against the grammar of Mermaid's sequence diagrams, as far as
// it is used: participants come first, arrows and notes name them, and no text has a sign
// that would end it or be read as another one.
func mermaidFault(diagram string) error {
	body, ok := strings.CutPrefix(diagram, "sequenceDiagram\n")
	if !ok || !strings.HasSuffix(diagram, "\n") {
		return fmt.Errorf("no sequenceDiagram or no end of line")
	}
	if body == "" {
		return nil
	}
	known := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		var names []string
		text := ""
		if m := participantLine.FindStringSubmatch(line); m != nil {
			known[m[1]] = true
			text = m[2]
		} else if m := arrowLine.FindStringSubmatch(line); m != nil {
			names, text = m[1:3], m[3]
		} else if m := noteLine.FindStringSubmatch(line); m != nil {
			names, text = m[1:2], m[2]
		} else {
			return fmt.Errorf("line %d is nothing: %s", i+2, line)
		}
		for _, name := range names {
			if !known[name] {
				return fmt.Errorf("line %d names %s, which is no participant", i+2, name)
			}
		}
		if strings.ContainsAny(entity.ReplaceAllString(text, ""), ";#<>") {
			return fmt.Errorf("line %d has a sign of Mermaid's: %s", i+2, line)
		}
	}
	return nil
}

func TestDiagramsFollowTheGrammar(t *testing.T) {
	t.Parallel()
	for name, trace := range samples(t) {
		var out bytes.Buffer
		require.NoError(t, export.WriteMermaid(&out, trace, traces.Everything()))
		require.NoError(t, mermaidFault(out.String()), name)
		assert.Equal(t, len(trace.Events), strings.Count(out.String(), "Note over"))
		assert.Equal(t, len(export.Messages(trace)), strings.Count(out.String(), "->>"))
		out.Reset()
		require.NoError(t, export.WriteMermaid(&out, trace, traces.Filter{Replica: 1}))
		require.NoError(t, mermaidFault(out.String()), name)
		assert.NotContains(t, out.String(), "Note over g0r0")
	}
	for _, bad := range []string{
		"flowchart\n", "sequenceDiagram\n  a->>b: x\n", "sequenceDiagram\n  what\n",
		"sequenceDiagram\n  participant a\n  Note over a: x; y\n",
	} {
		assert.Error(t, mermaidFault(bad), bad)
	}
}
