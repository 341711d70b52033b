package house

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// orderedFolders are the folders whose results must not depend on the order of a map.
var orderedFolders = []string{"impl/clienttable", "impl/sim", "impl/vsr", "model"}

var (
	mapOrderExcuse = regexp.MustCompile(`//nolint:maporder // \S`)
	mapOrderBare   = regexp.MustCompile(`//nolint:maporder`)
)

// checkMapOrder looks for two ways to let the order of a map in: a range over a map,
// and an iterator over its keys or values that is not sorted at once.
func checkMapOrder(t *Tree, report report) {
	world := newTypeWorld(t)
	for _, p := range t.golang.sortedPackages() {
		if !withinAny(p.dir, orderedFolders) {
			continue
		}
		info := world.check(p)
		for _, f := range p.files {
			if f.isTest {
				continue
			}
			lines := f.lines()
			for _, place := range mapIterations(f.syntax, info) {
				line := t.golang.line(place.node)
				switch text := lines[line-1]; {
				case mapOrderExcuse.MatchString(text):
				case mapOrderBare.MatchString(text):
					report(f.Path, line, "the excuse has no reason, "+
						"expected //nolint:maporder // why the order cannot be seen")
				default:
					report(f.Path, line, "%s, expected sorted keys "+
						"or //nolint:maporder // why the order cannot be seen", place.what)
				}
			}
		}
	}
}

// mapResults are the functions of package maps that return a map.
var mapResults = []string{"Clone", "Collect"}

// mapIteration is a place where the order of a map can be seen.
type mapIteration struct {
	node ast.Node
	what string
}

func mapIterations(file *ast.File, info *types.Info) []mapIteration {
	var found []mapIteration
	mapsName := importName(file, "maps")
	slicesName := importName(file, "slices")
	sorted := map[ast.Expr]bool{} // Arguments of slices.Sorted and its relatives.
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if name := callee(node, slicesName); strings.HasPrefix(name, "Sorted") {
				for _, argument := range node.Args {
					sorted[argument] = true
				}
			}
			switch name := callee(node, mapsName); name {
			case "Keys", "Values", "All":
				if !sorted[node] {
					found = append(found, mapIteration{node, "iterates a map by maps." + name})
				}
			}
		case *ast.RangeStmt:
			call, isCall := node.X.(*ast.CallExpr)
			copied := isCall && slices.Contains(mapResults, callee(call, mapsName))
			if copied || isMap(info.TypeOf(node.X)) {
				found = append(found, mapIteration{node, "ranges over a map"})
			}
		}
		return true
	})
	return found
}

// importName is the name by which a file knows an imported package; empty if it does
// not import it.
func importName(file *ast.File, imported string) string {
	for _, spec := range file.Imports {
		if spec.Path.Value != `"`+imported+`"` {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return imported
	}
	return ""
}

// callee is F if the call is to pkg.F, else empty.
func callee(call *ast.CallExpr, pkg string) string {
	function := call.Fun
	if index, ok := function.(*ast.IndexExpr); ok {
		function = index.X
	}
	selector, ok := function.(*ast.SelectorExpr)
	if !ok || pkg == "" || identName(selector.X) != pkg {
		return ""
	}
	return selector.Sel.Name
}

// isMap reports whether a range over the type goes over a map. The core type of a
// type parameter counts.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if pointer, ok := t.(*types.TypeParam); ok {
		constraint, _ := pointer.Constraint().Underlying().(*types.Interface)
		return constraint != nil && embedsMap(constraint)
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func embedsMap(constraint *types.Interface) bool {
	for i := range constraint.NumEmbeddeds() {
		switch embedded := constraint.EmbeddedType(i).(type) {
		case *types.Union:
			for j := range embedded.Len() {
				if isMap(embedded.Term(j).Type()) {
					return true
				}
			}
		default:
			if isMap(embedded) {
				return true
			}
		}
	}
	return false
}
