package tlc

import (
	"fmt"
	"maps"
	"strings"
)

// WrappedAction is one action of a module with its arguments.
type WrappedAction struct {
	// Operator is the TLA+ identifier that stands for it, like ReceiveCommit_1_2,
	// unlike those of all other actions and of the module.
	Operator string
	// Call is the action in TLA+: ReceiveCommit(1, 2).
	Call string
	// Label is what an edge or a step of it is called: ReceiveCommit(1,2).
	Label string
}

// The names that a wrapper takes for itself.
const (
	wrapperModule = "Graph"
	wrapperNext   = "GraphNext"
	wrapperSpec   = "GraphSpec"
	eitherSpec    = "GraphEitherSpec"
	coversNext    = "GraphCoversNext"
	withinNext    = "GraphWithinNext"
)

// Wrapper returns the module Graph, which extends module and whose next-state
// relation is the disjunction of the actions, each under its own operator (see
// the package comment). The module must define Init, Next and vars.
func Wrapper(module string, actions []WrappedAction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---- MODULE %s ----\n", wrapperModule)
	fmt.Fprintf(&b, "\\* Generated: one operator for each action of %s with its arguments.\n",
		module)
	fmt.Fprintf(&b, "EXTENDS %s\n\n", module)
	for _, a := range actions {
		fmt.Fprintf(&b, "%s == TRUE /\\ (%s)\n", a.Operator, a.Call)
	}
	fmt.Fprintf(&b, "\n%s ==\n", wrapperNext)
	for _, a := range actions {
		fmt.Fprintf(&b, "    \\/ %s\n", a.Operator)
	}
	fmt.Fprintf(&b, "%s == Init /\\ [][%s]_vars\n", wrapperSpec, wrapperNext)
	fmt.Fprintf(&b, "\n\\* Whether %s is Next, in both directions.\n", wrapperNext)
	fmt.Fprintf(&b, "%s == Init /\\ [][Next \\/ %s]_vars\n", eitherSpec, wrapperNext)
	fmt.Fprintf(&b, "%s == [][%s]_vars\n", coversNext, wrapperNext)
	fmt.Fprintf(&b, "%s == [][Next]_vars\n", withinNext)
	b.WriteString("====\n")
	return b.String()
}

// wrap turns a job for a module into one for its wrapper, with further lines of
// configuration.
func (j Job) wrap(actions []WrappedAction, lines string) (Job, error) {
	if err := j.validate(); err != nil {
		return Job{}, err
	}
	if err := readConfig(j.Config).onlyConstants(); err != nil {
		return Job{}, err
	}
	if err := validateActions(actions); err != nil {
		return Job{}, err
	}
	file := wrapperModule + ".tla"
	if _, taken := j.Files[file]; taken {
		return Job{}, fmt.Errorf("file %s: the name is the wrapper's, expected another", file)
	}
	files := maps.Clone(j.Files)
	files[file] = []byte(Wrapper(j.Module, actions))
	j.Files, j.Module = files, wrapperModule
	j.Config += "\n" + lines + "\nCHECK_DEADLOCK FALSE\n"
	return j, nil
}

func validateActions(actions []WrappedAction) error {
	if len(actions) == 0 {
		return fmt.Errorf("wrapper without actions: expected at least one")
	}
	seen := make(map[string]bool, len(actions))
	for i, a := range actions {
		switch {
		case !identifier.MatchString(a.Operator):
			return fmt.Errorf("action %d (%s): operator %q, expected a TLA+ identifier",
				i, a.Label, a.Operator)
		case seen[a.Operator]:
			return fmt.Errorf("action %d (%s): operator %s twice, expected another name",
				i, a.Label, a.Operator)
		case a.Label == "" || strings.ContainsAny(a.Label, "\r\n"):
			return fmt.Errorf("action %d (%s): label %q, expected one line", i, a.Operator, a.Label)
		case strings.TrimSpace(a.Call) == "":
			return fmt.Errorf("action %d (%s): no call, expected the action in TLA+", i, a.Operator)
		}
		seen[a.Operator] = true
	}
	return nil
}

// labels maps each operator to its label.
func labels(actions []WrappedAction) map[string]string {
	byOperator := make(map[string]string, len(actions))
	for _, a := range actions {
		byOperator[a.Operator] = a.Label
	}
	return byOperator
}
