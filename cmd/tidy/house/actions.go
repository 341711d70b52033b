package house

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// names maps names to the place where each stands.
type names map[string]place

type place struct {
	path string
	line int
}

// actionKinds are the constants that name a module's actions in the model.
var actionKinds = []struct{ module, dir, typeName, prefix string }{
	{"VSR", "model/vsr", "ActionKind", "Action"},
	{"AtomicViewChange", "model/atomic", "ActionKind", ""},
	{"PartitionLog", "model/storage", "PartitionActionKind", ""},
	{"Sessions", "model/sessions", "ActionKind", ""},
	{"Journal", "model/storage", "JournalActionKind", "Journal"},
	{"JournalGroups", "model/storage", "GroupsActionKind", "Groups"},
	{"Reads", "model/reads", "ActionKind", ""},
	{"Merge", "model/merge", "ActionKind", ""},
	{"Transfer", "model/transfer", "ActionKind", ""},
	{"Retention", "model/retention", "ActionKind", ""},
	{"ConsumerGroups", "model/consumergroups", "ActionKind", ""},
	{"LogSpace", "model/logspace", "ActionKind", ""},
}

func checkActions(t *Tree, report report) {
	for _, kind := range actionKinds {
		if t.lacks(kind.module) {
			continue
		}
		actions := t.nextActions(kind.module)
		file := "spec/" + kind.module + ".tla"
		if len(actions) == 0 {
			report(file, 1, "no definition Next with actions, expected one: "+
				"the other layers are compared with it")
			continue
		}
		labels := t.typedConstants(kind.dir, kind.typeName, kind.prefix)
		compareActions(report, file, actions, kind.dir, labels)
		if kind.module == "VSR" {
			compareActions(report, file, actions, "traces", t.traceConstants(report))
			compareActions(report, file, actions, "traces: Actions()", t.schemaActions())
			for name, at := range t.typedConstants("impl/vsr", "Action", "Action") {
				if !slices.Contains(actions, name) {
					report(at.path, at.line, "%s is no action of Next in %s", name, file)
				}
			}
		}
	}
}

// compareActions reports the difference of two lists of names.
func compareActions(report report, file string, actions []string, where string, found names) {
	for _, name := range actions {
		if _, ok := found[name]; !ok {
			report(file, 1, "Next takes %s, which %s does not name", name, where)
		}
	}
	for name, at := range found {
		if !slices.Contains(actions, name) {
			report(at.path, at.line, "%s is no action of Next in %s", name, file)
		}
	}
}

// typedConstants returns the exported constants of that type, without their prefix.
func (t *Tree) typedConstants(dir, typeName, prefix string) names {
	found := names{}
	p := t.golang.packages[dir]
	if p == nil {
		return found
	}
	for _, c := range t.golang.constants(p) {
		name, ok := strings.CutPrefix(c.name, prefix)
		if ok && c.typeName == typeName && ast.IsExported(c.name) {
			found[name] = place{c.path, c.line}
		}
	}
	return found
}

// traceConstants returns the actions that the trace format has a constant for.
func (t *Tree) traceConstants(report report) names {
	found := names{}
	p := t.golang.packages["traces"]
	if p == nil {
		return found
	}
	for _, c := range t.golang.constants(p) {
		name, ok := strings.CutPrefix(c.name, "Action")
		if !ok || name == "" {
			continue
		}
		if c.text != name {
			report(c.path, c.line, "%s is %q, expected %q", c.name, c.text, name)
		}
		found[name] = place{c.path, c.line}
	}
	return found
}

// schemaActions returns what the function Actions of the trace format lists.
func (t *Tree) schemaActions() names {
	found := names{}
	p := t.golang.packages["traces"]
	if p == nil {
		return found
	}
	values := map[string]string{}
	for _, c := range t.golang.constants(p) {
		values[c.name] = c.text
	}
	for _, f := range p.files {
		for _, decl := range f.syntax.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || f.isTest || function.Recv != nil || function.Name.Name != "Actions" {
				continue
			}
			for _, element := range listElements(function) {
				name := stringLiteral(element)
				if name == "" {
					name = values[identName(element)]
				}
				found[name] = place{f.Path, t.golang.line(element)}
			}
		}
	}
	return found
}

// listElements returns the elements of the composite literals in a function.
func listElements(function *ast.FuncDecl) []ast.Expr {
	var elements []ast.Expr
	ast.Inspect(function, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok {
			elements = append(elements, literal.Elts...)
		}
		return true
	})
	return elements
}

var (
	goPointer   = regexp.MustCompile(`\bGo: (.*?)\.(?:\s|$)`)
	parentheses = regexp.MustCompile(`\([^()]*\)`)
	upperCase   = regexp.MustCompile(`[A-Z.]`)
)

// checkSpecPointers reads the comment of each action. After "Go:" stand, up to the
// end of the sentence and between semicolons, a package's folder and names in it:
//
//	Go: model/vsr ReceivePrepare; impl/vsr Replica.onPrepare, onPrepareStored.
//
// A name without any capital letter or dot is taken for prose if words follow it.
func checkSpecPointers(t *Tree, report report) {
	for _, kind := range actionKinds {
		closure := t.closure(kind.module)
		for _, action := range t.nextActions(kind.module) {
			d, ok := find(closure, action)
			if !ok {
				report("spec/"+kind.module+".tla", 1, "Next takes %s, which no module defines",
					action)
				continue
			}
			pointers := goPointer.FindAllStringSubmatch(d.comment(), -1)
			if len(pointers) == 0 {
				report(d.module.Path, d.line,
					`%s names no Go code, expected "Go: folder Name." above it`, action)
			}
			for _, pointer := range pointers {
				for clause := range strings.SplitSeq(pointer[1], ";") {
					for _, missing := range t.unresolved(clause) {
						report(d.module.Path, d.line, "%s names %s", action, missing)
					}
				}
			}
		}
	}
}

// unresolved returns what a clause "folder Name, Name" names and does not exist.
func (t *Tree) unresolved(clause string) []string {
	dir, rest, _ := strings.Cut(strings.TrimSpace(parentheses.ReplaceAllString(clause, "")), " ")
	p := t.golang.packages[dir]
	if p == nil {
		return []string{"the package " + dir + ", which does not exist"}
	}
	symbols := p.symbols()
	var missing []string
	for piece := range strings.SplitSeq(rest, ",") {
		words := strings.Fields(piece)
		if len(words) == 0 || len(words) > 1 && !upperCase.MatchString(words[0]) {
			continue
		}
		if !symbols[words[0]] && t.file(path.Join(dir, words[0])) == nil {
			missing = append(missing, dir+" "+words[0]+", which does not exist")
		}
	}
	return missing
}
