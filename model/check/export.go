package check

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
)

// Format is a form in which a counterexample can be saved. The trace format of the
// project is not among them: package generate writes it.
type Format uint8

const (
	// FormatTLA is a TLA+ module: a record per state, with comments, and their sequence.
	FormatTLA Format = iota + 1
	// FormatMermaid is a sequence diagram in the language of Mermaid.
	FormatMermaid
	// FormatITF is the Informal Trace Format of the TLA+ tools, JSON.
	FormatITF
)

// String is the format's name, as the tool's flags have it.
func (f Format) String() string {
	switch f {
	case FormatTLA:
		return "tla"
	case FormatMermaid:
		return "mermaid"
	case FormatITF:
		return "itf"
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// TLAModule is the name of the module that [FormatTLA] writes.
const TLAModule = "Counterexample"

// Write saves the counterexample in a format.
//
// Errors: it is TLC's, which prints its own; or that of w.
func (c *Counterexample) Write(w io.Writer, f Format) error {
	if c.write == nil {
		return errors.New("save counterexample: it is TLC's, expected one of the Go model")
	}
	if err := c.write(w, f); err != nil {
		return fmt.Errorf("save counterexample: %w", err)
	}
	return nil
}

// writerOf returns what saves a path of a module's model.
func writerOf[S any, A explore.Action](
	module string, m explore.Model[S, A], path []explore.Step[S, A],
) func(w io.Writer, f Format) error {
	return func(w io.Writer, f Format) error {
		switch f {
		case FormatTLA:
			return explore.WriteTLA(w, TLAModule, m, path)
		case FormatITF:
			return explore.WriteITF(w, module+".tla", m, path)
		case FormatMermaid:
			comments, err := spec.ActionComments(module)
			if err != nil {
				return err
			}
			arrows := func(before S, step explore.Step[S, A]) []explore.Arrow {
				return []explore.Arrow{arrowOf(comments, before, step.Action.String())}
			}
			return explore.WriteMermaid(w, participants(module, path, arrows), path, arrows)
		}
		return fmt.Errorf("%v, expected %v, %v or %v", f, FormatTLA, FormatITF, FormatMermaid)
	}
}

// participants are all whom an arrow names, in order; the module where none does.
func participants[S any, A explore.Action](
	module string, path []explore.Step[S, A],
	arrows func(before S, step explore.Step[S, A]) []explore.Arrow,
) []string {
	var names []string
	for i := 1; i < len(path); i++ {
		for _, arrow := range arrows(path[i-1].State, path[i]) {
			for _, name := range []string{arrow.From, arrow.To} {
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return []string{module}
	}
	return names
}

// arrowOf draws a step: a message where a replica of VSR takes one, else a note beside
// whoever acts, with a client as the other end where one is named.
func arrowOf(comments map[string]spec.ActionComment, before any, label string) explore.Arrow {
	if state, ok := before.(vsr.State); ok {
		if arrow, ok := vsrMessage(&state, label); ok {
			return arrow
		}
	}
	arrow := explore.Arrow{Text: label}
	name, arguments := splitLabel(label)
	for i, parameter := range comments[name].Parameters {
		switch {
		case i >= len(arguments) || !isNumber(arguments[i]):
		case replicaParameters[parameter] && arrow.From == "":
			arrow.From = "r" + arguments[i]
		case parameter == "c":
			arrow.To = "client " + arguments[i]
		}
	}
	return arrow
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 32)
	return err == nil
}
