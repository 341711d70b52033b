package check

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
	"github.com/viewstamp/viewstamp/spec"
)

// TLAModule is the name of the module that [TLAText] returns.
const TLAModule = "Counterexample"

// TLAText returns a counterexample of the Go model as a TLA+ module: Behaviour is the
// sequence of its steps, each a record of the action and the state, a record of all
// variables. The module can be read, or EXTENDed to evaluate expressions over it.
//
// Errors: the counterexample has no canonical states.
func TLAText(cfg spec.Cfg, bug string, c *Counterexample) (string, error) {
	var b strings.Builder
	title := "---- MODULE " + TLAModule + " ----"
	b.WriteString(title + "\n")
	fmt.Fprintf(&b, "\\* A behaviour of %s at cfg %s", cfg.Module, cfg.Name)
	if bug != "" {
		fmt.Fprintf(&b, " with mutant %s", bug)
	}
	fmt.Fprintf(&b, ".\n\\* %s does not hold in its last state: %s\n", c.Property,
		strings.Join(strings.Fields(c.Reason), " "))
	b.WriteString("EXTENDS Naturals, Sequences, TLC\n\nBehaviour == <<\n")
	for i, step := range c.Steps {
		state, err := tlaval.TLA(step.Canonical)
		if err != nil {
			return "", fmt.Errorf("write state %d as TLA+: %w", i+1, err)
		}
		separator := ","
		if i == len(c.Steps)-1 {
			separator = ""
		}
		fmt.Fprintf(&b, "  [action |-> %s,\n   state |-> %s]%s\n",
			quoteTLA(step.Label), state, separator)
	}
	b.WriteString(">>\n" + strings.Repeat("=", len(title)) + "\n")
	return b.String(), nil
}

func quoteTLA(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Mermaid returns a counterexample as a sequence diagram: a message where an action
// takes one from another replica, else a note beside whoever acts.
func Mermaid(cfg spec.Cfg, bug string, c *Counterexample) (string, error) {
	comments, err := spec.ActionComments(cfg.Module)
	if err != nil {
		return "", fmt.Errorf("draw a counterexample: %w", err)
	}
	d := diagram{comments: comments, named: map[string]bool{}}
	for i, step := range c.Steps {
		if isInitial(step) {
			continue
		}
		if c.VSR != nil {
			before := c.VSR[i-1].State
			if from, to, text, ok := vsrMessage(&before, step.Label); ok {
				d.message(from, to, text)
				continue
			}
		}
		d.note(d.actor(step.Label), step.Label)
	}
	d.note(d.last, c.Property+" is broken")
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	what := cfg.Name
	if bug != "" {
		what += ", mutant " + bug
	}
	fmt.Fprintf(&b, "  title %s\n", mermaidText(what+": "+c.Property))
	for _, participant := range d.participants() {
		fmt.Fprintf(&b, "  participant %s\n", participant)
	}
	b.WriteString(d.body.String())
	return b.String(), nil
}

// mermaidText takes out of a text what ends a line of Mermaid.
func mermaidText(text string) string {
	return strings.NewReplacer(";", ",", "#", "no. ", "\n", " ").Replace(text)
}
