package refine

import (
	"fmt"
	"strings"
)

// Cfg is a search with a name and a place in the tiers of spec/manifest.json.
type Cfg struct {
	Name string
	// Nightly: too long for each run.
	Nightly bool
	// Verify: part of a run of everything.
	Verify bool
	Bounds Bounds
	// Walks, if not zero, is the number of random walks that take the place of the search, and
	// Steps bounds each.
	Walks, Steps int
}

// Cfgs are the searches: those against VSR.tla, the quickest first, and those beyond.
func Cfgs() []Cfg { return append(vsrCfgs(), transferCfgs()...) }

func vsrCfgs() []Cfg {
	return []Cfg{
		{Name: "core-110", Verify: true, Bounds: Bounds{Replicas: 3, Requests: 1, Views: 1}},
		{
			Name: "core-111", Verify: true,
			Bounds: Bounds{Replicas: 3, Requests: 1, Views: 1, Crashes: 1},
		},
		{Name: "core-210", Verify: true, Bounds: Bounds{Replicas: 3, Requests: 2, Views: 1}},
		{
			Name: "core-solo-222", Verify: true, // a replica alone comes back in the next view
			Bounds: Bounds{Replicas: 1, Requests: 2, Views: 2, Crashes: 2},
		},
		{
			Name:   "core-011-unreduced",
			Bounds: Bounds{Replicas: 3, Views: 1, Crashes: 1, Full: true},
		},
		{
			Name: "core-walks", Verify: true, Walks: 200, Steps: 1000,
			Bounds: Bounds{Replicas: 3, Requests: 12, Views: 8, Crashes: 6},
		},
		{
			Name: "core-121", Nightly: true,
			Bounds: Bounds{Replicas: 3, Requests: 1, Views: 2, Crashes: 1},
		},
		{
			Name: "core-211", Nightly: true,
			Bounds: Bounds{Replicas: 3, Requests: 2, Views: 1, Crashes: 1},
		},
		{
			Name: "core-five-110", Nightly: true,
			Bounds: Bounds{Replicas: 5, Requests: 1, Views: 1},
		},
	}
}

// Lookup returns the search of a name.
// Errors: a name that no search has; it lists those that there are.
func Lookup(name string) (Cfg, error) {
	var names []string
	for _, c := range Cfgs() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Cfg{}, fmt.Errorf("cfg %q: expected one of %s", name, strings.Join(names, ", "))
}
