package spec

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// manifestFile is the manifest's path in this folder.
const manifestFile = "manifest.json"

// Clean in Cfg.Expect says that every property holds in every reachable state.
const Clean = "clean"

// Tiers of a cfg (Cfg.Tier and Cfg.TierTLC): how often it runs.
const (
	TierCI      = "ci"      // With every change; all of them together take minutes.
	TierNightly = "nightly" // Once a day.
	TierNever   = "never"   // Cfg.TierTLC only: TLC would need hours.
)

// Manifest says what each cfg must show. It is the only place where figures of the
// specification stand.
type Manifest struct {
	Cfgs []Cfg
	// Unbroken gives, per invariant ("VSR.OneStart"), the reason why no mutant
	// breaks it, for those whose comment in the module does not say so.
	Unbroken map[string]string
}

// Cfg is one cfg of the manifest together with its file.
type Cfg struct {
	// Name is the cfg's name: cfg/<Name>.cfg is its file.
	Name string
	// Module is the module that it configures, "VSR".
	Module string
	// Tier says how often the Go model runs the cfg, TierTLC how often TLC does, which
	// needs some 20 times the CPU: TierCI or TierNightly, for TLC also TierNever, where
	// the figures are the Go model's alone.
	Tier    string
	TierTLC string
	// Expect is [Clean], or the properties of which one must be found violated. More
	// than one is listed where the order of the search decides which one it is.
	Expect []string
	// Distinct is the number of distinct reachable states, Depth the number of states
	// on the longest of the shortest paths to them. Clean cfgs only, else 0.
	Distinct int
	Depth    int
	// Counterexample is the number of states of the shortest counterexample, the
	// initial one included. 0 for a clean cfg.
	Counterexample int
	// Mutant is the defect that the cfg switches on, empty for a clean cfg.
	Mutant string
	// Seed is the public issue that the mutant reproduces, such as "iggy#4294"; empty
	// where there is none.
	Seed string
	// Golden says that golden/<Name>.json holds the digest of its state graph.
	Golden bool
	// Config is what the cfg file says.
	Config Config
}

// IsClean reports whether the cfg must show no violation.
func (c Cfg) IsClean() bool { return len(c.Expect) == 1 && c.Expect[0] == Clean }

// Accepts reports whether a violation of the property is what the cfg must show.
func (c Cfg) Accepts(property string) bool {
	return !c.IsClean() && slices.Contains(c.Expect, property)
}

// Bugs returns the deliberate defects that the cfg switches on, sorted.
func (c Cfg) Bugs() []string {
	bugs, err := c.Config.Constants.Set("Bugs")
	if err != nil {
		return nil // Read has refused a cfg without Bugs.
	}
	return bugs
}

// Read returns the embedded manifest, checked against the cfg files and the
// modules. The result is shared: callers must not write to it.
//
// Errors are one line: file, line, what is wrong and what was expected.
func Read() (*Manifest, error) { return readOnce() }

var readOnce = sync.OnceValues(func() (*Manifest, error) { return parseManifest(Files()) })

// Lookup returns the cfg of that name. The error of an unknown name lists the names
// that are near to it, or all.
func Lookup(name string) (Cfg, error) {
	manifest, err := Read()
	if err != nil {
		return Cfg{}, err
	}
	return manifest.Lookup(name)
}

// Lookup returns the manifest's cfg of that name; see the function [Lookup].
func (m *Manifest) Lookup(name string) (Cfg, error) {
	names := make([]string, 0, len(m.Cfgs))
	for _, cfg := range m.Cfgs {
		if cfg.Name == name {
			return cfg, nil
		}
		names = append(names, cfg.Name)
	}
	if nearest := near(name, names); len(nearest) > 0 {
		return Cfg{}, fmt.Errorf("cfg %q: not in the manifest, did you mean %s?",
			name, strings.Join(nearest, ", "))
	}
	return Cfg{}, fmt.Errorf("cfg %q: not in the manifest, expected one of %s",
		name, strings.Join(names, ", "))
}

// GoldenCfgs returns the cfgs that have a golden file, in the manifest's order.
func (m *Manifest) GoldenCfgs() []Cfg {
	return m.Select(func(c Cfg) bool { return c.Golden })
}

// Select returns the cfgs that keep accepts, in the manifest's order.
func (m *Manifest) Select(keep func(Cfg) bool) []Cfg {
	var cfgs []Cfg
	for _, cfg := range m.Cfgs {
		if keep(cfg) {
			cfgs = append(cfgs, cfg)
		}
	}
	return cfgs
}
