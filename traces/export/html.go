package export

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

// pageData is what the page's script reads. Tuples keep it small.
type pageData struct {
	Replicas  int      `json:"replicas"`
	Groups    []string `json:"groups"`
	RefusedAt int      `json:"refused_at"`
	Fields    []string `json:"fields"`
	// Events are [group, replica, action, stutter, arguments, state...]: group is an index of
	// Groups, the state has a text for each of Fields.
	Events [][]any `json:"events"`
	// Messages are [from, to, sent, received, text]; from is -1 for a client.
	Messages [][]any `json:"messages"`
}

// WriteHTML writes a trace as one page that needs nothing else, no network either: a lane for
// each replica, steps coloured by their view, messages as arrows, the states of all replicas
// at the step that is clicked, search. A link to the page with #N selects step N. It draws
// only what is in sight, so that ten thousand events are no trouble.
//
// Errors are w's.
func WriteHTML(w io.Writer, t *traces.Trace) error {
	data := pageData{
		Replicas: t.Header.Replicas, Groups: groupsOf(t), RefusedAt: t.Header.RefusedAt,
		Events: [][]any{}, Messages: [][]any{},
	}
	for _, field := range traces.StateFields(traces.ReplicaState{}) {
		data.Fields = append(data.Fields, field.Name)
	}
	number := map[string]int{}
	for i, group := range data.Groups {
		number[group] = i
	}
	for _, e := range t.Events {
		var args []string
		for _, field := range traces.ArgFields(e.Args) {
			args = append(args, field.Name+"="+field.Value)
		}
		event := []any{number[e.Group], e.Replica, e.Action, e.Stutter, strings.Join(args, " ")}
		for _, field := range traces.StateFields(e.After) {
			event = append(event, field.Value)
		}
		data.Events = append(data.Events, event)
	}
	for _, m := range Messages(t) {
		data.Messages = append(data.Messages, []any{m.From, m.To, m.Sent, m.Received, m.Text})
	}
	text, err := json.Marshal(data) // It escapes <, so no text of a trace ends the script.
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	title, about := pageTitle(t)
	page := strings.NewReplacer(
		"{{title}}", html.EscapeString(title), "{{about}}", html.EscapeString(about),
		"/*css*/", pageCSS, "/*js*/", pageJS, "{{data}}", string(text),
	).Replace(pageHTML)
	if _, err := io.Copy(w, bytes.NewBufferString(page)); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// pageTitle is the heading of the page and the line under it.
func pageTitle(t *traces.Trace) (title, about string) {
	h := t.Header
	title = "Trace"
	if t.Path != "" {
		title = t.Path[strings.LastIndexAny(t.Path, `/\`)+1:]
	}
	about = fmt.Sprintf("%d events of %d replicas, source %s, seed %d", len(t.Events), h.Replicas,
		h.Source, h.Seed)
	if h.Mutant != "" {
		about += ", counterexample of mutant " + h.Mutant
	}
	if h.Violates != "" {
		about += ", violates " + h.Violates
	}
	return title, about
}
