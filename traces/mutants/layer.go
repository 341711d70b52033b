package mutants

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Layer says which kind of check catches a mutant.
type Layer uint8

// The layers.
const (
	// LayerUnit is a table or example test of the package.
	LayerUnit Layer = iota + 1
	// LayerRapid is a property test, LayerScenario a story of traces/testdata.
	LayerRapid
	LayerScenario
	// LayerRefinement drives real cores through all interleavings.
	LayerRefinement
	// LayerSim is the simulator with its checkers.
	LayerSim
	// LayerMatrix strikes each operation of the storage in turn, or crashes at it.
	LayerMatrix
	// LayerReplay has the code follow the model, LayerConform the model explain the code.
	LayerReplay
	LayerConform
)

var layerNames = [...]string{
	LayerUnit: "unit", LayerRapid: "rapid", LayerScenario: "scenario",
	LayerRefinement: "refinement", LayerSim: "sim", LayerMatrix: "storage matrix",
	LayerReplay: "replay", LayerConform: "conform",
}

// String returns the name as in patches.
func (l Layer) String() string {
	if l >= 1 && int(l) < len(layerNames) {
		return layerNames[l]
	}
	return fmt.Sprintf("layer(%d)", uint8(l))
}

// Layers lists all of them.
func Layers() []Layer {
	var all []Layer
	for l := range layerNames[1:] {
		all = append(all, Layer(l+1))
	}
	return all
}

func parseLayer(name string) (Layer, error) {
	i := slices.Index(layerNames[1:], name)
	if i < 0 {
		return 0, fmt.Errorf("layer %q, expected one of %s", name,
			strings.Join(layerNames[1:], ", "))
	}
	return Layer(i + 1), nil
}

// Catch is the command that fails on a mutant: a test, or a command of the tool.
type Catch struct {
	// Package is that of a test, as "./impl/vsr", Test its name with those of its subtests,
	// Flags what its binary gets beside.
	Package, Test string
	Flags         []string
	// Tool is the arguments of the tool; nil if it is a test.
	Tool []string
}

func parseCatch(text string) (Catch, error) {
	words := strings.Fields(text)
	switch {
	case len(words) >= 3 && words[0] == "test" && strings.HasPrefix(words[1], "./"):
		return Catch{Package: words[1], Test: words[2], Flags: words[3:]}, nil
	case len(words) >= 2 && words[0] == "tool":
		return Catch{Tool: words[1:]}, nil
	}
	return Catch{}, fmt.Errorf("catch %q, expected test ./PACKAGE NAME [FLAG...] or tool VERB "+
		"[ARGUMENT...]", text)
}

// String returns the command as a person would type it, without the overlay.
func (c Catch) String() string {
	if c.Tool != nil {
		return "go run ./cmd/viewstamp " + strings.Join(c.Tool, " ")
	}
	text := fmt.Sprintf("go test %s -run '%s'", c.Package, c.pattern())
	if len(c.Flags) > 0 {
		text += " -args " + strings.Join(c.Flags, " ")
	}
	return text
}

// target is what the command runs.
func (c Catch) target() target {
	if c.Tool != nil {
		return target{folder: "./cmd/viewstamp"}
	}
	return target{folder: c.Package, tests: true}
}

// pattern is what selects the test and nothing else.
func (c Catch) pattern() string {
	parts := strings.Split(c.Test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
