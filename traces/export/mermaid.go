package export

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// longHex is an identity in hex of which the beginning is enough for a picture.
var longHex = regexp.MustCompile(`\b([0-9a-f]{8})[0-9a-f]{8,}\b`)

// WriteMermaid writes the events that a filter keeps as a sequence diagram in the language of
// Mermaid: an arrow for each message that such an event received, and else a note beside its
// replica, with what the step changed. Both begin with the number of the step.
//
// Errors are w's.
func WriteMermaid(w io.Writer, t *traces.Trace, filter traces.Filter) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "sequenceDiagram\n")
	messages := map[int][]Message{}
	clients := false
	for _, m := range Messages(t) {
		messages[m.Received] = append(messages[m.Received], m)
		clients = clients || m.From == Client
	}
	if clients {
		fmt.Fprint(out, "  participant client\n")
	}
	participants := map[place]string{}
	hosts := hostNames(t)
	for g, group := range groupsOf(t) {
		for r := range t.Header.Replicas {
			at := place{group, r}
			participants[at] = fmt.Sprintf("g%dr%d", g, r)
			fmt.Fprintf(out, "  participant %s as %s\n", participants[at], mermaidText(hosts(at)))
		}
	}
	traces.EachChange(t, filter, func(e traces.Event, change string) {
		to := participants[place{e.Group, e.Replica}]
		for _, m := range messages[e.Step] {
			from := "client"
			if m.From != Client {
				from = participants[place{e.Group, m.From}]
			}
			fmt.Fprintf(out, "  %s->>%s: %d. %s\n", from, to, e.Step, mermaidText(m.Text))
		}
		text := e.Action
		if change != "no change" {
			text += ": " + longHex.ReplaceAllString(change, "$1...")
		}
		fmt.Fprintf(out, "  Note over %s: %d. %s\n", to, e.Step, mermaidText(text))
	})
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write sequence diagram: %w", err)
	}
	return nil
}

// mermaidText keeps a text from being read as Mermaid's own signs.
func mermaidText(text string) string {
	return strings.NewReplacer(";", "#59;", "#", "#35;", "<", "#lt;", ">", "#gt;",
		":", "#58;").Replace(strings.Join(strings.Fields(text), " "))
}
