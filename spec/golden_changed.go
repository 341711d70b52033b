package spec

import "slices"

// Changed is a module whose text is no longer that of its golden files: the Go model was
// found equal to another text.
type Changed struct {
	// Module is the module that was asked for.
	Module string
	// Golden are the cfgs whose golden files say so.
	Golden []string
}

// ChangedSinceGolden returns those of the cfgs' modules that have changed since their
// golden files were made, in the order of the cfgs. A module without golden files, such as
// Refinement, has those of the modules that share its mutants; a golden file that is
// missing or broken says nothing.
func ChangedSinceGolden(cfgs []Cfg) ([]Changed, error) {
	manifest, err := Read()
	if err != nil {
		return nil, err
	}
	return changedSince(Files(), manifest, cfgs), nil
}

func changedSince(files map[string][]byte, m *Manifest, cfgs []Cfg) []Changed {
	var changed []Changed
	var seen []string
	hashes := map[string]string{} // By module.
	hash := func(module string) string {
		if hashes[module] == "" {
			hashes[module] = sha256In(files, module)
		}
		return hashes[module]
	}
	for _, cfg := range cfgs {
		if slices.Contains(seen, cfg.Module) {
			continue
		}
		seen = append(seen, cfg.Module)
		c := Changed{Module: cfg.Module}
		for _, golden := range goldenOf(files, m, cfg.Module) {
			file, err := parseGoldenOf(files, golden)
			if err != nil {
				continue // It is yet to be made: what compares graphs says so.
			}
			if file.SpecSHA256 != hash(golden.Module) {
				c.Golden = append(c.Golden, golden.Name)
			}
		}
		if len(c.Golden) > 0 {
			changed = append(changed, c)
		}
	}
	return changed
}

// goldenOf are the golden cfgs of a module, or else of those that share its mutants.
func goldenOf(files map[string][]byte, m *Manifest, module string) []Cfg {
	own := m.Select(func(c Cfg) bool { return c.Golden && c.Module == module })
	if len(own) > 0 {
		return own
	}
	owner := moduleOfMutants(files, module)
	return m.Select(func(c Cfg) bool {
		return c.Golden && owner != "" && moduleOfMutants(files, c.Module) == owner
	})
}
