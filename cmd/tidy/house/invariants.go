package house

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// specModules are the modules whose invariants and mutants are held to account.
var specModules = []string{
	"VSR",
	"Refinement",
	"AtomicViewChange",
	"PartitionLog",
	"Sessions",
	"Journal",
	"JournalGroups",
	"Reads",
	"Merge",
	"Transfer",
	"Retention",
	"ConsumerGroups",
	"LogSpace",
}

// borrowsMutants reports whether a module's mutants are those of another one, which has
// a cfg for each.
func borrowsMutants(module string) bool { return module == "Refinement" }

// lacks reports whether the tree does without a module that it may lack: those of the
// rules' own tests do. In the real one spec refuses a cfg without its module.
func (t *Tree) lacks(module string) bool {
	return module != "VSR" && module != "PartitionLog" && len(t.closure(module)) == 0
}

// mutantPrefix begins the names of the cfgs of a module's mutants.
func mutantPrefix(module string) string {
	switch module {
	case "PartitionLog":
		return "partition-bug-"
	case "AtomicViewChange":
		return "atomic-bug-"
	case "Sessions":
		return "sessions-bug-"
	case "Reads":
		return "reads-bug-"
	case "Journal":
		return "journal-bug-"
	case "JournalGroups":
		return "groups-bug-"
	case "Merge":
		return "merge-bug-"
	case "Transfer":
		return "transfer-bug-"
	case "Retention":
		return "retention-bug-"
	case "ConsumerGroups":
		return "members-bug-"
	case "LogSpace":
		return "space-bug-"
	}
	return "bug-"
}

const manifestPath = "spec/manifest.json"

// manifest is the part of spec/manifest.json that the rules need.
type manifest struct {
	Cfgs []struct {
		Name   string `json:"name"`
		Module string `json:"module"`
	} `json:"cfgs"`
	// Unbroken gives the reason why no mutant breaks an invariant, by "Module.Name".
	Unbroken map[string]string `json:"unbroken"`
}

// readManifest returns the manifest; what is wrong with it is reported.
func (t *Tree) readManifest(report report) manifest {
	var m manifest
	f := t.file(manifestPath)
	if f == nil {
		report(manifestPath, 1, "does not exist, expected the list of cfgs")
		return m
	}
	if err := json.Unmarshal(f.text, &m); err != nil {
		report(manifestPath, 1, "%v", err)
	}
	return m
}

var (
	noMutant      = regexp.MustCompile(`\bNo mutant(?: breaks it)?: \w`)
	checkedInline = regexp.MustCompile(`^(?:INVARIANTS?|PROPERTY|PROPERTIES)\b(.*)$`)
	keywordLine   = regexp.MustCompile(`^[A-Z_]{4,}\b`)
)

// checkInvariants looks at every definition that a cfg lists as an invariant or a
// property: the paragraph above it names a mutant of its module, or says "No mutant:"
// and why; the reason may also stand in the manifest, under "unbroken".
func checkInvariants(t *Tree, report report) {
	m := t.readManifest(report)
	for _, module := range specModules {
		if t.lacks(module) {
			continue
		}
		closure := t.closure(module)
		if len(closure) == 0 {
			report("spec/"+module+".tla", 1, "does not exist, expected a module with invariants")
			continue
		}
		var mutants []string
		for _, part := range closure {
			for name := range part.mutants() {
				mutants = append(mutants, name)
			}
		}
		checked := t.checkedNames(m, module)
		if len(checked) == 0 {
			report("spec/"+module+".tla", 1, "no cfg in the manifest lists an invariant of it")
		}
		for _, name := range checked {
			d, ok := find(closure, name)
			if !ok {
				report("spec/"+module+".tla", 1, "a cfg lists %s, which is not defined", name)
				continue
			}
			comment := d.comment()
			named := namesOne(comment, mutants)
			excused := noMutant.MatchString(comment) || m.Unbroken[module+"."+name] != ""
			switch {
			case named && excused:
				report(d.module.Path, d.line, "%s names a mutant and says why there is none", name)
			case !named && !excused:
				report(d.module.Path, d.line, `the comment of %s names no mutant of BugNames, `+
					`expected one or "No mutant: why"`, name)
			}
		}
	}
}

func namesOne(comment string, known []string) bool {
	words := wordPattern.FindAllString(comment, -1)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(known, w) })
}

// checkedNames returns what the cfgs of a module check, sorted.
func (t *Tree) checkedNames(m manifest, module string) []string {
	var found []string
	for _, cfg := range m.Cfgs {
		if f := t.file("spec/cfg/" + cfg.Name + ".cfg"); f != nil && cfg.Module == module {
			found = append(found, checkedIn(f.lines())...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// checkedIn returns the names that a cfg lists under INVARIANTS and PROPERTIES, on
// the line of the keyword or on the lines below it.
func checkedIn(lines []string) []string {
	var found []string
	inside := false
	for _, line := range lines {
		line = lineComment.ReplaceAllString(line, "")
		if match := checkedInline.FindStringSubmatch(line); match != nil {
			inside = true
			line = match[1]
		} else if keywordLine.MatchString(line) {
			inside = false
		}
		if inside {
			found = append(found, wordPattern.FindAllString(line, -1)...)
		}
	}
	return found
}

var cfgBugs = regexp.MustCompile(`(?m)^\s*Bugs\s*=\s*\{([^}]*)\}`)

// checkMutants holds BugNames and the cfgs of mutants together, in both directions. A
// cfg may add "-words" to the mutant's name.
func checkMutants(t *Tree, report report) {
	known := map[string]bool{}
	for _, module := range specModules {
		if t.lacks(module) || borrowsMutants(module) {
			continue
		}
		prefix := mutantPrefix(module)
		total := 0
		for _, part := range t.closure(module) {
			for name, line := range part.mutants() {
				total++
				known[name] = true
				if t.file("spec/cfg/"+prefix+name+".cfg") == nil {
					report(part.Path, line, "mutant %s has no cfg, expected spec/cfg/%s%s.cfg",
						name, prefix, name)
				}
			}
		}
		if total == 0 {
			report("spec/"+module+".tla", 1, "no mutant, expected BugNames in it or its EXTENDS")
		}
	}
	for _, f := range t.Files {
		base := strings.TrimSuffix(path.Base(f.Path), ".cfg")
		_, name, isMutant := strings.Cut(base, "bug-")
		if path.Dir(f.Path) != "spec/cfg" || path.Ext(f.Path) != ".cfg" || !isMutant {
			continue
		}
		name, _, _ = strings.Cut(name, "-")
		bugs := cfgBugs.FindSubmatch(f.text)
		switch {
		case !known[name]:
			report(f.Path, 1, "%s is no member of BugNames", name)
		case bugs == nil || !strings.Contains(string(bugs[1]), `"`+name+`"`):
			report(f.Path, 1, `does not switch on %s, expected Bugs = {"%s"}`, name, name)
		}
	}
}
