package house

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

func checkPackageDoc(t *Tree, report report) {
	for _, p := range t.golang.sortedPackages() {
		var sources []*goFile
		for _, f := range p.files {
			if !f.isTest {
				sources = append(sources, f)
			}
		}
		if len(sources) == 0 {
			continue
		}
		if p.isCommand() {
			documented := slices.ContainsFunc(sources, func(f *goFile) bool {
				return f.syntax.Doc != nil
			})
			if !documented {
				report(sources[0].Path, 1, "the command has no package comment, expected one: "+
					"what it does, how it is called, its exit status")
			}
			continue
		}
		name := path.Join(p.dir, "doc.go")
		index := slices.IndexFunc(sources, func(f *goFile) bool { return f.Path == name })
		switch {
		case index < 0:
			report(name, 1, "does not exist, expected the package comment there")
		case sources[index].syntax.Doc == nil:
			report(name, 1, "has no package comment, expected what the package owns, "+
				"what it never does and its invariants")
		}
	}
}

// importRule says what the packages of one folder may import.
type importRule struct {
	// dir is the folder; below it counts too unless exact.
	dir   string
	exact bool
	// denied are folders of this module: nothing in them or below them; "." is all.
	denied []string
	// allowed is the full list of imports outside of tests, if it is not empty: paths
	// of the standard library, and folders of this module after "./".
	allowed []string
}

// importRules is the layering of ARCHITECTURE.md.
var importRules = []importRule{
	{dir: "model", denied: []string{"impl"}},
	{dir: "impl", denied: []string{"model"}},
	{dir: "traces", exact: true, denied: []string{"."}},
	{dir: "spec", denied: []string{"."}},
	{dir: "linearizability", denied: []string{"model", "impl"}},
	{dir: "impl/vsr", exact: true, allowed: []string{
		"cmp", "errors", "fmt", "math/bits", "slices", "./impl/wire", "./impl/clienttable",
	}},
	{dir: "impl/clienttable", exact: true, allowed: []string{
		"bytes", "cmp", "encoding/binary", "errors", "fmt", "iter", "slices", "./impl/wire",
	}},
}

// testImports are modules for tests only.
var testImports = []string{"github.com/stretchr/testify", "pgregory.net/rapid"}

func checkImports(t *Tree, report report) {
	for _, f := range t.golang.files {
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // The parser has accepted it.
			}
			line := t.golang.line(spec)
			for _, rule := range importRules {
				if reason := rule.refuse(t.Module, f, imported); reason != "" {
					report(f.Path, line, "imports %s: %s", imported, reason)
				}
			}
			for _, module := range testImports {
				if within(imported, module) && !f.isTest {
					report(f.Path, line, "imports %s, expected in files _test.go only", imported)
				}
			}
		}
	}
}

// refuse says why f must not import a package, empty if it may.
func (r importRule) refuse(module string, f *goFile, imported string) string {
	dir := path.Dir(f.Path)
	if dir != r.dir && (r.exact || !within(dir, r.dir)) {
		return ""
	}
	local := "" // The imported folder, if it is one of ours.
	if within(imported, module) {
		local = path.Join(".", strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
	}
	ownTest := f.isTest && local == r.dir // A test of the package from outside.
	for _, denied := range r.denied {
		if local != "" && !ownTest && (denied == "." || within(local, denied)) {
			if denied == "." {
				return r.dir + " imports nothing of this module"
			}
			return r.dir + " never imports " + denied
		}
	}
	if len(r.allowed) == 0 || f.isTest {
		return ""
	}
	name := imported
	if local != "" {
		name = "./" + local
	}
	if !slices.Contains(r.allowed, name) {
		return r.dir + " imports only " + strings.Join(r.allowed, ", ")
	}
	return ""
}

// withinAny reports whether a path lies within one of the folders.
func withinAny(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return within(name, folder) })
}

// within reports whether a path is that folder or lies below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
